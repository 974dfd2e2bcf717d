// Versions: reading, printing, precedence.
//
// The loose form is v?N(.N)?(.N)?(-pre)?(+meta)?, where pre and meta are dot-separated runs of
// [0-9A-Za-z-]; each piece starts with a character no earlier piece can hold, so one pass without
// backtracking decides what the original decides with a regular expression.
#include <algorithm>

#include "base/gotext.h"
#include "semver/scan.h"
#include "semver/semver.h"

namespace pintle::semver {
namespace {

const char* const kInvalid = "invalid semantic version";

std::string parse_uint_error(std::string_view digits, ParseError why) {
  return "strconv.ParseUint: parsing " + quote(digits) +
         (why == ParseError::kRange ? ": value out of range" : ": invalid syntax");
}

Result<uint64_t> number(std::string_view digits) {
  ParseError why = ParseError::kNone;
  uint64_t n = parse_uint(digits, 10, 64, &why);
  if (why != ParseError::kNone) return Error(parse_uint_error(digits, why));
  return n;
}

Result<uint64_t> segment(std::string_view digits) {
  if (digits.empty()) return uint64_t{0};
  auto n = number(digits);
  if (!n) return Error::wrap("error parsing version segment", std::move(n).error());
  return n;
}

bool all_digits(std::string_view s) { return std::all_of(s.begin(), s.end(), is_number_char); }
bool all_identifier(std::string_view s) {
  return std::all_of(s.begin(), s.end(), is_identifier_char);
}

// Calls each(part) for the dot-separated parts until it returns false.
template <typename Each>
void split_dots(std::string_view s, Each each) {
  while (true) {
    size_t dot = s.find('.');
    if (!each(s.substr(0, dot)) || dot == std::string_view::npos) return;
    s.remove_prefix(dot + 1);
  }
}

int compare_numbers(uint64_t a, uint64_t b) { return a < b ? -1 : a > b ? 1 : 0; }

// A part that is no uint64 counts as text; text ranks above numbers, a missing part below all.
int compare_part(std::string_view a, std::string_view b) {
  if (a == b) return 0;
  if (a.empty()) return -1;
  if (b.empty()) return 1;
  ParseError ea = ParseError::kNone, eb = ParseError::kNone;
  uint64_t na = parse_uint(a, 10, 64, &ea);
  uint64_t nb = parse_uint(b, 10, 64, &eb);
  bool text_a = ea != ParseError::kNone, text_b = eb != ParseError::kNone;
  if (text_a && text_b) return a > b ? 1 : -1;
  if (text_b) return -1;
  if (text_a) return 1;
  return na > nb ? 1 : -1;
}

}  // namespace

int compare_prerelease(std::string_view a, std::string_view b) {
  bool more_a = true, more_b = true;
  auto next = [](std::string_view& rest, bool& more) -> std::string_view {
    if (!more) return {};
    size_t dot = rest.find('.');
    std::string_view part = rest.substr(0, dot);
    more = dot != std::string_view::npos;
    rest.remove_prefix(more ? dot + 1 : rest.size());
    return part;
  };
  while (more_a || more_b) {
    std::string_view pa = next(a, more_a);
    std::string_view pb = next(b, more_b);
    if (int d = compare_part(pa, pb)) return d;
  }
  return 0;
}

std::string Version::text() const {
  std::string out = std::to_string(major);
  out += '.';
  out += std::to_string(minor);
  out += '.';
  out += std::to_string(patch);
  if (!prerelease.empty()) out.append("-").append(prerelease);
  if (!metadata.empty()) out.append("+").append(metadata);
  return out;
}

Status check_prerelease(std::string_view text) {
  const char* why = nullptr;
  split_dots(text, [&](std::string_view part) {
    if (part.empty()) {
      why = "invalid prerelease string";
    } else if (all_digits(part)) {
      if (part.size() > 1 && part[0] == '0') why = "version segment starts with 0";
    } else if (!all_identifier(part)) {
      why = "invalid prerelease string";
    }
    return why == nullptr;
  });
  if (why != nullptr) return Error(why, Code::kInvalidArgument);
  return ok();
}

Status check_metadata(std::string_view text) {
  bool good = true;
  split_dots(text, [&](std::string_view part) {
    good = !part.empty() && all_identifier(part);
    return good;
  });
  if (!good) return Error("invalid metadata string", Code::kInvalidArgument);
  return ok();
}

Result<Version> parse(std::string_view text) {
  if (text.size() > kMaxVersionLength) {
    return Error("version string is too long (max 256 bytes)", Code::kInvalidArgument);
  }
  Parts parts;
  if (scan_version(text, is_number_char, &parts) != text.size() || text.empty()) {
    return Error(kInvalid, Code::kInvalidArgument);
  }
  Version v;
  v.original = text;
  v.prerelease = parts.prerelease;
  v.metadata = parts.metadata;
  v.major = TRY(segment(parts.major));
  v.minor = TRY(segment(parts.minor));
  v.patch = TRY(segment(parts.patch));
  if (!v.prerelease.empty()) TRY(check_prerelease(v.prerelease));
  return v;
}

Result<Version> parse_strict(std::string_view text) {
  if (text.empty()) return Error("version string empty", Code::kInvalidArgument);
  if (text.size() > kMaxVersionLength) {
    return Error("version string is too long (max 256 bytes)", Code::kInvalidArgument);
  }
  size_t dot1 = text.find('.');
  size_t dot2 = dot1 == std::string_view::npos ? dot1 : text.find('.', dot1 + 1);
  if (dot2 == std::string_view::npos) return Error(kInvalid, Code::kInvalidArgument);
  std::string_view segments[3] = {text.substr(0, dot1), text.substr(dot1 + 1, dot2 - dot1 - 1),
                                  text.substr(dot2 + 1)};
  Version v;
  v.original = text;
  std::string_view& last = segments[2];
  if (size_t plus = last.find('+'); plus != std::string_view::npos) {
    v.metadata = last.substr(plus + 1);
    last = last.substr(0, plus);
    TRY(check_metadata(v.metadata));
  }
  if (size_t dash = last.find('-'); dash != std::string_view::npos) {
    v.prerelease = last.substr(dash + 1);
    last = last.substr(0, dash);
    TRY(check_prerelease(v.prerelease));
  }
  for (std::string_view s : segments) {
    if (!all_digits(s)) return Error("invalid characters in version", Code::kInvalidArgument);
    if (s.size() > 1 && s[0] == '0') {
      return Error("version segment starts with 0", Code::kInvalidArgument);
    }
  }
  v.major = TRY(number(segments[0]));
  v.minor = TRY(number(segments[1]));
  v.patch = TRY(number(segments[2]));
  return v;
}

int compare(const Version& a, const Version& b) {
  if (int d = compare_numbers(a.major, b.major)) return d;
  if (int d = compare_numbers(a.minor, b.minor)) return d;
  if (int d = compare_numbers(a.patch, b.patch)) return d;
  if (a.prerelease.empty() && b.prerelease.empty()) return 0;
  if (a.prerelease.empty()) return 1;
  if (b.prerelease.empty()) return -1;
  return compare_prerelease(a.prerelease, b.prerelease);
}

}  // namespace pintle::semver
