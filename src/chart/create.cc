#include "chart/create.h"

#include <algorithm>
#include <utility>

#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "chart/save.h"
#include "sys/disk.h"
#include "yaml/yaml.h"

namespace pintle::chart {
namespace {

constexpr size_t kMaxName = 250;
constexpr std::string_view kPlaceholder = "<CHARTNAME>";

struct ScaffoldFile {
  std::string_view path, text;
};
#include "chart/scaffold_data.inc"

Status check_name(std::string_view name) {
  const auto refuse = [](std::string text) {
    return Error(Code::kInvalidArgument, std::move(text));
  };
  if (name.empty() || name.size() > kMaxName) {
    return refuse(cat("chart name must be between 1 and ", kMaxName, " characters"));
  }
  const bool good = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
  if (!good) return refuse("chart name must match the regular expression \"^[a-zA-Z0-9._-]+$\"");
  return ok();
}

std::string named(std::string_view text, std::string_view name) {
  return replace_all(text, kPlaceholder, name);
}

// Where the values.yaml of Helm 3's scaffold reads otherwise: {Helm 4, Helm 3}.
constexpr std::pair<std::string_view, std::string_view> kHelm3Values[] = {
    {"a service account should be created.\n", "a service account should be created\n"},
    {"Annotations to add to the service account.\n", "Annotations to add to the service account\n"},
    {"generated using the fullname template.\n", "generated using the fullname template\n"},
    {R"(    # - secretName: chart-example-tls
    #   hosts:
    #     - chart-example.local
)",
     R"(  #  - secretName: chart-example-tls
  #    hosts:
  #      - chart-example.local
)"},
    {R"(  # - name: foo
  #   secret:
  #     secretName: mysecret
  #     optional: false
)",
     R"(# - name: foo
#   secret:
#     secretName: mysecret
#     optional: false
)"},
    {R"(  # - name: foo
  #   mountPath: "/etc/foo"
  #   readOnly: true
)",
     R"(# - name: foo
#   mountPath: "/etc/foo"
#   readOnly: true
)"},
};

// Chart v3's reads as Helm 3's, but for this.
constexpr std::pair<std::string_view, std::string_view> kChartV3Resources = {
    R"(  # We usually recommend not to specify default resources and to leave this as a conscious
  # choice for the user. This also increases chances charts run on environments with little
  # resources, such as Minikube. If you do want to specify resources, uncomment the following
)",
    R"(  # For publicly distributed charts, we recommend leaving 'resources' commented out.
  # This makes resource allocation a conscious choice for the user and increases the chances
  # charts run on a wide range of environments from low-resource clusters like Minikube to those
  # with strict resource policies. If you do want to specify resources, uncomment the following
)"};

std::string file_text(const ScaffoldFile& file, const std::string& name, Scaffold scaffold) {
  std::string text = named(file.text, name);
  if (scaffold != Scaffold::kHelm4 && file.path == "values.yaml") {
    for (const auto& [helm4, helm3] : kHelm3Values) text = replace_all(text, helm4, helm3);
  }
  if (scaffold == Scaffold::kChartV3) {
    text = replace_all(text, kChartV3Resources.first, kChartV3Resources.second);
    if (file.path == "Chart.yaml") text = replace_all(text, "apiVersion: v2\n", "apiVersion: v3\n");
  }
  return text;
}

}  // namespace

Status create(sys::Disk& disk, const std::string& name, const std::string& parent,
              const std::function<void(const std::string& path)>& overwriting, Scaffold scaffold) {
  TRY(check_name(name));
  const std::string directory = TRY(sys::absolute(disk, parent));
  if (!TRY(disk.stat(directory)).is_directory()) {
    return Error(Code::kNotFound, "no such directory " + directory);
  }
  const std::string root = path::join({directory, name});
  if (const auto info = disk.stat(root); info && !info->is_directory()) {
    return Error(Code::kAlreadyExists,
                 cat("file ", root, " already exists and is not a directory"));
  }
  for (const ScaffoldFile& file : kScaffold) {
    const std::string path = path::join({root, file.path});
    if (disk.stat(path)) overwriting(path);
    TRY(disk.make_dirs(path::dir(path)));
    TRY(disk.write_file(path, file_text(file, name, scaffold), 0644));
  }
  return disk.make_dirs(path::join({root, "charts"}));
}

Status create_from(sys::Disk& disk, const Metadata& metadata, const std::string& parent,
                   const std::string& starter, int64_t now_ns, const LoadOptions& options) {
  LoadOptions direct = options;
  direct.direct = true;
  auto loaded = load(disk, starter, direct);
  if (!loaded) return Error::wrap("could not load " + starter, loaded.error());
  Chart& chart = **loaded;
  chart.metadata = metadata;

  const auto rename = [&](std::shared_ptr<const File>& file) {
    auto copy = std::make_shared<File>(*file);
    copy->data = named(copy->data, chart.name());
    file = std::move(copy);
  };
  for (auto& file : chart.templates) rename(file);
  for (auto& file : chart.raw) {
    if (file->name != "values.yaml") continue;
    rename(file);
    // The name must not have broken the values.
    const auto values = yaml::read_map(file->data);
    if (!values) return Error::wrap("transforming values file", values.error());
  }
  return save_directory(disk, chart, parent, now_ns);
}

}  // namespace pintle::chart
