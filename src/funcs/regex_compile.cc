// Go's regexp/syntax descends from RE2, so RE2 accepts and matches the same language, but for:
// (?<name>...), which this version of RE2 does not know yet and gets as (?P<name>...); \C and bytes
// that are not UTF-8, which Go refuses; repeat counts of nine digits, which RE2 takes for text; and
// the wording of errors, which is mapped here.
//
// Cache: at most 64 patterns a thread, all dropped when full. RE2 may use 8 MiB for each; one that
// needs more (Go allows programs of about 128 MiB) is compiled with 64 MiB and not kept.
#include "funcs/regex_compile.h"

#include <re2/re2.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/gotext.h"
#include "base/strings.h"

namespace pintle::funcs {

namespace {

using Regex = std::shared_ptr<const re2::RE2>;

constexpr size_t kKept = 64;
constexpr int64_t kMemory = 8 << 20;
constexpr int64_t kMuchMemory = 64 << 20;

constexpr std::string_view kBadEscape = "invalid escape sequence";
constexpr std::string_view kBadRepeat = "invalid repeat count";
constexpr std::string_view kBadUtf8 = "invalid UTF-8";

struct Rewritten {
  std::string pattern;           // ends before what is refused
  std::vector<size_t> inserted;  // where a 'P' was put to make (?P<name> of (?<name>
  std::string_view refused_why;  // empty: nothing is
  std::string_view refused_part;
};

// The {n}, {n,} or {n,m} at the start of s when one of its numbers has nine digits or more.
std::string_view huge_repeat(std::string_view s) {
  size_t i = 1, digits = 0, longest = 0, commas = 0;
  for (; i < s.size() && s[i] != '}'; ++i) {
    if (s[i] == ',') {
      if (digits == 0 || ++commas > 1) return {};
      digits = 0;
    } else if (s[i] < '0' || s[i] > '9') {
      return {};
    } else {
      longest = std::max(longest, ++digits);
    }
  }
  if (i == s.size() || longest < 9) return {};
  return s.substr(0, i + 1);
}

// Goes over the pattern as a parser does: escapes, \Q...\E and classes hide what they hold.
Rewritten rewrite(std::string_view s) {
  Rewritten out;
  auto refuse = [&](std::string_view why, std::string_view part) {
    out.refused_why = why;
    out.refused_part = part;
    return out;
  };
  bool in_class = false, quoted = false;
  for (size_t i = 0; i < s.size(); ++i) {
    char c = s[i];
    std::string_view rest = s.substr(i);
    Rune rune = decode_rune(rest);
    if (rune.value == 0xFFFD && rune.size == 1) return refuse(kBadUtf8, rest);
    if (rune.size > 1) {
      out.pattern.append(rest.substr(0, static_cast<size_t>(rune.size)));
      i += static_cast<size_t>(rune.size) - 1;
      continue;
    }
    if (c == '\\' && i + 1 < s.size() && (s[i + 1] == 'E' || !quoted)) {
      if (s[i + 1] == 'C' && !in_class) return refuse(kBadEscape, rest.substr(0, 2));
      if (static_cast<uint8_t>(s[i + 1]) >= 0x80) {  // judged as a rune in the next round
        out.pattern.push_back(c);
        continue;
      }
      if (!in_class && s[i + 1] == 'Q') quoted = true;
      if (s[i + 1] == 'E') quoted = false;
      out.pattern.append(rest.substr(0, 2));
      ++i;
      continue;
    }
    if (!quoted && !in_class && c == '{') {
      if (auto repeat = huge_repeat(rest); !repeat.empty()) return refuse(kBadRepeat, repeat);
    }
    out.pattern.push_back(c);
    if (quoted) continue;
    if (in_class) {
      if (c == ']') in_class = false;
    } else if (c == '[') {
      in_class = true;
      // A ']' right behind '[' or '[^' is an ordinary member.
      if (i + 1 < s.size() && s[i + 1] == '^') out.pattern.push_back(s[++i]);
      if (i + 1 < s.size() && s[i + 1] == ']') out.pattern.push_back(s[++i]);
    } else if (rest.starts_with("(?<")) {
      // Also (?<= and (?<!, which Go takes for bad names and not for look-behind.
      out.inserted.push_back(out.pattern.size() + 1);
      out.pattern.append("?P<");
      i += 2;
    }
  }
  return out;
}

std::string_view go_wording(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape: return kBadEscape;
    case re2::RE2::ErrorBadCharClass: return "invalid character class";
    case re2::RE2::ErrorBadCharRange: return "invalid character class range";
    case re2::RE2::ErrorMissingBracket: return "missing closing ]";
    case re2::RE2::ErrorMissingParen: return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen: return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash: return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument: return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize: return kBadRepeat;
    case re2::RE2::ErrorRepeatOp: return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp: return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8: return kBadUtf8;
    case re2::RE2::ErrorBadNamedCapture: return "invalid named capture";
    default: return "expression too large";
  }
}

Error syntax_error(std::string_view what, std::string_view part) {
  return Error(cat("error parsing regexp: ", what, ": `", part, "`"));
}

// A part of the rewritten pattern as it stood in the original.
std::string original_part(const Rewritten& r, std::string part) {
  size_t at = r.pattern.find(part);
  for (size_t i = r.inserted.size(); i-- > 0 && at != r.pattern.npos;) {
    if (r.inserted[i] >= at && r.inserted[i] < at + part.size()) part.erase(r.inserted[i] - at, 1);
  }
  return part;
}

Error go_error(std::string_view pattern, const re2::RE2& re, const Rewritten& r) {
  std::string_view what = go_wording(re.error_code());
  std::string part = original_part(r, re.error_arg());
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

// Whether the error says that the pattern stops too early: no error of a pattern cut short.
bool ends_early(const re2::RE2& re) {
  switch (re.error_code()) {
    case re2::RE2::NoError:
    case re2::RE2::ErrorMissingBracket:
    case re2::RE2::ErrorMissingParen:
    case re2::RE2::ErrorTrailingBackslash: return true;
    case re2::RE2::ErrorBadNamedCapture: return re.error_arg().find('>') == std::string::npos;
    default: return false;
  }
}

struct ViewHash {
  using is_transparent = void;
  size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
};

}  // namespace

Result<Regex> compile_regex(std::string_view pattern) {
  thread_local std::unordered_map<std::string, Regex, ViewHash, std::equal_to<>> kept;
  if (auto it = kept.find(pattern); it != kept.end()) return it->second;
  Rewritten r = rewrite(pattern);
  Regex re = build(r.pattern, kMemory);
  bool keep = true;
  if (re->error_code() == re2::RE2::ErrorPatternTooLarge) {
    re = build(r.pattern, kMuchMemory);
    keep = false;
  }
  if (!r.refused_why.empty() && ends_early(*re)) {
    return syntax_error(r.refused_why, r.refused_part);
  }
  if (!re->ok()) return go_error(pattern, *re, r);
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

Result<std::function<bool(std::string_view)>> regex_matcher(std::string_view pattern) {
  return [compiled = TRY(compile_regex(pattern))](std::string_view text) {
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled);
  };
}

}  // namespace pintle::funcs
