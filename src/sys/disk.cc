#include "sys/disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>

#include "base/path.h"
#include "sys/descriptor.h"

namespace pintle::sys {
namespace {

constexpr size_t kMaxStream = 64 << 20;  // of a pipe or device
constexpr int kMaxLinks = 255;           // filepath.EvalSymlinks

int64_t mod_time_of(const struct stat& st) {
  return int64_t{st.st_mtim.tv_sec} * 1'000'000'000 + st.st_mtim.tv_nsec;
}

FileInfo to_info(std::string name, const struct stat& st) {
  FileInfo info;
  info.name = std::move(name);
  if (S_ISREG(st.st_mode)) {
    info.type = FileType::kRegular;
  } else if (S_ISDIR(st.st_mode)) {
    info.type = FileType::kDirectory;
  } else if (S_ISLNK(st.st_mode)) {
    info.type = FileType::kSymlink;
  }
  info.mode = st.st_mode & 0777;
  info.size = st.st_size;
  info.mod_time = mod_time_of(st);
  return info;
}

bool has_nul(const std::string& path) { return path.find('\0') != path.npos; }

class RealDisk : public Disk {
 public:
  Result<std::string> read_file(const std::string& path, size_t max_bytes) override {
    struct stat st{};
    return read_all(path, max_bytes, st);
  }

  Result<SharedBytes> read_shared(const std::string& path, size_t max_bytes) override {
    struct stat st{};
    auto owner = std::make_shared<const std::string>(TRY(read_all(path, max_bytes, st)));
    const std::string_view view = *owner;
    return SharedBytes{std::move(owner), view, mod_time_of(st)};
  }

  static Result<std::string> read_all(const std::string& path, size_t max_bytes, struct stat& st) {
    if (has_nul(path)) return path_error("open", path, EINVAL);
    const Fd fd(retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
    if (!fd.ok()) return path_error("open", path, errno);
    if (::fstat(fd.get(), &st) < 0) return path_error("stat", path, errno);
    if (!S_ISREG(st.st_mode)) max_bytes = std::min(max_bytes, kMaxStream);
    if (S_ISREG(st.st_mode) && static_cast<uint64_t>(st.st_size) > max_bytes) {
      return path_error("read", path, EFBIG);
    }
    // One byte more than promised, so that the end is seen without a second allocation. Files in
    // /proc promise nothing.
    std::string data;
    data.resize(std::max<size_t>(static_cast<size_t>(st.st_size) + 1, 512));
    const size_t most = max_bytes == SIZE_MAX ? max_bytes : max_bytes + 1;
    size_t used = 0;
    for (;;) {
      if (used == data.size()) data.resize(std::min(data.size() * 2, most));
      const ssize_t n = retry([&] { return ::read(fd.get(), &data[used], data.size() - used); });
      if (n < 0) return path_error("read", path, errno);
      if (n == 0) break;
      used += static_cast<size_t>(n);
      if (used > max_bytes) return path_error("read", path, EFBIG);
      // All that was promised, and less than was asked for: the end.
      if (S_ISREG(st.st_mode) && used == static_cast<size_t>(st.st_size) && used < data.size()) break;
    }
    data.resize(used);
    return data;
  }

  Status write_file(const std::string& path, std::string_view data, uint32_t mode) override {
    if (has_nul(path)) return path_error("open", path, EINVAL);
    struct stat st{};
    const bool exists = ::stat(path.c_str(), &st) == 0;
    std::string target = path;
    if (exists) {
      char resolved[PATH_MAX];
      if (::realpath(path.c_str(), resolved)) target = resolved;
    }
    // Devices, pipes, dangling links, and directories we may not write to take no rename.
    const bool whole = exists ? S_ISREG(st.st_mode) : ::lstat(path.c_str(), &st) < 0;
    if (whole) {
      static std::atomic<uint32_t> serial{0};
      const std::string beside =
          target + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(++serial);
      const Fd fd(retry(
          [&] { return ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode); }));
      if (fd.ok()) {
        int failed = write_all(fd.get(), data);
        if (!failed && exists && ::fchmod(fd.get(), st.st_mode & 07777) < 0) failed = errno;
        if (!failed && ::rename(beside.c_str(), target.c_str()) < 0) failed = errno;
        if (failed) ::unlink(beside.c_str());
        return failed ? Status(path_error("write", path, failed)) : ok();
      }
      if (errno != EACCES || !exists) return path_error("open", path, errno);
    }
    return write_in_place(path, data, mode, O_TRUNC);
  }

  Status append_file(const std::string& path, std::string_view data, uint32_t mode) override {
    return write_in_place(path, data, mode, O_APPEND);
  }

  Result<FileInfo> stat(const std::string& path) override {
    struct stat st{};
    if (has_nul(path)) return path_error("stat", path, EINVAL);
    if (::stat(path.c_str(), &st) < 0) return path_error("stat", path, errno);
    return to_info(std::string(path::base(path)), st);
  }

  Result<FileInfo> lstat(const std::string& path) override {
    struct stat st{};
    if (has_nul(path)) return path_error("lstat", path, EINVAL);
    if (::lstat(path.c_str(), &st) < 0) return path_error("lstat", path, errno);
    return to_info(std::string(path::base(path)), st);
  }

  Result<std::vector<FileInfo>> read_dir(const std::string& path) override {
    return entries_of(path, false);
  }

  Result<std::vector<FileInfo>> read_types(const std::string& path) override {
    return entries_of(path, true);
  }

  static Result<std::vector<FileInfo>> entries_of(const std::string& path, bool types_only) {
    if (has_nul(path)) return path_error("open", path, EINVAL);
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* dir = fd < 0 ? nullptr : ::fdopendir(fd);
    if (!dir) {
      const int code = errno;
      if (fd >= 0) ::close(fd);
      return path_error("open", path, code);
    }
    std::vector<FileInfo> entries;
    errno = 0;
    while (const dirent* entry = ::readdir(dir)) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (types_only && (entry->d_type == DT_REG || entry->d_type == DT_DIR)) {
        FileInfo& info = entries.emplace_back();
        info.name = name;
        info.type = entry->d_type == DT_REG ? FileType::kRegular : FileType::kDirectory;
        continue;
      }
      struct stat st{};
      // Gone between the two calls: not there.
      if (::fstatat(::dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        entries.push_back(to_info(std::string(name), st));
      }
      errno = 0;
    }
    const int code = errno;
    ::closedir(dir);
    if (code) return path_error("readdirent", path, code);
    std::sort(entries.begin(), entries.end(),
              [](const FileInfo& a, const FileInfo& b) { return a.name < b.name; });
    return entries;
  }

  Status make_dirs(const std::string& path, uint32_t mode) override {
    if (has_nul(path)) return path_error("mkdir", path, EINVAL);
    struct stat st{};
    if (::stat(path.c_str(), &st) == 0) {
      return S_ISDIR(st.st_mode) ? ok() : Status(path_error("mkdir", path, ENOTDIR));
    }
    const size_t end = path.find_last_not_of('/');
    const size_t slash = end == path.npos ? path.npos : path.rfind('/', end);
    if (slash != path.npos && slash > 0) TRY(make_dirs(path.substr(0, slash), mode));
    if (::mkdir(path.c_str(), mode) < 0) {
      const int code = errno;
      if (::lstat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode)) return ok();
      return path_error("mkdir", path, code);
    }
    return ok();
  }

  Result<std::string> make_temp_dir(const std::string& prefix) override {
    const char* root = ::getenv("TMPDIR");
    std::string path = path::join({root && *root ? root : "/tmp", prefix + "XXXXXX"});
    if (!::mkdtemp(path.data())) return path_error("mkdir", path, errno);
    return path;
  }

  Status remove(const std::string& path) override {
    if (has_nul(path)) return path_error("remove", path, EINVAL);
    if (::unlink(path.c_str()) == 0 || ::rmdir(path.c_str()) == 0) return ok();
    int code = errno;
    if (code == ENOTDIR) {  // rmdir of a file says nothing; unlink's reason counts
      ::unlink(path.c_str());
      code = errno;
    }
    return path_error("remove", path, code);
  }

  Status remove_all(const std::string& path) override {
    if (has_nul(path)) return path_error("unlinkat", path, EINVAL);
    struct stat st{};
    if (::lstat(path.c_str(), &st) < 0) {
      return errno == ENOENT || errno == ENOTDIR ? ok() : Status(path_error("lstat", path, errno));
    }
    if (S_ISDIR(st.st_mode)) {
      for (const FileInfo& entry : TRY(read_dir(path))) TRY(remove_all(path + "/" + entry.name));
    }
    if ((S_ISDIR(st.st_mode) ? ::rmdir(path.c_str()) : ::unlink(path.c_str())) < 0 &&
        errno != ENOENT) {
      return path_error("unlinkat", path, errno);
    }
    return ok();
  }

  Status rename(const std::string& from, const std::string& to) override {
    if (has_nul(from) || has_nul(to)) return path_error("rename", from + " " + to, EINVAL);
    if (::rename(from.c_str(), to.c_str()) == 0) return ok();
    return path_error("rename", from + " " + to, errno);
  }

  Result<std::string> read_link(const std::string& path) override {
    char target[PATH_MAX];
    if (has_nul(path)) return path_error("readlink", path, EINVAL);
    const ssize_t n = ::readlink(path.c_str(), target, sizeof target);
    if (n < 0) return path_error("readlink", path, errno);
    return std::string(target, static_cast<size_t>(n));
  }

  Result<std::string> real_path(const std::string& path) override;

  Result<std::string> working_dir() override {
    char buffer[PATH_MAX];
    if (!::getcwd(buffer, sizeof buffer)) {
      return errno_error("getwd", errno);
    }
    return std::string(buffer);
  }

 private:
  static Status write_in_place(const std::string& path, std::string_view data, uint32_t mode,
                               int flags) {
    if (has_nul(path)) return path_error("open", path, EINVAL);
    const Fd fd(
        retry([&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, mode); }));
    if (!fd.ok()) return path_error("open", path, errno);
    if (const int failed = write_all(fd.get(), data)) return path_error("write", path, failed);
    return ok();
  }
};

Result<std::string> RealDisk::real_path(const std::string& path) {
  // Component by component, so that errors name the place and relative paths stay relative.
  std::string done = path.starts_with('/') ? "/" : "";
  std::string todo = path;
  for (int links = 0; !todo.empty();) {
    const size_t slash = std::min(todo.find('/'), todo.size());
    const std::string part = todo.substr(0, slash);
    todo.erase(0, slash + 1);
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      const std::string last(path::base(done));
      if (done.empty() || last == "..") {
        done = path::join({done, "..", ""});
        if (done == ".") done = "..";
      } else {
        done = path::dir(done);
        if (done == ".") done.clear();
      }
      continue;
    }
    const std::string next = done.empty() || done == "/" ? done + part : done + "/" + part;
    const FileInfo info = TRY(lstat(next));
    if (info.type != FileType::kSymlink) {
      if (!info.is_directory() && !todo.empty()) return path_error("lstat", next, ENOTDIR);
      done = next;
      continue;
    }
    if (++links > kMaxLinks) return Error("EvalSymlinks: too many links");
    const std::string target = TRY(read_link(next));
    if (target.starts_with('/')) done = "/";
    todo = todo.empty() ? target : target + "/" + todo;
  }
  return path::clean(done);
}

}  // namespace

Disk& real_disk() {
  static RealDisk disk;
  return disk;
}

Result<std::string> absolute(Disk& disk, const std::string& path) {
  if (path::is_abs(path)) return path::clean(path);
  return path::absolute(path, TRY(disk.working_dir()));
}

Result<std::vector<std::string>> glob(Disk& disk, const std::string& pattern) {
  (void)TRY(path::match(pattern, ""));
  std::vector<std::string> found;
  if (pattern.find_first_of("*?[\\") == pattern.npos) {
    if (disk.lstat(pattern)) found.push_back(pattern);
    return found;
  }
  const size_t slash = pattern.rfind('/');
  const std::string_view leaf =
      std::string_view(pattern).substr(slash == pattern.npos ? 0 : slash + 1);
  std::string parent = slash == pattern.npos ? "." : pattern.substr(0, std::max<size_t>(slash, 1));
  std::vector<std::string> parents;
  if (parent.find_first_of("*?[\\") == parent.npos) {
    parents.push_back(parent);
  } else if (parent != pattern) {
    parents = TRY(glob(disk, parent));
  }
  for (const std::string& directory : parents) {
    const auto entries = disk.read_dir(directory);
    if (!entries) continue;
    for (const FileInfo& entry : *entries) {
      if (TRY(path::match(leaf, entry.name))) found.push_back(path::join({directory, entry.name}));
    }
  }
  return found;
}

}  // namespace pintle::sys
