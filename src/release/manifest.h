// Rendered files -> documents -> hooks and manifests in install or uninstall order
// (helm pkg/release/v1/util). Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pintle::release {

// SplitManifests: the documents of one stream, in order (helm3: its older splitter).
std::vector<std::string_view> split_manifests(std::string_view stream, bool helm3 = false);

struct Hook {
  std::string name, kind, path, manifest;
  std::vector<std::string> events;  // "pre-install" ...
  int weight = 0;
  std::vector<std::string> delete_policies, output_log_policies;
};

struct Manifest {
  std::string name;  // file path
  std::string content;
  std::string kind, object_name;
};

enum class Order : uint8_t { kInstall, kUninstall };

struct Sorted {
  std::vector<Hook> hooks;
  std::vector<Manifest> manifests;
};

struct RenderedFile {
  std::string path;
  std::string content;
};

struct SortLog {  // slog INFO lines Helm writes while sorting ("skipping unknown hooks")
  std::vector<std::string> info;
};

// SortManifests. `files` in any order. Error: "YAML parse error on PATH: ...".
Result<Sorted> sort_manifests(std::vector<RenderedFile> files, Order order, bool helm3 = false,
                              SortLog* log = nullptr);

// Rank of a kind in the order; unknown kinds rank last.
int kind_rank(std::string_view kind, Order order);

}  // namespace pintle::release
