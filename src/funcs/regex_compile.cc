// Cache: at most 64 patterns a thread, all dropped when full. RE2 may use 8 MiB for each; one that
// needs more (Go allows programs of about 128 MiB) is compiled with 64 MiB and not kept.
#include "funcs/regex_compile.h"

#include <unordered_map>

#include "base/gotext.h"
#include "base/strings.h"

namespace pintle::funcs {
namespace {

constexpr size_t kKept = 64;
constexpr int64_t kMemory = 8 << 20;
constexpr size_t kMaxPattern = size_t{1} << 20;
constexpr int64_t kMuchMemory = 64 << 20;

struct ViewHash {
  using is_transparent = void;
  size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
};

}  // namespace

Result<regex::RegexPtr> compile_regex(std::string_view pattern) {
  thread_local std::unordered_map<std::string, regex::RegexPtr, ViewHash, std::equal_to<>> kept;
  if (auto it = kept.find(pattern); it != kept.end()) return it->second;
  if (pattern.size() > kMaxPattern) {
    return Error("error parsing regexp: expression too large", Code::kResourceExhausted);
  }
  auto compiled = regex::Regex::compile(pattern, kMemory);
  if (!compiled && compiled.error().code() == Code::kResourceExhausted) {
    return regex::Regex::compile(pattern, kMuchMemory);
  }
  if (!compiled) return compiled;
  if (kept.size() >= kKept) kept.clear();
  kept.emplace(pattern, *compiled);
  return compiled;
}

std::string must_compile_panic(std::string_view pattern, const Error& error) {
  bool raw = pattern.find('`') == pattern.npos && valid_utf8(pattern) &&
             pattern.find("\xEF\xBB\xBF") == pattern.npos;
  for (char c : pattern) raw = raw && (c == '\t' || (static_cast<uint8_t>(c) >= ' ' && c != 0x7F));
  std::string shown = raw ? cat('`', pattern, '`') : quote(pattern);
  return cat("regexp: Compile(", shown, "): ", error.text());
}

}  // namespace pintle::funcs
