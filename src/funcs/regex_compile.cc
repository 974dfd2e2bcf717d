// Go's regexp/syntax descends from RE2, so RE2 accepts and matches the same language, but for:
// (?<name>...), which this version of RE2 does not know yet and gets as (?P<name>...); \C, which Go
// refuses; and the wording of errors, which is mapped here.
//
// Cache: at most 64 patterns a thread, all dropped when full. RE2 may use 8 MiB for each; one that
// needs more (Go allows programs of about 128 MiB) is compiled with 64 MiB and not kept.
#include "funcs/regex_compile.h"

#include <re2/re2.h>

#include <unordered_map>

#include "base/gotext.h"
#include "base/strings.h"

namespace pintle::funcs {

namespace {

using Regex = std::shared_ptr<const re2::RE2>;

constexpr size_t kKept = 64;
constexpr int64_t kMemory = 8 << 20;
constexpr int64_t kMuchMemory = 64 << 20;

struct Rewritten {
  std::string pattern;
  bool named = false;     // a (?<name> became (?P<name>
  bool any_byte = false;  // \C stands outside quotes and classes
};

// Goes over the pattern as a parser does: escapes, \Q...\E and classes hide what they hold.
Rewritten rewrite(std::string_view s) {
  Rewritten out;
  bool in_class = false;
  for (size_t i = 0; i < s.size(); ++i) {
    char c = s[i];
    if (c == '\\' && i + 1 < s.size()) {
      if (s[i + 1] == 'Q' && !in_class) {
        size_t end = std::min(s.find("\\E", i + 2), s.size());
        out.pattern.append(s.substr(i, end - i));
        i = end - 1;
        continue;
      }
      if (s[i + 1] == 'C' && !in_class) out.any_byte = true;
      out.pattern.append(s.substr(i++, 2));
      continue;
    }
    out.pattern.push_back(c);
    if (in_class) {
      if (c == ']') in_class = false;
    } else if (c == '[') {
      in_class = true;
      // A ']' right behind '[' or '[^' is an ordinary member.
      if (i + 1 < s.size() && s[i + 1] == '^') out.pattern.push_back(s[++i]);
      if (i + 1 < s.size() && s[i + 1] == ']') out.pattern.push_back(s[++i]);
    } else if (c == '(' && s.substr(i + 1, 2) == "?<" && i + 3 < s.size() && s[i + 3] != '=' &&
               s[i + 3] != '!') {
      out.pattern.append("?P<");
      out.named = true;
      i += 2;
    }
  }
  return out;
}

std::string_view go_wording(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape: return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass: return "invalid character class";
    case re2::RE2::ErrorBadCharRange: return "invalid character class range";
    case re2::RE2::ErrorMissingBracket: return "missing closing ]";
    case re2::RE2::ErrorMissingParen: return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen: return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash: return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument: return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize: return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp: return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp: return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8: return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture: return "invalid named capture";
    default: return "expression too large";
  }
}

Error syntax_error(std::string_view what, std::string_view part) {
  return Error(cat("error parsing regexp: ", what, ": `", part, "`"));
}

Error go_error(std::string_view pattern, const re2::RE2& re, bool named) {
  std::string_view what = go_wording(re.error_code());
  std::string part = re.error_arg();
  if (named) part = replace_all(part, "(?P<", "(?<");
  switch (re.error_code()) {
    case re2::RE2::ErrorBadUTF8:
    case re2::RE2::ErrorMissingParen: part = pattern; break;  // Go shows all of it
    case re2::RE2::ErrorTrailingBackslash: part = ""; break;
    case re2::RE2::ErrorPatternTooLarge: part = pattern; break;
    default: break;
  }
  return syntax_error(what, part);
}

Regex build(const std::string& pattern, int64_t memory) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(memory);
  return std::make_shared<const re2::RE2>(pattern, options);
}

struct ViewHash {
  using is_transparent = void;
  size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
};

}  // namespace

Result<Regex> compile_regex(std::string_view pattern) {
  thread_local std::unordered_map<std::string, Regex, ViewHash, std::equal_to<>> kept;
  if (auto it = kept.find(pattern); it != kept.end()) return it->second;
  if (!valid_utf8(pattern)) return syntax_error("invalid UTF-8", pattern);
  Rewritten r = rewrite(pattern);
  Regex re = build(r.pattern, kMemory);
  bool keep = true;
  if (re->error_code() == re2::RE2::ErrorPatternTooLarge) {
    re = build(r.pattern, kMuchMemory);
    keep = false;
  }
  if (!re->ok()) return go_error(pattern, *re, r.named);
  if (r.any_byte) return syntax_error("invalid escape sequence", "\\C");
  if (keep) {
    if (kept.size() >= kKept) kept.clear();
    kept.emplace(pattern, re);
  }
  return re;
}

std::string must_compile_panic(std::string_view pattern, const Error& error) {
  bool raw = pattern.find('`') == pattern.npos && valid_utf8(pattern) &&
             pattern.find("\xEF\xBB\xBF") == pattern.npos;
  for (char c : pattern) raw = raw && (c == '\t' || (static_cast<uint8_t>(c) >= ' ' && c != 0x7F));
  std::string shown = raw ? cat('`', pattern, '`') : quote(pattern);
  return cat("regexp: Compile(", shown, "): ", error.text());
}

}  // namespace pintle::funcs
