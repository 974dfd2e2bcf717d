// Texts: searching, cutting, replacing. Positions count characters, as everywhere in CEL.
#include <algorithm>
#include <limits>

#include "base/gotext.h"
#include "base/strings.h"
#include "cel/function.h"

namespace pintle::cel {
namespace {

using Args = std::span<const Val>;

// A text by characters: where each starts, and the end.
class Characters {
 public:
  explicit Characters(std::string_view s) : x_text(s) {
    for (size_t at = 0; at < s.size(); at += static_cast<size_t>(decode_rune(s.substr(at)).size)) x_starts.push_back(at);
    x_starts.push_back(s.size());
  }
  int64_t size() const { return static_cast<int64_t>(x_starts.size()) - 1; }
  std::string_view from(int64_t a) const { return x_text.substr(x_starts[static_cast<size_t>(a)]); }
  std::string_view between(int64_t a, int64_t b) const {
    const size_t start = x_starts[static_cast<size_t>(a)];
    return x_text.substr(start, x_starts[static_cast<size_t>(b)] - start);
  }
  // The character that starts at this byte.
  int64_t index(size_t byte) const {
    return std::lower_bound(x_starts.begin(), x_starts.end(), byte) - x_starts.begin();
  }
  size_t byte(int64_t i) const { return x_starts[static_cast<size_t>(i)]; }

 private:
  std::string_view x_text;
  std::vector<size_t> x_starts;
};

Val out_of_range(Arena& a, int64_t i) { return a.error(cat("index out of range: ", i)); }

Val contains_text(Arena&, Args v) { return Val::boolean(v[0].view().find(v[1].view()) != std::string_view::npos); }
Val starts_with(Arena&, Args v) { return Val::boolean(v[0].view().starts_with(v[1].view())); }
Val ends_with(Arena&, Args v) { return Val::boolean(v[0].view().ends_with(v[1].view())); }

Val char_at(Arena& a, Args v) {
  const Characters s(v[0].view());
  if (v[1].i < 0 || v[1].i > s.size()) return out_of_range(a, v[1].i);
  return Val::text(v[1].i == s.size() ? std::string_view() : s.between(v[1].i, v[1].i + 1));
}

Val index_of(Arena& a, Args v) {
  const int64_t offset = v.size() > 2 ? v[2].i : 0;
  if (v[1].n == 0) return Val::integer(offset);
  if (offset < 0) return out_of_range(a, offset);
  const Characters s(v[0].view());
  if (offset >= s.size()) return Val::integer(-1);
  const size_t found = v[0].view().find(v[1].view(), s.byte(offset));
  return Val::integer(found == std::string_view::npos ? -1 : s.index(found));
}
Val last_index_of(Arena& a, Args v) {
  const Characters s(v[0].view());
  if (v[1].n == 0) return Val::integer(v.size() > 2 ? v[2].i : s.size());
  if (v.size() == 2 && v[0].n < v[1].n) return Val::integer(-1);
  const int64_t offset = v.size() > 2 ? v[2].i : s.size() - 1;
  if (offset < 0) return out_of_range(a, offset);
  if (offset >= s.size()) return Val::integer(-1);
  const size_t found = v[0].view().rfind(v[1].view(), s.byte(offset));
  return Val::integer(found == std::string_view::npos ? -1 : s.index(found));
}

Val substring(Arena& a, Args v) {
  const Characters s(v[0].view());
  const int64_t start = v[1].i, end = v.size() > 2 ? v[2].i : s.size();
  if (v.size() > 2 && start > end) {
    return a.error(cat("invalid substring range. start: ", start, ", end: ", end));
  }
  if (start < 0 || start > s.size()) return out_of_range(a, start);
  if (end < 0 || end > s.size()) return out_of_range(a, end);
  return Val::text(s.between(start, end));
}

template <char Low, char High, int Shift>
Val change_case(Arena& a, Args v) {
  std::string out(v[0].view());
  for (char& c : out) {
    if (c >= Low && c <= High) c = static_cast<char>(c + Shift);
  }
  return a.copy(out);
}
Val trim(Arena&, Args v) { return Val::text(trim_space(v[0].view())); }

Val replace(Arena& a, Args v) {
  std::string_view rest = v[0].view();
  const std::string_view old = v[1].view(), next = v[2].view();
  int64_t left = v.size() > 3 && v[3].i >= 0 ? v[3].i : std::numeric_limits<int64_t>::max();
  std::string out;
  auto too_long = [&] { return out.size() > Arena::kMaxBytes; };
  if (old.empty()) {  // before every character, and at the end
    for (; left > 0 && !too_long(); --left) {
      out += next;
      if (rest.empty()) break;
      const auto n = static_cast<size_t>(decode_rune(rest).size);
      out += rest.substr(0, n);
      rest.remove_prefix(n);
    }
  } else {
    for (; left > 0 && !too_long(); --left) {
      const size_t at = rest.find(old);
      if (at == std::string_view::npos) break;
      append(out, {rest.substr(0, at), next});
      rest.remove_prefix(at + old.size());
    }
  }
  return too_long() ? a.error("the text grows too long") : a.copy(out += rest);
}

Val split_text(Arena& a, Args v) {
  std::string_view rest = v[0].view();
  const std::string_view by = v[1].view();
  const int64_t most = v.size() > 2 ? v[2].i : -1;
  std::vector<Val> out;
  auto room = [&] { return most < 0 || static_cast<int64_t>(out.size()) + 1 < most; };
  if (most == 0 || (by.empty() && rest.empty())) return a.list({});
  while (room()) {
    const size_t at = by.empty() ? static_cast<size_t>(decode_rune(rest).size) : rest.find(by);
    if (at >= rest.size()) break;
    out.push_back(Val::text(rest.substr(0, at)));
    rest.remove_prefix(at + by.size());
  }
  out.push_back(Val::text(rest));
  return a.list(out);
}

Val join_texts(Arena& a, Args v) {
  const std::string_view by = v.size() > 1 ? v[1].view() : std::string_view();
  std::string out;
  for (size_t i = 0; i < v[0].list->size; ++i) {
    const Val one = item(a, *v[0].list, i);
    if (!one.is(Kind::kString)) return a.error(cat("join: invalid input: ", shown(a, one)));
    append(out, {i > 0 ? by : "", one.view()});
    if (out.size() > Arena::kMaxBytes) return a.error("the text grows too long");
  }
  return a.copy(out);
}

Val quote_text(Arena& a, Args v) {
  constexpr std::string_view kFrom = "\a\b\f\n\r\t\v\\\"", kTo = "abfnrtv\\\"";
  std::string out = "\"";
  for (std::string_view s = v[0].view(); !s.empty();) {
    const Rune r = decode_rune(s);
    const size_t at = r.value < 0x80 ? kFrom.find(static_cast<char>(r.value)) : std::string_view::npos;
    if (at != std::string_view::npos) append(out, {"\\", kTo.substr(at, 1)});
    else append_rune(out, r.value);
    s.remove_prefix(static_cast<size_t>(r.size));
  }
  return a.copy(out + "\"");
}

constexpr Row kRows[] = {
    {"contains", "string.(string) -> bool", contains_text, Cost::kContains},
    {"startsWith", "string.(string) -> bool", starts_with, Cost::kText},
    {"endsWith", "string.(string) -> bool", ends_with, Cost::kText},
    {"charAt", "string.(int) -> string", char_at},
    {"indexOf", "string.(string) -> int", index_of, Cost::kElements},
    {"indexOf", "string.(string, int) -> int", index_of, Cost::kElements},
    {"lastIndexOf", "string.(string) -> int", last_index_of, Cost::kElements},
    {"lastIndexOf", "string.(string, int) -> int", last_index_of, Cost::kElements},
    {"substring", "string.(int) -> string", substring, Cost::kText},
    {"substring", "string.(int, int) -> string", substring, Cost::kText},
    {"lowerAscii", "string.() -> string", change_case<'A', 'Z', 32>, Cost::kText},
    {"upperAscii", "string.() -> string", change_case<'a', 'z', -32>, Cost::kText},
    {"trim", "string.() -> string", trim, Cost::kText},
    {"replace", "string.(string, string) -> string", replace, Cost::kTwiceText},
    {"replace", "string.(string, string, int) -> string", replace, Cost::kTwiceText},
    {"split", "string.(string) -> list(string)", split_text, Cost::kTwiceText},
    {"split", "string.(string, int) -> list(string)", split_text, Cost::kTwiceText},
    {"join", "list(string).() -> string", join_texts, Cost::kTwiceResult},
    {"join", "list(string).(string) -> string", join_texts, Cost::kTwiceResult},
    {"strings.quote", "string -> string", quote_text, Cost::kText},
};

}  // namespace

std::span<const Row> string_rows() { return kRows; }

}  // namespace pintle::cel
