#include "chart/load.h"

#include "base/path.h"
#include "base/strings.h"
#include "chart/go_struct.h"
#include "chart/sniff.h"
#include "sys/disk.h"
#include "yaml/yaml.h"

namespace pintle::chart {
namespace {

constexpr size_t kMaxArchiveFile = 256 << 20;
constexpr size_t kMaxChartFile = 100 << 20;

// Which loader a chart is for: v1 and v2 are ours, v3 is an experiment of Helm's that its own
// install, template and package refuse.
Status check_api_version(std::string_view chart_yaml) {
  const auto failed = [](const Error& e) { return Error::wrap("cannot load Chart.yaml", e); };
  const auto tree = yaml::read_exact(chart_yaml);
  if (!tree) return failed(tree.error());
  std::string version;
  GoStruct in("loader");
  in.object(*tree, "chartBase",
            {{"apiVersion", [&](const value::Value& v) { in.text(v, version); }}});
  if (const Status read = in.status(); !read) return failed(read.error());
  if (version.empty() || version == "v1" || version == "v2") return ok();
  if (version == "v3") return Error(Code::kInvalidArgument, "invalid chart apiVersion");
  return Error(Code::kInvalidArgument, "unsupported chart version");
}

Result<std::unique_ptr<Chart>> load_directory(sys::Disk& disk, const std::string& path,
                                              const LoadOptions& options) {
  if (!options.direct && !options.helm3) {
    const std::string file = path::join({TRY(sys::absolute(disk, path)), "Chart.yaml"});
    const auto undetected = [&](std::string_view why) {
      return Error(Code::kNotFound, cat("unable to detect chart at ", file, ": ", why));
    };
    if (const auto info = disk.stat(file); info && info->type == sys::FileType::kOther) {
      return undetected("not a regular file");  // a pipe would keep us waiting
    }
    const auto text = disk.read_file(file, kMaxChartFile);
    if (!text) return undetected(text.error().text());
    TRY(check_api_version(*text));
  }
  return load_files(TRY(read_directory(disk, path, options)), options);
}

Status check_is_archive(const std::string& path, std::string_view data) {
  if (data.starts_with("\x1f\x8b\x08")) return ok();
  const std::string_view type = content_type(data);
  if (path.ends_with(".yml") || path.ends_with(".yaml")) {
    return Error(Code::kInvalidArgument,
                 cat("file '", path, "' seems to be a YAML file, but expected a gzipped archive"));
  }
  return Error(Code::kInvalidArgument,
               cat("file '", path, "' does not appear to be a gzipped archive; got '", type, "'"));
}

Result<std::unique_ptr<Chart>> load_archive_file(sys::Disk& disk, const std::string& path,
                                                 const sys::FileInfo& info,
                                                 const LoadOptions& options) {
  if (!info.is_regular()) {
    return Error(Code::kInvalidArgument,
                 cat("cannot load irregular file ", path, " as it has file mode type bits set"));
  }
  auto data = TRY(disk.read_file(path, kMaxArchiveFile));
  TRY(check_is_archive(path, data));
  auto files = read_archive(data, options);
  std::string().swap(data);  // a large archive is not needed beside its files; assignment keeps it
  if (!files) {
    if (files.error().text() == "gzip: invalid header") {
      return Error(
          Code::kInvalidArgument,
          cat("file '", path,
              "' does not appear to be a valid chart file (details: gzip: invalid header)"));
    }
    // Helm keeps file and reason to itself here; people need them.
    if (options.helm3) return files.error();
    return Error::wrap(cat(options.direct ? "" : "unable to load chart archive: ", "file '", path, "'"),
                       files.error());
  }
  if (!options.direct && !options.helm3) {
    const File* chart_yaml = nullptr;
    for (const File& file : *files) {
      if (file.name == "Chart.yaml") chart_yaml = &file;
    }
    if (!chart_yaml) {
      return Error(Code::kInvalidArgument, "unable to detect chart version, no Chart.yaml found");
    }
    TRY(check_api_version(chart_yaml->data));
  }
  return load_files(std::move(*files), options);
}

}  // namespace

Result<std::unique_ptr<Chart>> load(sys::Disk& disk, const std::string& path,
                                    const LoadOptions& options) {
  const sys::FileInfo info = TRY(disk.stat(path));
  return info.is_directory() ? load_directory(disk, path, options)
                             : load_archive_file(disk, path, info, options);
}

Result<std::unique_ptr<Chart>> load_archive(std::string_view tgz, const LoadOptions& options) {
  return load_files(TRY(read_archive(tgz, options)), options);
}

Status check_chart_directory(sys::Disk& disk, const std::string& path) {
  const sys::FileInfo info = TRY(disk.stat(path));
  const auto failed = [](std::string text) {
    return Error(Code::kInvalidArgument, std::move(text));
  };
  if (!info.is_directory()) return failed(cat("\"", path, "\" is not a directory"));
  const std::string file = path::join({path, "Chart.yaml"});
  const auto there = disk.stat(file);
  if (!there && there.error().code() == Code::kNotFound) {
    return failed(cat("no Chart.yaml exists in directory \"", path, "\""));
  }
  const auto text = disk.read_file(file, kMaxChartFile);
  if (!text) return failed(cat("cannot read Chart.yaml in directory \"", path, "\""));
  const Metadata metadata = TRY(parse_metadata(*text));
  if (metadata.name.empty()) {
    return failed("invalid chart (Chart.yaml): name must not be empty");
  }
  return ok();
}

}  // namespace pintle::chart
