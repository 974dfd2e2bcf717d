// Disk: the file system as rooms see it; real_disk() is the machine's, MemoryDisk
// (sys/memory_disk.h) lives in memory: for archives looked at as directories, and for tests.
// Errors carry Go's texts ("open x: no such file or directory") because users see them, and codes
// kNotFound, kPermissionDenied, kAlreadyExists, kResourceExhausted. The real disk is thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pintle::sys {

enum class FileType : uint8_t { kRegular, kDirectory, kSymlink, kOther };

struct FileInfo {
  std::string name;
  FileType type = FileType::kOther;
  uint32_t mode = 0;  // permission bits
  int64_t size = 0;
  int64_t mod_time = 0;  // unix nanoseconds

  bool is_directory() const { return type == FileType::kDirectory; }
  bool is_regular() const { return type == FileType::kRegular; }
};

// A file's bytes, and whoever holds them: many files may be parts of one unpacked archive.
struct SharedBytes {
  std::shared_ptr<const std::string> owner;  // shared: by the files of one archive
  std::string_view view;
  int64_t mod_time = 0;  // unix nanoseconds
};

class Disk {
 public:
  virtual ~Disk() = default;
  // max_bytes: refuses larger files with kResourceExhausted, before reading them whole. Pipes and
  // devices are read up to 64 MiB.
  virtual Result<std::string> read_file(const std::string& path, size_t max_bytes = SIZE_MAX) = 0;
  // The same with the time, and without a copy where the disk holds the bytes already.
  virtual Result<SharedBytes> read_shared(const std::string& path, size_t max_bytes = SIZE_MAX) = 0;
  // Never half a file: written beside, then renamed. Follows a symlink, keeps an existing mode.
  virtual Status write_file(const std::string& path, std::string_view data, uint32_t mode) = 0;
  virtual Status append_file(const std::string& path, std::string_view data, uint32_t mode) = 0;
  virtual Result<FileInfo> stat(const std::string& path) = 0;  // follows links
  virtual Result<FileInfo> lstat(const std::string& path) = 0;
  virtual Result<std::vector<FileInfo>> read_dir(const std::string& path) = 0;  // lstat, by name
  // Names and types alone, for whom asking after each of thousands of files takes too long.
  virtual Result<std::vector<FileInfo>> read_types(const std::string& path) { return read_dir(path); }
  virtual Status make_dirs(const std::string& path, uint32_t mode = 0755) = 0;
  virtual Result<std::string> make_temp_dir(const std::string& prefix) = 0;  // os.MkdirTemp("", ..)
  virtual Status remove(const std::string& path) = 0;      // a file or an empty directory
  virtual Status remove_all(const std::string& path) = 0;  // absent: ok; links are not followed
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  virtual Result<std::string> read_link(const std::string& path) = 0;
  virtual Result<std::string> real_path(const std::string& path) = 0;  // filepath.EvalSymlinks
  virtual Result<std::string> working_dir() = 0;
};

Disk& real_disk();

// filepath.Abs and filepath.Glob on any disk. glob: sorted within each directory, errors of the
// disk are no matches. Error: "syntax error in pattern".
Result<std::string> absolute(Disk& disk, const std::string& path);
Result<std::vector<std::string>> glob(Disk& disk, const std::string& pattern);

}  // namespace pintle::sys
