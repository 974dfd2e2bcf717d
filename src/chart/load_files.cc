// A list of files into a chart: which file plays which part (helm pkg/chart/v2/loader/load.go).
#include <algorithm>
#include <map>
#include <optional>

#include "base/path.h"
#include "base/strings.h"
#include "chart/documents.h"
#include "chart/load.h"
#include "chart/values.h"
#include "sys/process.h"
#include "yaml/yaml.h"

namespace pintle::chart {
namespace {

constexpr int kMaxDepth = 32;  // archives inside archives, directories too
// Of all files, those in archives inside archives included: they are held at once.
constexpr size_t kMaxFiles = 128 << 20;

// What the process may hold after it has read large values: each alone is bounded (yaml/yaml.h), but
// there may be many. A chart of 400 subcharts takes 40 MiB.
constexpr size_t kLargeValues = 64 << 10, kMaxMemory = size_t{160} << 20;

Status check_memory(std::string_view read) {
  if (read.size() < kLargeValues || sys::resident_memory() <= kMaxMemory) return ok();
  return Error(Code::kResourceExhausted, "values are larger than the maximum size");
}

// By name in charts/: the files of a subchart's directory, or its one archive.
using Subcharts = std::map<std::string, std::vector<File>>;

class Loader {
 public:
  explicit Loader(const LoadOptions& options) : options_(options) {}

  Status count(const std::vector<File>& files);
  Result<std::unique_ptr<Chart>> chart(std::vector<File> files, int depth);

 private:
  Status role(Chart& chart, File file, Subcharts& subcharts);
  Status requirements(Chart& chart, const File& file);
  Result<std::unique_ptr<Chart>> subchart(const std::string& name, std::vector<File> files,
                                          int depth);
  static std::shared_ptr<const File> keep(Chart& chart, File file) {
    return chart.raw.emplace_back(std::make_shared<const File>(std::move(file)));
  }

  const LoadOptions& options_;
  size_t left_ = kMaxFiles;
};

Status Loader::count(const std::vector<File>& files) {
  for (const File& file : files) {
    if (file.data.size() > left_) {
      return Error(Code::kResourceExhausted,
                   cat("chart and subcharts are larger than the maximum size ", kMaxFiles));
    }
    left_ -= file.data.size();
  }
  return ok();
}

Status Loader::requirements(Chart& chart, const File& file) {
  // Helm 2 charts keep their dependencies here.
  const bool lock = file.name == "requirements.lock";
  const auto failed = [&](const Error& e) { return Error::wrap("cannot load " + file.name, e); };
  const auto warn = [&] {
    if (chart.metadata.api_version == "v1") return;
    options_.log("INFO",
                 lock ? "Warning: Dependency locking is handled in Chart.lock since apiVersion "
                        "\"v2\". We recommend migrating to Chart.lock."
                      : "Warning: Dependencies are handled in Chart.yaml since apiVersion \"v2\". "
                        "We recommend migrating dependencies to Chart.yaml.");
  };
  if (lock) {
    auto parsed = parse_lock(file.data);
    if (!parsed) return failed(parsed.error());
    chart.lock = std::move(*parsed);
    warn();
    return ok();
  }
  warn();
  const Status parsed = parse_metadata_into(file.data, chart.metadata);
  if (!parsed) return failed(parsed.error());
  chart.has_metadata = true;
  return ok();
}

Status Loader::role(Chart& chart, File file, Subcharts& subcharts) {
  const std::string& name = file.name;
  if (name == "Chart.yaml") {
    keep(chart, std::move(file));
  } else if (name == "Chart.lock") {
    auto lock = parse_lock(file.data);
    if (!lock) return Error::wrap("cannot load Chart.lock", lock.error());
    chart.lock = std::move(*lock);
    keep(chart, std::move(file));
  } else if (name == "values.yaml") {
    auto values = load_values(file.data, options_.helm3);
    if (!values) return Error::wrap("cannot load values.yaml", values.error());
    chart.values = std::move(*values);
    keep(chart, std::move(file));
  } else if (name == "values.schema.json") {
    chart.schema = std::string(file.data.view());
    chart.has_schema = true;
    chart.schema_mod_time = file.mod_time;
    keep(chart, std::move(file));
  } else if (name == "requirements.yaml" || name == "requirements.lock") {
    TRY(requirements(chart, file));
    auto kept = keep(chart, std::move(file));
    if (chart.metadata.api_version == "v1") chart.files.push_back(std::move(kept));
  } else if (name.starts_with("templates/")) {
    chart.templates.push_back(keep(chart, std::move(file)));
  } else if (name.starts_with("charts/") && path::ext(name) != ".prov") {
    const size_t start = sizeof("charts/") - 1;
    const std::string child = name.substr(start, name.find('/', start) - start);
    file.name.erase(0, start);
    subcharts[child].push_back(std::move(file));
  } else {
    chart.files.push_back(keep(chart, std::move(file)));
  }
  return ok();
}

Result<std::unique_ptr<Chart>> Loader::chart(std::vector<File> files, int depth) {
  if (depth > kMaxDepth) {
    return Error(Code::kResourceExhausted, cat("charts nested deeper than ", kMaxDepth, " levels"));
  }
  auto chart = std::make_unique<Chart>();
  for (const File& file : files) {
    if (file.name != "Chart.yaml") continue;
    chart->has_metadata = true;
    const Status parsed = parse_metadata_into(file.data, chart->metadata);
    if (!parsed) return Error::wrap("cannot load Chart.yaml", parsed.error());
    if (chart->metadata.api_version.empty()) chart->metadata.api_version = "v1";
    chart->mod_time = file.mod_time;
  }
  Subcharts subcharts;
  for (File& file : files) TRY(role(*chart, std::move(file), subcharts));
  if (!chart->has_metadata) {
    return Error(Code::kInvalidArgument, "Chart.yaml file is missing");
  }
  TRY(validate(*chart));
  for (auto& [name, children] : subcharts) {
    if (name.starts_with('_') || name.starts_with('.')) continue;
    if (path::ext(name) == ".tgz" && children[0].name != name) {
      return Error(Code::kInvalidArgument, cat("error unpacking subchart tar in ", chart->name(),
                                               ": expected ", name, ", got ", children[0].name));
    }
    auto child = subchart(name, std::move(children), depth);
    if (!child) {
      return Error::wrap(cat("error unpacking subchart ", name, " in ", chart->name()),
                         child.error());
    }
    chart->add_dependency(std::move(*child));
  }
  return chart;
}

Result<std::unique_ptr<Chart>> Loader::subchart(const std::string& name, std::vector<File> files,
                                                int depth) {
  if (path::ext(name) == ".tgz") {
    std::vector<File> inner = TRY(read_archive(files[0].data, options_, left_));
    files.clear();
    TRY(count(inner));
    return chart(std::move(inner), depth + 1);
  }
  // What lies in charts/ without being in a directory there is no chart.
  std::vector<File> inner;
  for (File& file : files) {
    const size_t slash = file.name.find('/');
    if (slash == file.name.npos) continue;
    file.name.erase(0, slash + 1);
    inner.push_back(std::move(file));
  }
  return chart(std::move(inner), depth + 1);
}

}  // namespace

Result<std::unique_ptr<Chart>> load_files(std::vector<File> files, const LoadOptions& options) {
  if (options.read) options.read(files);
  Loader loader(options);
  TRY(loader.count(files));
  return loader.chart(std::move(files), 0);
}

Result<value::Value> load_values(std::string_view text, bool helm3) {
  if (helm3) {
    auto map = yaml::read_map(text);
    TRY(check_memory(text));
    return map;
  }
  std::optional<value::Value> merged;
  const auto merge = [&](std::string_view document) -> Status {
    const auto map = yaml::read_map(document);
    if (!map) return Error::wrap("cannot unmarshal yaml document", map.error());
    TRY(check_memory(document));
    merged = merged ? merge_maps(*merged, *map) : *map;
    return ok();
  };
  TRY(each_document(text, merge, "error reading yaml document: "));
  return merged ? *merged : value::Value::map(value::make_map());
}

}  // namespace pintle::chart
