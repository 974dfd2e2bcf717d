// A chart directory into a list of files: a walk in name order that follows symlinks, honours
// .helmignore and stays inside a budget (helm pkg/chart/v2/loader/directory.go, internal/sympath).
// What the walk found is read when it is over, two files at a time where they are many: opening
// thousands of small files is a fifth of the time an umbrella chart takes. So the walk asks for
// names and types alone, and sizes are looked at as files are read.
#include <algorithm>
#include <atomic>
#include <optional>

#include "base/path.h"
#include "base/strings.h"
#include "chart/ignore.h"
#include "chart/load.h"
#include "sys/disk.h"
#include "sys/together.h"

namespace pintle::chart {
namespace {

constexpr int64_t kMaxChartSize = 100 * 1024 * 1024;
constexpr int64_t kMaxFileSizeHelm3 = 5 * 1024 * 1024;
constexpr size_t kMaxEntries = 500'000;
constexpr size_t kMaxIgnoreFile = 1 << 20;
constexpr size_t kManyFiles = 100;
constexpr std::string_view kBom = "\xef\xbb\xbf";

class Walk {
 public:
  Walk(sys::Disk& disk, const std::string& root, IgnoreRules rules, const LoadOptions& options)
      : disk_(disk), root_(root), rules_(std::move(rules)), options_(options) {}

  // `inside`: the path in the chart; `real`: the same place on the disk, links resolved.
  Status directory(const std::string& inside, const std::string& real);
  // What was found, read. The first error in the walk's order counts.
  Result<std::vector<File>> read();

 private:
  struct Found {
    std::string inside, name;  // the name behind links
  };

  Status entry(const std::string& inside, const std::string& real, const sys::FileInfo& info);
  Status link(const std::string& inside);
  Status file(const std::string& inside, const sys::FileInfo& info);
  Result<sys::SharedBytes> read_one(const Found& found, int64_t room) const;
  static Error over_budget(const std::string& inside) {
    return Error(Code::kResourceExhausted,
                 cat("error reading ", inside, ": chart exceeds maximum decompressed size of ",
                     kMaxChartSize, " bytes"));
  }
  std::string full(const std::string& inside) const {
    return inside.empty() ? root_ : path::join({root_, inside});
  }

  sys::Disk& disk_;
  const std::string root_;
  const IgnoreRules rules_;
  const LoadOptions& options_;
  std::vector<Found> found_;
  std::vector<std::string> open_;  // real paths of the directories being walked
  size_t entries_ = 0;
};

Status Walk::directory(const std::string& inside, const std::string& real) {
  const std::vector<sys::FileInfo> entries = TRY(disk_.read_types(full(inside)));
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
  found_.push_back({inside, info.name});
  return ok();
}

// `room`: what the chart may still hold.
Result<sys::SharedBytes> Walk::read_one(const Found& found, int64_t room) const {
  const std::string name = full(found.inside);
  const int64_t most = options_.helm3 ? std::min(room, kMaxFileSizeHelm3) : room;
  auto bytes = disk_.read_shared(name, static_cast<size_t>(std::max<int64_t>(most, 0)));
  if (bytes) return bytes;
  if (bytes.error().code() != Code::kResourceExhausted) {
    return options_.helm3 ? bytes.error() : Error::wrap("error reading " + found.inside, bytes.error());
  }
  const auto info = disk_.stat(name);
  if (!options_.helm3 || !info || info->size <= kMaxFileSizeHelm3) return over_budget(found.inside);
  return Error(Code::kResourceExhausted,
               cat("chart file ", "\"", found.name, "\"", " is larger than the maximum file size ",
                   kMaxFileSizeHelm3));
}

Result<std::vector<File>> Walk::read() {
  std::vector<std::optional<Result<sys::SharedBytes>>> read(found_.size());
  std::atomic<int64_t> left{kMaxChartSize};
  const auto read_next = [&](size_t i) {
    read[i] = read_one(found_[i], left);
    if (*read[i]) left -= static_cast<int64_t>((*read[i])->view.size());
  };
  if (found_.size() >= kManyFiles) {
    sys::together(found_.size(), read_next);
  } else {
    for (size_t i = 0; i < found_.size(); ++i) read_next(i);
  }
  std::vector<File> files;
  files.reserve(found_.size());
  int64_t budget = kMaxChartSize;
  for (size_t i = 0; i < found_.size(); ++i) {
    Found& found = found_[i];
    if (!*read[i]) read[i] = read_one(found, budget);  // one behind it may have taken the room
    if (!*read[i]) return read[i]->error();
    sys::SharedBytes& bytes = **read[i];
    budget -= static_cast<int64_t>(bytes.view.size());
    if (budget < 0) return over_budget(found.inside);
    if (bytes.view.starts_with(kBom)) bytes.view.remove_prefix(kBom.size());
    files.push_back({std::move(found.inside), FileData(std::move(bytes.owner), bytes.view), bytes.mod_time});
  }
  return files;
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
  const Status walked = walk.directory("", *real);
  auto files = walk.read();
  if (files && !walked) return walked.error();
  return files;
}

}  // namespace pintle::chart
