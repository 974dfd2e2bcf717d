// Disk: the file system as rooms see it. sys/testing/fake_disk.h is the in-memory twin.
// Errors carry Go's texts ("open x: no such file or directory") because users see them, and codes
// kNotFound, kPermissionDenied, kAlreadyExists. Thread-safe (no state).
#pragma once

#include <cstdint>
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
};

class Disk {
 public:
  virtual ~Disk() = default;
  // max_bytes: refuses larger files with kResourceExhausted, before reading them whole.
  virtual Result<std::string> read_file(const std::string& path, size_t max_bytes = SIZE_MAX) = 0;
  // Writes beside and renames: never half a file.
  virtual Status write_file(const std::string& path, std::string_view data, uint32_t mode) = 0;
  virtual Status append_file(const std::string& path, std::string_view data, uint32_t mode) = 0;
  virtual Result<FileInfo> stat(const std::string& path) = 0;   // follows links
  virtual Result<FileInfo> lstat(const std::string& path) = 0;
  virtual Result<std::vector<FileInfo>> read_dir(const std::string& path) = 0;  // sorted by name
  virtual Status make_dirs(const std::string& path, uint32_t mode = 0755) = 0;
  virtual Status remove(const std::string& path) = 0;      // a file or an empty directory
  virtual Status remove_all(const std::string& path) = 0;
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  virtual Result<std::string> read_link(const std::string& path) = 0;
  virtual Result<std::string> real_path(const std::string& path) = 0;
};

Disk& real_disk();

}  // namespace pintle::sys
