// Sprig's functions that lay text out: indentation, wrapping, shortening. All count bytes.
#include <algorithm>
#include <cstring>

#include "funcs/convert.h"
#include "funcs/strings_family.h"

namespace pintle::funcs {

using value::Call;
using value::FuncDef;
using value::Str;
using value::Value;

namespace {

// Pads every line, also blank ones and the one after a last newline, in one allocation.
bool indent_lines(Call& c, bool newline_first) {
  int64_t n = c[0].as_int();
  std::string_view s = c[1].as_string();
  if (n < 0) return c.fail("strings: negative Repeat count");
  size_t lines = static_cast<size_t>(std::count(s.begin(), s.end(), '\n')) + 1;
  auto pad = static_cast<uint64_t>(n);
  if (pad > kMaxBytes || pad * lines + s.size() > kMaxBytes) return fail_size(c);
  if (pad == 0 && !newline_first) return c.give(c[1]);
  size_t size = s.size() + static_cast<size_t>(pad) * lines + (newline_first ? 1 : 0);
  return c.give(Value::string(Str::build(size, [&](char* p) {
    if (newline_first) *p++ = '\n';
    while (true) {
      std::memset(p, ' ', pad);
      p += pad;
      size_t end = s.find('\n');
      size_t line = end == s.npos ? s.size() : end + 1;
      if (line > 0) std::memcpy(p, s.data(), line);
      p += line;
      if (end == s.npos) return;
      s.remove_prefix(line);
    }
  })));
}

bool indent(Call& c) { return indent_lines(c, false); }
bool nindent(Call& c) { return indent_lines(c, true); }

// goutils.WrapCustom. Newlines already there are ordinary characters.
bool wrap_text(Call& c, std::string_view s, int64_t width, std::string_view newline,
               bool break_words) {
  if (newline.empty()) newline = "\n";
  auto limit = static_cast<size_t>(std::max<int64_t>(width, 1));
  std::string out;
  size_t at = 0;
  while (s.size() - at > limit) {
    if (s[at] == ' ') {
      ++at;
      continue;
    }
    size_t space = s.substr(at, limit + 1).rfind(' ');
    size_t next;
    if (space != s.npos) {
      next = at + space;
    } else if (break_words) {
      next = at + limit;
    } else {
      next = s.find(' ', at + limit);
    }
    if (next == s.npos) {
      out.append(s.substr(at));
      at = s.size();
      break;
    }
    out.append(s.substr(at, next - at)).append(newline);
    if (out.size() > kMaxBytes) return fail_size(c);
    at = space == s.npos && break_words ? next : next + 1;
  }
  out.append(s.substr(at));
  return c.give(value::str(out));
}

bool wrap(Call& c) { return wrap_text(c, c[1].as_string(), c[0].as_int(), "", false); }
bool wrap_with(Call& c) {
  return wrap_text(c, c[2].as_string(), c[0].as_int(), c[1].as_string(), true);
}

// goutils.AbbreviateFull: a window of `width` bytes that starts near `offset`.
bool abbreviate(Call& c, const Value& arg, int64_t offset, int64_t width) {
  std::string_view s = arg.as_string();
  auto size = static_cast<int64_t>(s.size());
  if (size <= width) return c.give(arg);
  offset = std::min(offset, size - (width - 3));
  auto part = [&](int64_t from, int64_t n) {
    return s.substr(static_cast<size_t>(from), static_cast<size_t>(n));
  };
  std::string out;
  if (offset <= 4) {
    out.append(part(0, width - 3)).append("...");
  } else if (width < 7) {
    return c.give(value::str(""));
  } else if (offset + width - 3 < size) {
    // Both ends are cut: the middle is abbreviated again, which needs room for its own mark.
    out.append("...").append(part(offset, width - 6)).append("...");
  } else {
    out.append("...").append(part(size - (width - 3), width - 3));
  }
  return c.give(value::str(out));
}

bool abbrev(Call& c) {
  if (c[0].as_int() < 4) return c.give(c[1]);
  return abbreviate(c, c[1], 0, c[0].as_int());
}

bool abbrevboth(Call& c) {
  int64_t left = c[0].as_int(), right = c[1].as_int();
  if (right < 4 || (left > 0 && right < 7)) return c.give(c[2]);
  return abbreviate(c, c[2], left, right);
}

constexpr FuncDef kRows[] = {
    {"abbrev", "is", abbrev},   {"abbrevboth", "iis", abbrevboth}, {"indent", "is", indent},
    {"nindent", "is", nindent}, {"wrap", "is", wrap},              {"wrapWith", "iss", wrap_with},
};

}  // namespace

Family string_layout_family() { return kRows; }

}  // namespace pintle::funcs
