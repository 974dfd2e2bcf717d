// A chart directory into a list of files: a walk in name order that follows symlinks, honours
// .helmignore and stays inside a budget (helm pkg/chart/v2/loader/directory.go, internal/sympath).
#include <algorithm>

#include "base/path.h"
#include "base/strings.h"
#include "chart/ignore.h"
#include "chart/load.h"
#include "sys/disk.h"

namespace pintle::chart {
namespace {

constexpr int64_t kMaxChartSize = 100 * 1024 * 1024;
constexpr int64_t kMaxFileSizeHelm3 = 5 * 1024 * 1024;
constexpr size_t kMaxEntries = 500'000;
constexpr size_t kMaxIgnoreFile = 1 << 20;
constexpr std::string_view kBom = "\xef\xbb\xbf";

class Walk {
 public:
  Walk(sys::Disk& disk, const std::string& root, IgnoreRules rules, const LoadOptions& options)
      : disk_(disk), root_(root), rules_(std::move(rules)), options_(options) {}

  // `inside`: the path in the chart; `real`: the same place on the disk, links resolved.
  Status directory(const std::string& inside, const std::string& real);
  std::vector<File> take() { return std::move(files_); }

 private:
  Status entry(const std::string& inside, const std::string& real, const sys::FileInfo& info);
  Status link(const std::string& inside);
  Status file(const std::string& inside, const sys::FileInfo& info);
  std::string full(const std::string& inside) const {
    return inside.empty() ? root_ : path::join({root_, inside});
  }

  sys::Disk& disk_;
  const std::string root_;
  const IgnoreRules rules_;
  const LoadOptions& options_;
  std::vector<File> files_;
  std::vector<std::string> open_;  // real paths of the directories being walked
  int64_t budget_ = kMaxChartSize;
  size_t entries_ = 0;
};

Status Walk::directory(const std::string& inside, const std::string& real) {
  const std::vector<sys::FileInfo> entries = TRY(disk_.read_dir(full(inside)));
  entries_ += entries.size();
  if (entries_ > kMaxEntries) {
    return Error(Code::kResourceExhausted,
                 cat("chart has more than the maximum of ", kMaxEntries, " files"));
  }
  open_.push_back(real);
  for (const sys::FileInfo& info : entries) {
    const std::string name = inside.empty() ? info.name : cat(inside, "/", info.name);
    if (info.type == sys::FileType::kSymlink) {
      TRY(link(name));
    } else {
      TRY(entry(name, cat(real, "/", info.name), info));
    }
  }
  open_.pop_back();
  return ok();
}

Status Walk::entry(const std::string& inside, const std::string& real, const sys::FileInfo& info) {
  if (rules_.ignores(inside, info.is_directory())) return ok();
  return info.is_directory() ? directory(inside, real) : file(inside, info);
}

Status Walk::link(const std::string& inside) {
  const std::string name = full(inside);
  const auto evaluating = [&](std::string_view why) {
    return Error(Code::kInvalidArgument, cat("error evaluating symlink ", name, ": ", why));
  };
  const auto resolved = disk_.real_path(name);
  if (!resolved) return evaluating(resolved.error().text());
  if (options_.helm3) {
    options_.log("INFO", cat("walk.go:75: found symbolic link in path: ", name, " resolves to ",
                             *resolved, ". Contents of linked file included and used"));
  } else {
    options_.log("INFO", "found symbolic link in path. Contents of linked file included and used",
                 {{"path", name}, {"resolved", *resolved}});
  }
  const sys::FileInfo info = TRY(disk_.lstat(*resolved));
  for (const std::string& open : open_) {
    if (open == *resolved || open.starts_with(*resolved + "/")) {
      return evaluating("EvalSymlinks: too many links");
    }
  }
  return entry(inside, *resolved, info);
}

Status Walk::file(const std::string& inside, const sys::FileInfo& info) {
  const std::string name = full(inside);
  if (!info.is_regular()) {
    return Error(Code::kInvalidArgument,
                 cat("cannot load irregular file ", name, " as it has file mode type bits set"));
  }
  if (options_.helm3 && info.size > kMaxFileSizeHelm3) {
    return Error(Code::kResourceExhausted,
                 cat("chart file ", "\"", info.name, "\"", " is larger than the maximum file size ",
                     kMaxFileSizeHelm3));
  }
  const auto over_budget = [&] {
    return Error(Code::kResourceExhausted,
                 cat("error reading ", inside, ": chart exceeds maximum decompressed size of ",
                     kMaxChartSize, " bytes"));
  };
  if (info.size > budget_) return over_budget();
  auto data = disk_.read_shared(name, static_cast<size_t>(budget_));
  if (!data) {
    if (data.error().code() == Code::kResourceExhausted) return over_budget();
    return options_.helm3 ? data.error() : Error::wrap("error reading " + inside, data.error());
  }
  budget_ -= static_cast<int64_t>(data->view.size());
  if (data->view.starts_with(kBom)) data->view.remove_prefix(kBom.size());
  files_.push_back({inside, FileData(std::move(data->owner), data->view), info.mod_time});
  return ok();
}

}  // namespace

Result<std::vector<File>> read_directory(sys::Disk& disk, const std::string& path,
                                         const LoadOptions& options) {
  const std::string root = TRY(sys::absolute(disk, path));
  IgnoreRules rules;
  const std::string ignore_file = path::join({root, ".helmignore"});
  if (const auto info = disk.stat(ignore_file)) {
    if (!info->is_regular() && !info->is_directory()) {
      return Error(Code::kInvalidArgument, cat("cannot load irregular file ", ignore_file,
                                               " as it has file mode type bits set"));
    }
    rules = TRY(IgnoreRules::parse(TRY(disk.read_file(ignore_file, kMaxIgnoreFile))));
  }
  const auto real = disk.real_path(root);
  if (!real) return std::vector<File>();  // as Helm: a chart without files, refused later
  Walk walk(disk, root, std::move(rules), options);
  TRY(walk.directory("", *real));
  return walk.take();
}

}  // namespace pintle::chart
