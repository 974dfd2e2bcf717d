// MemoryDisk: a Disk in memory. Lint looks at archives through it; tests are run on it.
// Absolute or relative to "/"; no permissions, no devices. Links are kept and followed. Times come
// from `now`, which the owner sets. One thread at a time.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sys/disk.h"

namespace pintle::sys {

class MemoryDisk : public Disk {
 public:
  MemoryDisk();
  int64_t now = 0;  // mod_time of what is written next

  // Creates a file and its directories; CHECKs that it can.
  void add(const std::string& path, std::string_view data, int64_t mod_time = 0);
  // As write_file, without a copy: the file stands for `part` of what `data` holds.
  Status write_shared(const std::string& path, SharedBytes data, uint32_t mode);
  void add_link(const std::string& path, const std::string& target);

  Result<std::string> read_file(const std::string& path, size_t max_bytes = SIZE_MAX) override;
  Result<SharedBytes> read_shared(const std::string& path, size_t max_bytes = SIZE_MAX) override;
  Status write_file(const std::string& path, std::string_view data, uint32_t mode) override;
  Status append_file(const std::string& path, std::string_view data, uint32_t mode) override;
  Result<FileInfo> stat(const std::string& path) override;
  Result<FileInfo> lstat(const std::string& path) override;
  Result<std::vector<FileInfo>> read_dir(const std::string& path) override;
  Status make_dirs(const std::string& path, uint32_t mode = 0755) override;
  Result<std::string> make_temp_dir(const std::string& prefix) override;
  Status remove(const std::string& path) override;
  Status remove_all(const std::string& path) override;
  Status rename(const std::string& from, const std::string& to) override;
  Result<std::string> read_link(const std::string& path) override;
  Result<std::string> real_path(const std::string& path) override;
  Result<std::string> working_dir() override { return std::string("/"); }

 private:
  struct Node {
    FileType type = FileType::kRegular;
    uint32_t mode = 0;
    int64_t mod_time = 0;
    SharedBytes data;  // a link's target
  };
  using Nodes = std::map<std::string, Node, std::less<>>;  // by clean absolute path

  // The clean path with every link followed (`last`: also at the end).
  Result<std::string> resolve(std::string_view op, const std::string& path, bool last) const;
  Result<Nodes::iterator> find(std::string_view op, const std::string& path, bool follow);
  static FileInfo info(const std::string& path, const Node& node);

  Nodes nodes_;
  int temp_dirs_ = 0;
};

}  // namespace pintle::sys
