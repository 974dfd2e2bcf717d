#include "sys/memory_disk.h"

#include "base/check.h"
#include "base/path.h"

namespace pintle::sys {
namespace {

constexpr int kMaxLinks = 40;

Error fail(std::string_view op, std::string_view path, std::string_view why,
           Code code = Code::kUnknown) {
  std::string text(op);
  text.append(" ").append(path).append(": ").append(why);
  return {code, std::move(text)};
}
Error missing(std::string_view op, std::string_view path) {
  return fail(op, path, "no such file or directory", Code::kNotFound);
}

SharedBytes shared(std::string own) {
  auto owner = std::make_shared<const std::string>(std::move(own));
  const std::string_view view = *owner;
  return {std::move(owner), view};
}

}  // namespace

MemoryDisk::MemoryDisk() {
  Node root;
  root.type = FileType::kDirectory;
  root.mode = 0755;
  nodes_["/"] = root;
}

void MemoryDisk::add(const std::string& path, std::string_view data, int64_t mod_time) {
  now = mod_time;
  CHECK(make_dirs(path::dir(path)).has_value());
  CHECK(write_file(path, data, 0644).has_value());
}

void MemoryDisk::add_link(const std::string& path, const std::string& target) {
  CHECK(make_dirs(path::dir(path)).has_value());
  Node link;
  link.type = FileType::kSymlink;
  link.mode = 0777;
  link.data = shared(target);
  nodes_[path::absolute(path, "/")] = link;
}

Result<std::string> MemoryDisk::resolve(std::string_view op, const std::string& path,
                                        bool last) const {
  if (path.find('\0') != path.npos) return fail(op, path, "invalid argument");
  std::string done, todo = path::absolute(path, "/").substr(1);
  for (int links = 0; !todo.empty();) {
    const size_t slash = std::min(todo.find('/'), todo.size());
    const std::string part = todo.substr(0, slash);
    todo.erase(0, slash + 1);
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      done.erase(std::min(done.rfind('/'), done.size()));
      continue;
    }
    const auto node = nodes_.find(done + "/" + part);
    const bool is_link = node != nodes_.end() && node->second.type == FileType::kSymlink;
    if (is_link && (last || !todo.empty())) {
      if (++links > kMaxLinks) return fail(op, path, "too many levels of symbolic links");
      const std::string target(node->second.data.view);
      if (path::is_abs(target)) done.clear();
      todo = target + "/" + todo;
      continue;
    }
    if (node != nodes_.end() && !todo.empty() && node->second.type != FileType::kDirectory) {
      return fail(op, path, "not a directory");
    }
    done += "/" + part;
  }
  return done.empty() ? "/" : done;
}

Result<MemoryDisk::Nodes::iterator> MemoryDisk::find(std::string_view op, const std::string& path,
                                                     bool follow) {
  const auto node = nodes_.find(TRY(resolve(op, path, follow)));
  if (node == nodes_.end()) return missing(op, path);
  return node;
}

FileInfo MemoryDisk::info(const std::string& path, const Node& node) {
  FileInfo out;
  out.name = path::base(path);
  out.type = node.type;
  out.mode = node.mode;
  out.mod_time = node.mod_time;
  out.size = static_cast<int64_t>(node.data.view.size());
  return out;
}

Result<std::string> MemoryDisk::read_file(const std::string& path, size_t max_bytes) {
  return std::string(TRY(read_shared(path, max_bytes)).view);
}

Result<SharedBytes> MemoryDisk::read_shared(const std::string& path, size_t max_bytes) {
  const Node& node = TRY(find("open", path, true))->second;
  if (node.type == FileType::kDirectory) return fail("read", path, "is a directory");
  if (node.data.view.size() > max_bytes) {
    return fail("read", path, "file too large", Code::kResourceExhausted);
  }
  return SharedBytes{node.data.owner, node.data.view, node.mod_time};
}

Status MemoryDisk::write_file(const std::string& path, std::string_view data, uint32_t mode) {
  return write_shared(path, shared(std::string(data)), mode);
}

Status MemoryDisk::write_shared(const std::string& path, SharedBytes data, uint32_t mode) {
  const std::string real = TRY(resolve("open", path, true));
  const auto parent = nodes_.find(path::dir(real));
  if (parent == nodes_.end()) return missing("open", path);
  if (parent->second.type != FileType::kDirectory) return fail("open", path, "not a directory");
  const auto [node, is_new] = nodes_.try_emplace(real);
  if (node->second.type == FileType::kDirectory) return fail("open", path, "is a directory");
  if (is_new) node->second.mode = mode;
  node->second.data = std::move(data);
  node->second.mod_time = now;
  return ok();
}

Status MemoryDisk::append_file(const std::string& path, std::string_view data, uint32_t mode) {
  std::string all = read_file(path).value_or("");
  all += data;
  return write_file(path, all, mode);
}

Result<FileInfo> MemoryDisk::stat(const std::string& path) {
  return info(path, TRY(find("stat", path, true))->second);
}

Result<FileInfo> MemoryDisk::lstat(const std::string& path) {
  return info(path, TRY(find("lstat", path, false))->second);
}

Result<std::vector<FileInfo>> MemoryDisk::read_dir(const std::string& path) {
  const auto node = TRY(find("open", path, true));
  if (node->second.type != FileType::kDirectory) return fail("open", path, "not a directory");
  const std::string prefix = node->first == "/" ? "/" : node->first + "/";
  std::vector<FileInfo> entries;
  for (auto it = nodes_.upper_bound(prefix); it != nodes_.end() && it->first.starts_with(prefix);
       ++it) {
    if (it->first.find('/', prefix.size()) == std::string::npos) {
      entries.push_back(info(it->first, it->second));
    }
  }
  return entries;
}

Status MemoryDisk::make_dirs(const std::string& path, uint32_t mode) {
  if (const auto there = stat(path)) {
    return there->is_directory() ? ok() : Status(fail("mkdir", path, "not a directory"));
  }
  const std::string parent = path::dir(path);
  if (parent != "." && parent != "/") TRY(make_dirs(parent, mode));
  Node& node = nodes_[TRY(resolve("mkdir", path, true))];
  node.type = FileType::kDirectory;
  node.mode = mode;
  node.mod_time = now;
  return ok();
}

Result<std::string> MemoryDisk::make_temp_dir(const std::string& prefix) {
  const std::string path = "/tmp/" + prefix + std::to_string(++temp_dirs_);
  TRY(make_dirs(path, 0700));
  return path;
}

Status MemoryDisk::remove(const std::string& path) {
  const auto node = TRY(find("remove", path, false));
  const bool directory = node->second.type == FileType::kDirectory;
  if (directory && !TRY(read_dir(node->first)).empty()) {
    return fail("remove", path, "directory not empty", Code::kAlreadyExists);
  }
  nodes_.erase(node);
  return ok();
}

Status MemoryDisk::remove_all(const std::string& path) {
  const std::string real = TRY(resolve("unlinkat", path, false));
  nodes_.erase(real);
  const std::string prefix = real + "/";
  auto it = nodes_.lower_bound(prefix);
  while (it != nodes_.end() && it->first.starts_with(prefix)) it = nodes_.erase(it);
  return ok();
}

Status MemoryDisk::rename(const std::string& from, const std::string& to) {
  const std::string both = from + " " + to;
  const auto source = resolve("rename", from, false);
  const std::string target = TRY(resolve("rename", to, false));
  if (!source || !nodes_.contains(*source) || !nodes_.contains(path::dir(target))) {
    return missing("rename", both);
  }
  Nodes moved;
  for (auto it = nodes_.lower_bound(*source); it != nodes_.end();) {
    const bool inside = it->first == *source || it->first.starts_with(*source + "/");
    if (!inside && !it->first.starts_with(*source)) break;
    if (!inside) {
      ++it;
      continue;
    }
    moved[target + it->first.substr(source->size())] = std::move(it->second);
    it = nodes_.erase(it);
  }
  for (auto& [path, node] : moved) nodes_[path] = std::move(node);
  return ok();
}

Result<std::string> MemoryDisk::read_link(const std::string& path) {
  const Node& node = TRY(find("readlink", path, false))->second;
  if (node.type != FileType::kSymlink) return fail("readlink", path, "invalid argument");
  return std::string(node.data.view);
}

Result<std::string> MemoryDisk::real_path(const std::string& path) {
  return TRY(find("lstat", path, true))->first;
}

}  // namespace pintle::sys
