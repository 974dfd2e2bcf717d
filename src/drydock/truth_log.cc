#include "drydock/truth_log.h"

#include <algorithm>

#include "base/strings.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

constexpr size_t kBlockBytes = 1 << 20;
constexpr size_t kMaxBlocks = 256;

void append_member(std::string& out, std::string_view name, std::string_view text) {
  append(out, {",\"", name, "\":"});
  json::append_string(out, text, false);
}

// The version a line starts with: {"resourceVersion":"7",...
uint64_t version_of(std::string_view line) {
  constexpr std::string_view kHead = "{\"resourceVersion\":\"";
  uint64_t version = 0;
  std::from_chars(line.data() + kHead.size(), line.data() + line.size(), version);
  return version;
}

}  // namespace

void TruthLog::append(uint64_t resource_version, std::string_view type, const Key& key) {
  const Lock hold(lock_);
  if (blocks_.empty() || blocks_.back().lines.size() >= kBlockBytes) {
    blocks_.push_back({.first = resource_version, .last = 0, .lines = {}});
    if (blocks_.size() > kMaxBlocks) {
      dropped_ = blocks_.front().last;
      blocks_.pop_front();
    }
  }
  Block& block = blocks_.back();
  block.last = resource_version;
  block.lines += cat("{\"resourceVersion\":\"", resource_version, '"');
  append_member(block.lines, "type", type);
  append_member(block.lines, "group", key.group);
  append_member(block.lines, "resource", key.plural);
  append_member(block.lines, "namespace", key.ns);
  append_member(block.lines, "name", key.name);
  block.lines += "}\n";
}

Result<std::string> TruthLog::read(uint64_t since, size_t max_bytes) const {
  const Lock hold(lock_);
  if (since < dropped_) {
    return Error(Code::kOutOfRange, cat("the log starts behind version ", dropped_));
  }
  std::string out;
  auto block = std::ranges::partition_point(blocks_, [&](const Block& b) { return b.last <= since; });
  for (; block != blocks_.end(); ++block) {
    std::string_view rest = block->lines;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n') + 1);
      rest.remove_prefix(line.size());
      if (version_of(line) <= since) continue;
      if (!out.empty() && out.size() + line.size() > max_bytes) return out;
      out += line;
    }
  }
  return out;
}

}  // namespace pintle::drydock
