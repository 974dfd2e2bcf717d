// matches, find and findAll. The evaluator hands patterns known beforehand to the same functions
// compiled (regex_call).
#include "cel/library_regex.h"

#include <re2/re2.h>

#include "base/gotext.h"
#include "base/strings.h"
#include "cel/function.h"

namespace pintle::cel {
namespace {

using Args = std::span<const Val>;

Val find_all(Arena& a, const re2::RE2& re, std::string_view s, int64_t most) {
  std::vector<Val> out;
  const re2::StringPiece text(s.data(), s.size());
  size_t at = 0, last_end = std::string_view::npos;
  while (at <= s.size() && (most < 0 || static_cast<int64_t>(out.size()) < most)) {
    re2::StringPiece found;
    if (!re.Match(text, at, s.size(), re2::RE2::UNANCHORED, &found, 1)) break;
    const size_t start = static_cast<size_t>(found.data() - s.data()), end = start + found.size();
    // As in Go, an empty match right behind another one does not count.
    if (!found.empty() || start != last_end) out.push_back(Val::text({found.data(), found.size()}));
    last_end = end;
    at = found.empty() ? end + std::max<size_t>(1, static_cast<size_t>(decode_rune(s.substr(end)).size)) : end;
  }
  return a.list(out);
}

Val run(Arena& a, std::string_view name, const regex::Regex& regex, Args v) {
  const std::string_view s = v[0].view();
  if (name == "matches") return Val::boolean(regex.matches(s));
  if (name == "findAll") return find_all(a, regex.re2(), s, v.size() > 2 ? v[2].i : -1);
  re2::StringPiece found;
  const bool any = regex.re2().Match({s.data(), s.size()}, 0, s.size(), re2::RE2::UNANCHORED, &found, 1);
  return Val::text(any ? std::string_view(found.data(), found.size()) : std::string_view());
}

Val compiled_here(Arena& a, std::string_view name, Args v) {
  auto regex = regex::Regex::compile(v[1].view());
  if (regex) return run(a, name, **regex, v);
  return a.error(cat(name == "matches" ? "" : "Illegal regex: ", regex.error().text()));
}
Val matches(Arena& a, Args v) { return compiled_here(a, "matches", v); }
Val find(Arena& a, Args v) { return compiled_here(a, "find", v); }
Val find_each(Arena& a, Args v) { return compiled_here(a, "findAll", v); }

constexpr Row kRows[] = {
    {"matches", "string, string -> bool", matches, Cost::kRegex},
    {"matches", "string.(string) -> bool", matches, Cost::kRegex},
    {"find", "string.(string) -> string", find, Cost::kRegex},
    {"findAll", "string.(string) -> list(string)", find_each, Cost::kRegex},
    {"findAll", "string.(string, int) -> list(string)", find_each, Cost::kRegex},
};

}  // namespace

std::span<const Row> regex_rows() { return kRows; }

bool takes_regex(std::string_view function) {
  return function == "matches" || function == "find" || function == "findAll";
}

Val regex_call(Arena& arena, std::string_view function, const regex::Regex& regex, std::span<const Val> args) {
  return run(arena, function, regex, args);
}

}  // namespace pintle::cel
