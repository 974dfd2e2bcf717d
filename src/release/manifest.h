// Rendered files -> documents -> hooks and manifests in install or uninstall order
// (helm pkg/release/v1/util), and their text in a release. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/result.h"

namespace pintle::release {

// SplitManifests: the documents of one stream, in order; blank ones dropped. A line starting with
// "---" separates, and what else stands on it belongs to the next document. helm3: only "---"
// followed by white space does, and documents are trimmed at both ends.
std::vector<std::string_view> split_manifests(std::string_view stream, bool helm3 = false);

struct Hook {
  std::string name, kind, path, manifest;
  std::vector<std::string> events;  // "pre-install" ...
  int64_t weight = 0;
  std::vector<std::string> delete_policies, output_log_policies;
};

struct Manifest {
  std::string_view name, content;  // of the file it stands in: its path, a part of its text
  std::string api_version, kind, object_name;
};

enum class Order : uint8_t { kInstall, kUninstall };

struct Sorted {
  std::vector<Hook> hooks;
  std::vector<Manifest> manifests;
};

class HeadsAhead;  // heads_ahead.h

struct RenderedFile {
  std::string path;
  std::string content;
};

// SortManifests: by kind, within a kind by file path and place. `files` in any order; names starting
// with "_" and blank files are passed over. Hooks of unknown events are dropped, with an INFO.
// What is returned points into `files`.
// Error: "YAML parse error on PATH: ...". `ahead` has read some of the files already, or is null.
Result<Sorted> sort_manifests(const std::vector<RenderedFile>& files, Order order,
                              bool helm3 = false, const Log& log = {}, HeadsAhead* ahead = nullptr);
Result<Sorted> sort_manifests(std::vector<RenderedFile>&&, Order, bool, const Log&, HeadsAhead*) = delete;

// Rank of a kind in the order; unknown kinds rank last.
int kind_rank(std::string_view kind, Order order, bool helm3 = false);

bool is_notes(std::string_view path);  // of a NOTES.txt
// Takes every NOTES.txt out of files (sorted by path) and returns CHART/templates/NOTES.txt, or,
// with subcharts, all of them joined by newlines in path order.
std::string take_notes(std::vector<RenderedFile>& files, std::string_view chart_name,
                       bool with_subcharts);

// "---\n# Source: PATH\nCONTENT\n"
void append_source(std::string& out, std::string_view path, std::string_view content);

}  // namespace pintle::release
