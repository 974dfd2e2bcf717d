#include "chart/save.h"

#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "json/json.h"
#include "sys/disk.h"
#include "sys/gzip.h"
#include "sys/tar.h"

namespace pintle::chart {
namespace {

// Helm puts the same bytes into every archive: an RFC 1952 subfield "rr" of 40 bytes.
constexpr std::string_view kGzipExtra(
    "rr\x28\x00"
    "aHR0cHM6Ly95b3V0dS5iZS96OVV6MWljandyTQo=",
    44);
constexpr std::string_view kGzipComment = "Helm";

Status check_name(const std::string& name) {
  if (path::base(name) == name) return ok();
  return Error(Code::kInvalidArgument, quote(name) + " is not a valid chart name");
}

// v1 charts keep their dependencies in requirements.yaml.
Result<std::string> chart_yaml(const Chart& chart) {
  if (chart.metadata.api_version != "v1") return metadata_yaml(chart.metadata);
  Metadata metadata = chart.metadata;
  metadata.dependencies.clear();
  return metadata_yaml(metadata);
}

Status append_chart(std::string& tar, const Chart& chart, const std::string& prefix,
                    int64_t now_ns) {
  TRY(check_name(chart.name()));
  const std::string root = path::join({prefix, chart.name()});
  const auto add = [&](std::string_view name, std::string_view data, int64_t mod_time) {
    sys::TarEntry entry;
    entry.name = path::join({root, name});
    entry.mode = 0644;
    entry.mod_time = mod_time == kUnknownTime ? now_ns : mod_time;
    entry.data = data;
    return sys::append_tar(tar, entry);
  };
  TRY(add("Chart.yaml", TRY(chart_yaml(chart)), chart.mod_time));
  if (chart.lock && chart.metadata.api_version == "v2") {
    TRY(add("Chart.lock", TRY(lock_yaml(*chart.lock)), chart.lock->generated_ns));
  }
  for (const auto& file : chart.raw) {
    if (file->name == "values.yaml") TRY(add(file->name, file->data, file->mod_time));
  }
  if (chart.has_schema) {
    if (!json::read(chart.schema)) {
      return Error(Code::kInvalidArgument, "invalid JSON in values.schema.json");
    }
    TRY(add("values.schema.json", chart.schema, chart.schema_mod_time));
  }
  for (const auto* list : {&chart.templates, &chart.files}) {
    for (const auto& file : *list) TRY(add(file->name, file->data, file->mod_time));
  }
  for (const auto& child : chart.dependencies) {
    TRY(append_chart(tar, *child, path::join({root, "charts"}), now_ns));
  }
  return ok();
}

}  // namespace

Result<std::string> archive(const Chart& chart, int64_t now_ns) {
  std::string tar;
  TRY(append_chart(tar, chart, "", now_ns));
  sys::finish_tar(tar);
  return sys::gzip(tar, {std::string(kGzipComment), std::string(kGzipExtra)});
}

Result<std::string> save_archive(sys::Disk& disk, Chart& chart, const std::string& directory,
                                 int64_t now_ns) {
  if (const Status valid = validate(chart); !valid) {
    return Error::wrap("chart validation", valid.error());
  }
  std::string file =
      path::join({directory, cat(chart.name(), "-", chart.metadata.version, ".tgz")});
  const std::string parent = path::dir(file);
  if (const auto info = disk.stat(parent); !info) {
    if (info.error().code() != Code::kNotFound) {
      return Error::wrap("stat " + parent, info.error());
    }
    TRY(disk.make_dirs(parent));
  } else if (!info->is_directory()) {
    return Error(Code::kFailedPrecondition, "is not a directory: " + parent);
  }
  TRY(disk.write_file(file, TRY(archive(chart, now_ns)), 0666));
  return file;
}

Status save_directory(sys::Disk& disk, Chart& chart, const std::string& parent, int64_t now_ns) {
  TRY(check_name(chart.name()));
  const std::string root = path::join({parent, chart.name()});
  if (const auto info = disk.stat(root); info && !info->is_directory()) {
    return Error(Code::kAlreadyExists,
                 cat("file ", root, " already exists and is not a directory"));
  }
  TRY(disk.make_dirs(root));
  const auto write = [&](std::string_view name, std::string_view data) -> Status {
    const std::string path = path::join({root, name});
    TRY(disk.make_dirs(path::dir(path)));
    return disk.write_file(path, data, 0644);
  };
  TRY(write("Chart.yaml", TRY(chart_yaml(chart))));
  for (const auto& file : chart.raw) {
    if (file->name == "values.yaml") TRY(write(file->name, file->data));
  }
  if (chart.has_schema) TRY(write("values.schema.json", chart.schema));
  for (const auto* list : {&chart.templates, &chart.files}) {
    for (const auto& file : *list) TRY(write(file->name, file->data));
  }
  for (const auto& child : chart.dependencies) {
    const auto saved = save_archive(disk, *child, path::join({root, "charts"}), now_ns);
    if (!saved) return Error::wrap("saving " + child->full_path(), saved.error());
  }
  return ok();
}

}  // namespace pintle::chart
