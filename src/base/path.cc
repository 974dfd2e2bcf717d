#include "base/path.h"

#include <vector>

#include "base/gotext.h"

namespace pintle::path {

std::string clean(std::string_view p) {
  if (p.empty()) return ".";
  const bool rooted = p[0] == '/';
  std::vector<std::string_view> parts;
  for (size_t start = 0; start <= p.size();) {
    const size_t end = std::min(p.find('/', start), p.size());
    const std::string_view part = p.substr(start, end - start);
    start = end + 1;
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (!rooted) {
      parts.push_back(part);
    }
  }
  std::string out = rooted ? "/" : "";
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += '/';
    out += parts[i];
  }
  return out.empty() ? "." : out;
}

std::string join(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (std::string_view part : parts) {
    if (part.empty()) continue;
    if (!all.empty()) all += '/';
    all += part;
  }
  return all.empty() ? all : clean(all);
}

std::string_view base(std::string_view p) {
  if (p.empty()) return ".";
  while (!p.empty() && p.back() == '/') p.remove_suffix(1);
  if (p.empty()) return "/";
  return p.substr(p.rfind('/') + 1);
}

std::string dir(std::string_view p) { return clean(p.substr(0, p.rfind('/') + 1)); }

std::string_view ext(std::string_view p) {
  const size_t dot = p.find_last_of("./");
  if (dot == p.npos || p[dot] == '/') return {};
  return p.substr(dot);
}

std::string absolute(std::string_view p, std::string_view working_dir) {
  return is_abs(p) ? clean(p) : join({working_dir, p});
}

namespace {

enum class Outcome : uint8_t { kMatch, kMiss, kBad };

// The pattern up to the next '*' outside a class.
std::string_view next_chunk(std::string_view pattern) {
  bool in_class = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    switch (pattern[i]) {
      case '\\':
        ++i;
        break;
      case '[':
        in_class = true;
        break;
      case ']':
        in_class = false;
        break;
      case '*':
        if (!in_class) return pattern.substr(0, i);
        break;
      default:
        break;
    }
  }
  return pattern;
}

// One character of a class, escapes undone. Nothing may end a pattern inside a class.
bool class_char(std::string_view& chunk, char32_t* out) {
  if (chunk.empty() || chunk[0] == '-' || chunk[0] == ']') return false;
  if (chunk[0] == '\\') chunk.remove_prefix(1);
  if (chunk.empty()) return false;
  const Rune r = decode_rune(chunk);
  if (r.value == 0xFFFD && r.size == 1) return false;
  chunk.remove_prefix(static_cast<size_t>(r.size));
  *out = r.value;
  return !chunk.empty();
}

// After '[': reads the class to its ']'. *in: whether c belongs to it.
bool class_contains(std::string_view& chunk, char32_t c, bool* in) {
  const bool negated = chunk.starts_with('^');
  if (negated) chunk.remove_prefix(1);
  bool found = false;
  for (bool first = true; first || !chunk.starts_with(']'); first = false) {
    char32_t low = 0;
    if (!class_char(chunk, &low)) return false;
    char32_t high = low;
    if (chunk[0] == '-') {
      chunk.remove_prefix(1);
      if (!class_char(chunk, &high)) return false;
    }
    if (low <= c && c <= high) found = true;
  }
  chunk.remove_prefix(1);
  *in = found != negated;
  return true;
}

// A chunk without stars against the start of *s, which moves past what matched. The whole chunk is
// read even after a mismatch, so that its faults are found.
Outcome match_chunk(std::string_view chunk, std::string_view* s) {
  std::string_view rest = *s;
  bool missed = false;
  while (!chunk.empty()) {
    if (rest.empty()) missed = true;
    const Rune r = missed ? Rune{0, 0} : decode_rune(rest);
    if (chunk[0] == '[') {
      chunk.remove_prefix(1);
      bool in = false;
      if (!class_contains(chunk, r.value, &in)) return Outcome::kBad;
      if (!in) missed = true;
      if (!missed) rest.remove_prefix(static_cast<size_t>(r.size));
    } else if (chunk[0] == '?') {
      chunk.remove_prefix(1);
      if (r.value == '/') missed = true;
      if (!missed) rest.remove_prefix(static_cast<size_t>(r.size));
    } else {
      if (chunk[0] == '\\') chunk.remove_prefix(1);
      if (chunk.empty()) return Outcome::kBad;
      if (!missed && chunk[0] != rest[0]) missed = true;
      chunk.remove_prefix(1);
      if (!missed) rest.remove_prefix(1);
    }
  }
  if (missed) return Outcome::kMiss;
  *s = rest;
  return Outcome::kMatch;
}

}  // namespace

Result<bool> match(std::string_view pattern, std::string_view name) {
  const auto bad = [] { return Error(Code::kInvalidArgument, "syntax error in pattern"); };
  while (!pattern.empty()) {
    bool star = false;
    for (; pattern.starts_with('*'); pattern.remove_prefix(1)) star = true;
    const std::string_view chunk = next_chunk(pattern);
    pattern.remove_prefix(chunk.size());
    if (star && chunk.empty()) return name.find('/') == name.npos;

    // The leftmost place where the chunk fits; the last chunk must also end the name.
    const bool last = pattern.empty();
    bool placed = false;
    for (size_t skip = 0;; ++skip) {
      std::string_view rest = name.substr(skip);
      const Outcome outcome = match_chunk(chunk, &rest);
      if (outcome == Outcome::kBad) return bad();
      if (outcome == Outcome::kMatch && (!last || rest.empty())) {
        name = rest;
        placed = true;
        break;
      }
      if (!star || skip >= name.size() || name[skip] == '/') break;
    }
    if (!placed) return false;
  }
  return name.empty();
}

}  // namespace pintle::path
