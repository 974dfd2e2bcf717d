// Sprig's string functions, but for letter case (strings_case.cc) and shapes of text
// (strings_layout.cc: indent, wrap, abbrev ...). A result equal to the argument is the argument:
// nothing is copied.
#include <algorithm>
#include <cstring>

#include "base/gotext.h"
#include "base/strings.h"
#include "funcs/convert.h"
#include "funcs/families.h"
#include "funcs/strings_family.h"
#include "tmpl/print.h"

namespace pintle::funcs {

using value::Call;
using value::FuncDef;
using value::MapBuilder;
using value::Str;
using value::Type;
using value::Value;

namespace {

// The part of argument i that `part` shows; the argument itself when it is all of it.
bool give_part(Call& c, size_t i, std::string_view part) {
  if (part.size() == c[i].str().size()) return c.give(c[i]);
  return c.give(value::str(part));
}

std::string_view text(Call& c, size_t i) { return c[i].as_string(); }

constexpr size_t kBytesSearchedInAStep = 8;  // rune by rune, or for a long text

// ---- trim ----

bool trim(Call& c) { return give_part(c, 0, trim_space(text(c, 0))); }

bool trim_all(Call& c) {
  std::string_view s = text(c, 1);
  std::vector<char32_t> cut;
  std::vector<bool> many;  // by rune, where looking through a list of them would take long
  constexpr size_t kFew = 16, kRunes = 0x110000;
  for (std::string_view rest = text(c, 0); !rest.empty();) {
    Rune q = decode_rune(rest);
    rest.remove_prefix(static_cast<size_t>(q.size));
    if (many.empty()) cut.push_back(q.value);
    if (cut.size() > kFew && many.empty()) {
      many.resize(kRunes);
      for (char32_t r : cut) many[r] = true;
    }
    if (!many.empty()) many[q.value] = true;
  }
  auto in_cut = [&](Rune r) {
    return many.empty() ? std::find(cut.begin(), cut.end(), r.value) != cut.end() : many[r.value];
  };
  c.steps = (text(c, 0).size() + s.size()) / kBytesSearchedInAStep;
  for (Rune r; !s.empty() && in_cut(r = decode_rune(s));) {
    s.remove_prefix(static_cast<size_t>(r.size));
  }
  for (Rune r; !s.empty() && in_cut(r = decode_last_rune(s));) {
    s.remove_suffix(static_cast<size_t>(r.size));
  }
  return give_part(c, 1, s);
}

bool trim_prefix(Call& c) { return give_part(c, 1, without_prefix(text(c, 1), text(c, 0))); }
bool trim_suffix(Call& c) { return give_part(c, 1, without_suffix(text(c, 1), text(c, 0))); }

// ---- look ----

bool contains(Call& c) {
  if (text(c, 0).size() > kShortText) c.steps = text(c, 1).size() / kBytesSearchedInAStep;
  return c.give(Value::boolean(find_text(text(c, 1), text(c, 0)) != std::string_view::npos));
}
bool has_prefix(Call& c) { return c.give(Value::boolean(text(c, 1).starts_with(text(c, 0)))); }
bool has_suffix(Call& c) { return c.give(Value::boolean(text(c, 1).ends_with(text(c, 0)))); }

// ---- cut ----

bool fail_slice(Call& c, std::string_view range, std::string_view more = {}) {
  return c.fail(cat("runtime error: slice bounds out of range ", range, more));
}

bool substr(Call& c) {
  int64_t start = c[0].as_int(), end = c[1].as_int();
  std::string_view s = text(c, 2);
  auto size = static_cast<int64_t>(s.size());
  if (start < 0) {
    if (end < 0) return fail_slice(c, cat("[:", end, "]"));
    if (end > size) return fail_slice(c, cat("[:", end, "]"), cat(" with length ", size));
    return give_part(c, 2, s.substr(0, static_cast<size_t>(end)));
  }
  if (end < 0 || end > size) {
    if (start > size) return fail_slice(c, cat("[", start, ":", size, "]"));
    return give_part(c, 2, s.substr(static_cast<size_t>(start)));
  }
  if (start > end) return fail_slice(c, cat("[", start, ":", end, "]"));
  return give_part(c, 2, s.substr(static_cast<size_t>(start), static_cast<size_t>(end - start)));
}

bool trunc(Call& c) {
  int64_t n = c[0].as_int();
  std::string_view s = text(c, 1);
  auto size = static_cast<int64_t>(s.size());
  if (n >= 0 && size > n) return c.give(value::str(s.substr(0, static_cast<size_t>(n))));
  if (n < 0 && n > -size) return c.give(value::str(s.substr(static_cast<size_t>(size + n))));
  return c.give(c[1]);
}

// First bytes of words, each byte taken as a rune: Latin-1 out of UTF-8, as goutils does.
bool initials(Call& c) {
  std::string out;
  bool gap = true;
  for (char ch : text(c, 0)) {
    char32_t r = static_cast<uint8_t>(ch);
    if (is_space(r)) {
      gap = true;
    } else if (gap) {
      append_rune(out, r);
      gap = false;
    }
  }
  return c.give(value::str(out));
}

bool nospace(Call& c) {
  std::string_view s = text(c, 0);
  auto space = [](char ch) { return is_space(static_cast<uint8_t>(ch)); };
  if (std::none_of(s.begin(), s.end(), space)) return c.give(c[0]);
  std::string out;
  for (char ch : s) {
    if (!space(ch)) append_rune(out, static_cast<uint8_t>(ch));
  }
  return c.give(value::str(out));
}

// ---- join and split ----

// Values one after another with `put` between them and nil ones left out.
template <typename Put>
bool join_non_nil(Call& c, Put put) {
  std::string out;
  bool first = true;
  for (const Value& v : c.all()) {
    if (v.is_nil()) continue;
    if (!first) out.push_back(' ');
    first = false;
    put(out, v);
    if (out.size() > kMaxBytes) return fail_size(c);
  }
  return c.give(value::str(out));
}

bool quote(Call& c) {
  if (c.count == 1 && c[0].is_string()) {
    std::string_view s = text(c, 0);
    bool plain = std::all_of(s.begin(), s.end(), [](char ch) {
      return ch >= ' ' && ch < 0x7F && ch != '"' && ch != '\\';
    });
    if (plain) {
      return c.give(Value::string(Str::build(s.size() + 2, [&](char* p) {
        *p = '"';
        if (!s.empty()) std::memcpy(p + 1, s.data(), s.size());
        p[s.size() + 1] = '"';
      })));
    }
  }
  return join_non_nil(c, [](std::string& out, const Value& v) {
    if (v.is_string()) {
      append_quoted(out, v.as_string());
    } else {
      append_quoted(out, to_str(v));
    }
  });
}

bool squote(Call& c) {
  return join_non_nil(c, [](std::string& out, const Value& v) {
    out.push_back('\'');
    tmpl::print_value(out, v);
    out.push_back('\'');
  });
}

bool cat_values(Call& c) {
  return join_non_nil(c, [](std::string& out, const Value& v) { tmpl::print_value(out, v); });
}

bool join(Call& c) {
  std::string_view separator = text(c, 0);
  Elements list(c[1]);
  if (!list) return c.give(c[1].is_nil() ? value::str("") : to_string_value(c[1]));
  // A []string keeps every element; any other list loses its nils.
  std::string out;
  bool first = true;
  for (const Value& v : list.items()) {
    if (v.is_nil()) continue;
    if (!first) out.append(separator);
    first = false;
    append_str(out, v);
    if (out.size() > kMaxBytes) return fail_size(c);
  }
  return c.give(value::str(out));
}

// strings.SplitN: an empty separator splits runes; n < 0 is no limit; n = 0 is nothing. Of more than
// kMaxItems parts only some are given.
std::vector<std::string_view> split_n(std::string_view s, std::string_view separator, int64_t n) {
  std::vector<std::string_view> out;
  if (n == 0) return out;
  auto room = [&] {
    return out.size() <= kMaxItems && (n < 0 || static_cast<int64_t>(out.size()) + 1 < n);
  };
  if (separator.empty()) {
    while (!s.empty() && room()) {
      auto size = static_cast<size_t>(decode_rune(s).size);
      out.push_back(s.substr(0, size));
      s.remove_prefix(size);
    }
    if (!s.empty()) out.push_back(s);
    return out;
  }
  for (size_t at; room() && (at = find_text(s, separator)) != s.npos;
       s.remove_prefix(at + separator.size())) {
    out.push_back(s.substr(0, at));
  }
  out.push_back(s);
  return out;
}

bool give_numbered(Call& c, const std::vector<std::string_view>& parts) {
  if (parts.size() > kMaxItems) return fail_items(c);
  MapBuilder map;
  for (size_t i = 0; i < parts.size(); ++i) map.add(cat('_', i), value::str(parts[i]));
  return c.give(Value::map(map.finish(), Type::kStringMap));
}

bool split(Call& c) { return give_numbered(c, split_n(text(c, 1), text(c, 0), -1)); }
bool splitn(Call& c) { return give_numbered(c, split_n(text(c, 2), text(c, 0), c[1].as_int())); }

bool split_list(Call& c) {
  auto parts = split_n(text(c, 1), text(c, 0), -1);
  if (parts.size() > kMaxItems) return fail_items(c);
  std::vector<Value> out;
  out.reserve(parts.size());
  for (auto p : parts) out.push_back(value::str(p));
  return c.give(Value::list_of(std::move(out), Type::kStringList));
}

// ---- change ----

bool replace(Call& c) {
  std::string_view from = text(c, 0), to = text(c, 1), s = text(c, 2);
  if (from.empty()) {  // matches before every rune and at the end
    if (to.empty()) return c.give(c[2]);
    if ((rune_count(s) + 1) * to.size() + s.size() > kMaxBytes) return fail_size(c);
    std::string out(to);
    while (!s.empty()) {
      auto size = static_cast<size_t>(decode_rune(s).size);
      out.append(s.substr(0, size)).append(to);
      s.remove_prefix(size);
    }
    return c.give(value::str(out));
  }
  if (from.size() > kShortText) c.steps = 2 * s.size() / kBytesSearchedInAStep;
  size_t n = 0;
  for (size_t at = find_text(s, from); at != s.npos; at = find_text(s, from, at + from.size())) {
    ++n;
  }
  if (n == 0) return c.give(c[2]);
  size_t size = s.size() - n * from.size() + n * to.size();
  if (size > kMaxBytes) return fail_size(c);
  return c.give(Value::string(Str::build(size, [&](char* p) {
    auto put = [&](std::string_view part) {
      if (!part.empty()) std::memcpy(p, part.data(), part.size());
      p += part.size();
    };
    size_t from_at = 0;
    for (size_t at; (at = find_text(s, from, from_at)) != s.npos; from_at = at + from.size()) {
      put(s.substr(from_at, at - from_at));
      put(to);
    }
    put(s.substr(from_at));
  })));
}

bool repeat(Call& c) {
  int64_t n = c[0].as_int();
  std::string_view s = text(c, 1);
  if (n < 0) return c.fail("strings: negative Repeat count");
  if (n == 0 || s.empty()) return c.give(value::str(""));
  if (static_cast<uint64_t>(n) > uint64_t{INT64_MAX} / s.size()) {
    return c.fail("strings: Repeat output length overflow");
  }
  if (static_cast<uint64_t>(n) * s.size() > kMaxBytes) return fail_size(c);
  return c.give(Value::string(Str::build(s.size() * static_cast<size_t>(n), [&](char* p) {
    for (int64_t i = 0; i < n; ++i, p += s.size()) std::memcpy(p, s.data(), s.size());
  })));
}

bool plural(Call& c) { return c.give(c[c[2].as_int() == 1 ? 0 : 1]); }
bool to_string(Call& c) { return c.give(to_string_value(c[0])); }
bool to_strings(Call& c) {
  Value texts = to_string_list(c[0]);
  if (texts.is_list()) c.steps = texts.length();
  return c.give(std::move(texts));
}
bool hello(Call& c) { return c.give(value::str("Hello!")); }

constexpr FuncDef kRows[] = {
    {"cat", "v*", cat_values},
    {"contains", "ss", contains},
    {"hasPrefix", "ss", has_prefix},
    {"hasSuffix", "ss", has_suffix},
    {"hello", "", hello},
    {"initials", "s", initials},
    {"join", "sv", join},
    {"nospace", "s", nospace},
    {"plural", "ssi", plural},
    {"quote", "v*", quote},
    {"repeat", "is", repeat},
    {"replace", "sss", replace},
    {"split", "ss", split},
    {"splitList", "ss", split_list},
    {"splitn", "sis", splitn},
    {"squote", "v*", squote},
    {"substr", "iis", substr},
    {"toString", "v", to_string},
    {"toStrings", "v", to_strings},
    {"trim", "s", trim},
    {"trimAll", "ss", trim_all},
    {"trimPrefix", "ss", trim_prefix},
    {"trimSuffix", "ss", trim_suffix},
    {"trimall", "ss", trim_all},
    {"trunc", "is", trunc},
};

}  // namespace

Family string_family() {
  static const std::vector<FuncDef> rows = [] {
    std::vector<FuncDef> all(std::begin(kRows), std::end(kRows));
    for (Family f : {string_case_family(), string_layout_family()}) {
      all.insert(all.end(), f.begin(), f.end());
    }
    return all;
  }();
  return rows;
}

}  // namespace pintle::funcs
