// RE2 is told a rewritten pattern; what was changed is remembered, so that errors show the part as it
// was written. Go's regexp/syntax descends from RE2, so little has to change.
#include "regex/regex.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/gotext.h"
#include "base/strings.h"
#include "regex/unicode_names.h"

namespace pintle::regex {
namespace {

constexpr std::string_view kBadEscape = "invalid escape sequence";
constexpr std::string_view kBadRepeat = "invalid repeat count";
constexpr std::string_view kBadUtf8 = "invalid UTF-8";
constexpr std::string_view kTooLarge = "expression too large";

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


// Goes over the pattern as a parser does: escapes, \Q...\E and classes hide what they hold. Stops
// at what Go refuses and RE2 would not.
class Rewriter {
 public:
  explicit Rewriter(std::string_view pattern) : rest_(pattern) {
    while (!rest_.empty() && refused_why_.empty()) step();
  }

  const std::string& pattern() const { return out_; }  // ends before what is refused
  std::string_view refused_why() const { return refused_why_; }  // empty: nothing is
  std::string_view refused_part() const { return refused_part_; }

  // A part of the rewritten pattern as it stood in the original.
  std::string original_part(std::string part) const {
    const size_t at = out_.find(part);
    if (at == std::string::npos) return part;
    for (size_t i = edits_.size(); i-- > 0;) {
      const Edit& e = edits_[i];
      if (e.at < at || e.at + e.size > at + part.size()) continue;
      part.replace(e.at - at, e.size, e.original);
    }
    return part;
  }

 private:
  struct Edit {
    size_t at, size;  // in the rewritten pattern
    std::string_view original;
  };

  void refuse(std::string_view why, std::string_view part) {
    refused_why_ = why;
    refused_part_ = part;
  }
  void keep(size_t n) {
    out_.append(rest_.substr(0, n));
    rest_.remove_prefix(n);
  }
  void replace(size_t n, std::string_view with) {
    edits_.push_back({out_.size(), with.size(), rest_.substr(0, n)});
    out_.append(with);
    rest_.remove_prefix(n);
  }

  void step() {
    const Rune rune = decode_rune(rest_);
    if (rune.value == 0xFFFD && rune.size == 1) return refuse(kBadUtf8, rest_);
    if (rune.size > 1) return keep(static_cast<size_t>(rune.size));
    if (quoted_) {
      quoted_ = !rest_.starts_with("\\E");
      return keep(quoted_ ? 1 : 2);
    }
    if (rest_[0] == '\\' && rest_.size() > 1) return escape();
    if (in_class_) return class_member();
    if (rest_[0] == '[') return open_class();
    if (rest_[0] == '{') {
      if (auto repeat = huge_repeat(rest_); !repeat.empty()) return refuse(kBadRepeat, repeat);
    }
    // Also (?<= and (?<!, which Go takes for bad names and not for look-behind.
    if (rest_.starts_with("(?<")) return replace(3, "(?P<");
    keep(1);
  }

  void escape() {
    const char c = rest_[1];
    if (static_cast<uint8_t>(c) >= 0x80) return keep(1);  // judged as a rune in the next step
    if (c == 'C' && !in_class_) return refuse(kBadEscape, rest_.substr(0, 2));
    if (c == 'p' || c == 'P') {
      const size_t brace = rest_.find('}');
      if (rest_.substr(2).starts_with('{') && brace != rest_.npos) {
        const std::string name = re2_class_name(rest_.substr(3, brace - 3));
        return replace(brace + 1, cat('\\', c, '{', name, '}'));
      }
    }
    quoted_ = c == 'Q' && !in_class_;
    keep(2);
  }

  void class_member() {
    if (rest_.starts_with("[:")) {
      if (const size_t end = rest_.find(":]"); end != rest_.npos) return keep(end + 2);
    }
    in_class_ = rest_[0] != ']';
    keep(1);
  }

  // A ']' right behind '[' or '[^' is an ordinary member.
  void open_class() {
    in_class_ = true;
    keep(rest_.starts_with("[^]") ? 3 : rest_.starts_with("[]") || rest_.starts_with("[^") ? 2 : 1);
  }

  std::string_view rest_;
  std::string out_;
  std::vector<Edit> edits_;
  std::string_view refused_why_, refused_part_;
  bool in_class_ = false, quoted_ = false;
};

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
    default: return kTooLarge;
  }
}

Error syntax_error(std::string_view what, std::string_view part) {
  return Error(cat("error parsing regexp: ", what, ": `", part, "`"));
}

Error go_error(std::string_view pattern, const re2::RE2& re, const Rewriter& r) {
  const std::string_view what = go_wording(re.error_code());
  if (what == kTooLarge) return Error(syntax_error(what, pattern).text(), Code::kResourceExhausted);
  std::string part = r.original_part(re.error_arg());
  switch (re.error_code()) {
    case re2::RE2::ErrorBadUTF8:
    case re2::RE2::ErrorMissingParen: part = pattern; break;  // Go shows all of it
    case re2::RE2::ErrorTrailingBackslash: part = ""; break;
    default: break;
  }
  return syntax_error(what, part);
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

// Go reads an invalid byte as U+FFFD, which RE2 would never match.
std::string replace_invalid(std::string_view s) {
  std::string out;
  while (!s.empty()) {
    const Rune r = decode_rune(s);
    append_rune(out, r.value);
    s.remove_prefix(static_cast<size_t>(r.size));
  }
  return out;
}

}  // namespace

Regex::Regex(std::string_view pattern, std::unique_ptr<re2::RE2> re)
    : pattern_(pattern), re_(std::move(re)) {}

Regex::~Regex() = default;

Result<RegexPtr> Regex::compile(std::string_view pattern, int64_t max_memory) {
  const Rewriter rewriter(pattern);
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(max_memory);
  auto re = std::make_unique<re2::RE2>(rewriter.pattern(), options);
  if (!rewriter.refused_why().empty() && ends_early(*re)) {
    return syntax_error(rewriter.refused_why(), rewriter.refused_part());
  }
  if (!re->ok()) return go_error(pattern, *re, rewriter);
  return RegexPtr(new Regex(pattern, std::move(re)));
}

bool Regex::matches(std::string_view s) const {
  if (!valid_utf8(s)) return re2::RE2::PartialMatch(replace_invalid(s), *re_);
  return re2::RE2::PartialMatch(re2::StringPiece(s.data(), s.size()), *re_);
}

size_t Regex::size() const { return static_cast<size_t>(re_->ProgramSize()); }

}  // namespace pintle::regex
