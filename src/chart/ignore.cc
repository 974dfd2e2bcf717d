#include "chart/ignore.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/path.h"

namespace pintle::chart {
namespace {

constexpr size_t kMaxLine = 64 * 1024;  // bufio.Scanner's buffer
constexpr std::string_view kDefaultRule = "templates/.?*";
constexpr std::string_view kBom = "\xef\xbb\xbf";

}  // namespace

IgnoreRules::IgnoreRules() { (void)add(kDefaultRule); }

Result<IgnoreRules> IgnoreRules::parse(std::string_view text) {
  IgnoreRules out;
  out.rules_.clear();
  if (text.starts_with(kBom)) text.remove_prefix(kBom.size());
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end >= kMaxLine) return Error(Code::kResourceExhausted, "bufio.Scanner: token too long");
    TRY(out.add(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  TRY(out.add(kDefaultRule));
  return out;
}

Status IgnoreRules::add(std::string_view line) {
  line = trim_space(line);
  if (line.empty() || line.starts_with('#')) return ok();
  if (line.find("**") != line.npos) {
    return Error(Code::kInvalidArgument, "double-star (**) syntax is not supported");
  }
  // What this text does not reach is only found, and taken for no match, when files are compared.
  (void)TRY(path::match(line, "abc"));

  Rule rule;
  if (line.starts_with('!')) {
    rule.negated = true;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    rule.directory_only = true;
    line.remove_suffix(1);
  }
  rule.whole_path = line.find('/') != line.npos;
  if (line.starts_with('/')) line.remove_prefix(1);
  rule.pattern = line;
  rules_.push_back(std::move(rule));
  return ok();
}

bool IgnoreRules::ignores(std::string_view path, bool is_directory) const {
  if (path.empty() || path == "." || path == "./") return false;
  for (const Rule& rule : rules_) {
    if (rule.directory_only && !is_directory) {
      if (rule.negated) return true;
      continue;
    }
    const auto matched = path::match(rule.pattern, rule.whole_path ? path : path::base(path));
    if (matched.value_or(false) != rule.negated) return true;
  }
  return false;
}

}  // namespace pintle::chart
