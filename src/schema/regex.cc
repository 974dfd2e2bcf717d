#include "schema/regex.h"

#include <re2/re2.h>

#include <utility>

#include "base/gotext.h"
#include "base/strings.h"

namespace pintle::schema {
namespace {

constexpr int64_t kMaxMemory = 32 << 20;        // of one expression
constexpr size_t kMaxInstructions = 2'000'000;  // of all of a schema, 16 bytes each

Error refuse(std::string_view why, std::string_view where) {
  return Error("error parsing regexp: " + std::string(why) + ": `" + std::string(where) + "`");
}

// Unicode's long names of categories, as Go looks them up: first letter upper case, no separators.
constexpr std::pair<std::string_view, std::string_view> kCategories[] = {
    {"Closepunctuation", "Pe"},   {"Cntrl", "Cc"},
    {"Combiningmark", "M"},       {"Connectorpunctuation", "Pc"},
    {"Control", "Cc"},            {"Currencysymbol", "Sc"},
    {"Dashpunctuation", "Pd"},    {"Decimalnumber", "Nd"},
    {"Digit", "Nd"},              {"Enclosingmark", "Me"},
    {"Finalpunctuation", "Pf"},   {"Format", "Cf"},
    {"Initialpunctuation", "Pi"}, {"Letter", "L"},
    {"Letternumber", "Nl"},       {"Lineseparator", "Zl"},
    {"Lowercaseletter", "Ll"},    {"Mark", "M"},
    {"Mathsymbol", "Sm"},         {"Modifierletter", "Lm"},
    {"Modifiersymbol", "Sk"},     {"Nonspacingmark", "Mn"},
    {"Number", "N"},              {"Openpunctuation", "Ps"},
    {"Other", "C"},               {"Otherletter", "Lo"},
    {"Othernumber", "No"},        {"Otherpunctuation", "Po"},
    {"Othersymbol", "So"},        {"Paragraphseparator", "Zp"},
    {"Privateuse", "Co"},         {"Punct", "P"},
    {"Punctuation", "P"},         {"Separator", "Z"},
    {"Spaceseparator", "Zs"},     {"Spacingmark", "Mc"},
    {"Surrogate", "Cs"},          {"Symbol", "S"},
    {"Titlecaseletter", "Lt"},    {"Uppercaseletter", "Lu"},
};

// What stands between the braces of \p{...}, as RE2 knows it.
std::string category(std::string_view name) {
  std::string out;
  if (name.starts_with('^')) {
    out = "^";
    name.remove_prefix(1);
  }
  const size_t first = out.size();
  for (const char c : name) {
    if (c == '_' || c == '-' || c == ' ') continue;
    const bool upper = c >= 'A' && c <= 'Z';
    const bool lower = c >= 'a' && c <= 'z';
    if (out.size() == first) {
      out += lower ? static_cast<char>(c - 32) : c;
    } else {
      out += upper ? static_cast<char>(c + 32) : c;
    }
  }
  for (const auto& [long_name, short_name] : kCategories) {
    if (std::string_view(out).substr(first) != long_name) continue;
    return out.substr(0, first).append(short_name);
  }
  return out;
}

// RE2 of this age knows (?P<name> only and short names in \p{}, and takes \C, which Go does not.
// The text between \Q and \E is left alone.
Result<std::string> to_re2(std::string_view pattern) {
  std::string out;
  out.reserve(pattern.size() + 8);
  bool in_class = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    const std::string_view rest = pattern.substr(i);
    if (c == '\\' && rest.size() > 1) {
      if (!in_class && rest[1] == 'C') return refuse("invalid escape sequence", "\\C");
      if (!in_class && rest[1] == 'Q') {
        const size_t end = rest.find("\\E");
        const size_t n = end == std::string_view::npos ? rest.size() : end + 2;
        out += rest.substr(0, n);
        i += n - 1;
        continue;
      }
      const size_t brace = rest.find('}');
      if ((rest[1] == 'p' || rest[1] == 'P') && rest.substr(2).starts_with('{') &&
          brace != std::string_view::npos) {
        out += rest.substr(0, 3);
        out += category(rest.substr(3, brace - 3));
        out += '}';
        i += brace;
        continue;
      }
      out += rest.substr(0, 2);
      ++i;
      continue;
    }
    if (in_class) {
      if (c == '[' && rest.starts_with("[:")) {
        const size_t end = rest.find(":]");
        if (end != std::string_view::npos) {
          out += rest.substr(0, end + 2);
          i += end + 1;
          continue;
        }
      }
      in_class = c != ']';
      out += c;
      continue;
    }
    if (c == '[') {
      in_class = true;
      out += c;
      // A ] right at the start of a class stands for itself.
      if (rest.substr(1).starts_with("^]")) {
        out += "^]";
        i += 2;
      } else if (rest.substr(1).starts_with(']')) {
        out += ']';
        ++i;
      }
      continue;
    }
    if (rest.starts_with("(?<") && rest.size() > 3) {
      if (rest.find('>') == std::string_view::npos) return refuse("invalid named capture", rest);
      out += "(?P<";
      i += 2;
      continue;
    }
    out += c;
  }
  return out;
}


Error go_error(const re2::RE2& re, std::string_view pattern) {
  const std::string& arg = re.error_arg();
  switch (re.error_code()) {
    case re2::RE2::ErrorBadEscape: return refuse("invalid escape sequence", arg);
    case re2::RE2::ErrorBadCharClass: return refuse("invalid character class", arg);
    case re2::RE2::ErrorBadCharRange: return refuse("invalid character class range", arg);
    case re2::RE2::ErrorMissingBracket: return refuse("missing closing ]", arg);
    case re2::RE2::ErrorMissingParen: return refuse("missing closing )", pattern);
    case re2::RE2::ErrorUnexpectedParen: return refuse("unexpected )", pattern);
    case re2::RE2::ErrorTrailingBackslash:
      return refuse("trailing backslash at end of expression", "");
    case re2::RE2::ErrorRepeatArgument:
      return refuse("missing argument to repetition operator", arg);
    case re2::RE2::ErrorRepeatSize: return refuse("invalid repeat count", arg);
    case re2::RE2::ErrorRepeatOp: return refuse("invalid nested repetition operator", arg);
    case re2::RE2::ErrorBadPerlOp:
      return refuse("invalid or unsupported Perl syntax", arg);
    case re2::RE2::ErrorBadUTF8: return Error("error parsing regexp: invalid UTF-8: `" +
                                              std::string(pattern) + "`");
    case re2::RE2::ErrorBadNamedCapture: {
      std::string name = arg;
      if (pattern.find(name) == std::string_view::npos) name = replace_all(name, "(?P<", "(?<");
      return refuse("invalid named capture", name);
    }
    default:
      return Error(refuse("expression too large", pattern).text(), Code::kResourceExhausted);
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

Result<std::shared_ptr<const Regex>> Regex::compile(std::string_view pattern) {
  const std::string text = TRY(to_re2(pattern));
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(kMaxMemory);
  auto re = std::make_unique<re2::RE2>(text, options);
  if (!re->ok()) return go_error(*re, pattern);
  return std::shared_ptr<const Regex>(new Regex(pattern, std::move(re)));
}

bool Regex::matches(std::string_view s) const {
  if (!valid_utf8(s)) return re2::RE2::PartialMatch(replace_invalid(s), *re_);
  return re2::RE2::PartialMatch(re2::StringPiece(s.data(), s.size()), *re_);
}

size_t Regex::size() const { return static_cast<size_t>(re_->ProgramSize()); }

const Result<std::shared_ptr<const Regex>>& RegexCache::get(std::string_view pattern) {
  if (auto it = known_.find(pattern); it != known_.end()) return it->second;
  auto regex = instructions_ < kMaxInstructions
                   ? Regex::compile(pattern)
                   : Result<std::shared_ptr<const Regex>>(refuse("expression too large", pattern));
  // Finding out that one is too large costs as much as the largest.
  const bool too_large = !regex && regex.error().code() == Code::kResourceExhausted;
  instructions_ += regex ? (*regex)->size() : too_large ? kMaxMemory / 16 : 0;
  return known_.emplace(pattern, std::move(regex)).first->second;
}

}  // namespace pintle::schema
