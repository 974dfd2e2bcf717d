// Semantic versions, strict as blang/semver reads them; "v1.2" with normalising.
#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "cel/function.h"
#include "cel/things.h"

namespace pintle::cel {
namespace {

using Args = std::span<const Val>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool all_digits(std::string_view s) { return std::all_of(s.begin(), s.end(), is_digit); }
bool all_identifier(std::string_view s) {
  return std::all_of(s.begin(), s.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}
bool leading_zero(std::string_view s) { return s.size() > 1 && s[0] == '0'; }

Result<uint64_t> number_of(std::string_view s, std::string_view what, std::string_view capital) {
  if (!all_digits(s)) return Error(cat("Invalid character(s) found in ", what, " number ", quote(s)));
  if (leading_zero(s)) return Error(cat(capital, " number must not contain leading zeroes ", quote(s)));
  ParseError error = ParseError::kNone;
  const uint64_t n = parse_uint(s, 10, 64, &error);
  if (error == ParseError::kNone) return n;
  return Error(cat("strconv.ParseUint: parsing ", quote(s), ": ",
                   error == ParseError::kRange ? "value out of range" : "invalid syntax"));
}

Result<semver::Version> parse_blang(std::string_view s) {
  if (s.empty()) return Error("Version string empty");
  const size_t first = s.find('.'), second = first == s.npos ? s.npos : s.find('.', first + 1);
  if (second == s.npos) return Error("No Major.Minor.Patch elements found");
  semver::Version v;
  v.major = TRY(number_of(s.substr(0, first), "major", "Major"));
  v.minor = TRY(number_of(s.substr(first + 1, second - first - 1), "minor", "Minor"));
  std::string_view patch = s.substr(second + 1);
  const size_t plus = patch.find('+');
  std::string_view build = plus == patch.npos ? std::string_view() : patch.substr(plus + 1);
  patch = patch.substr(0, plus);
  const bool has_build = plus != std::string_view::npos;
  const size_t dash = patch.find('-');
  std::string_view pre = dash == patch.npos ? std::string_view() : patch.substr(dash + 1);
  v.patch = TRY(number_of(patch.substr(0, dash), "patch", "Patch"));
  if (dash != std::string_view::npos) {
    for (std::string_view id : split(pre, ".")) {
      if (id.empty()) return Error("Prerelease is empty");
      if (all_digits(id) && leading_zero(id)) {
        return Error(cat("Numeric PreRelease version must not contain leading zeroes ", quote(id)));
      }
      if (!all_identifier(id)) return Error(cat("Invalid character(s) found in prerelease ", quote(id)));
    }
  }
  if (has_build) {
    for (std::string_view id : split(build, ".")) {
      if (id.empty()) return Error("Build meta data is empty");
      if (!all_identifier(id)) return Error(cat("Invalid character(s) found in build meta data ", quote(id)));
    }
  }
  v.prerelease = pre;
  v.metadata = build;
  return v;
}

Result<semver::Version> normalize(std::string_view s) {
  s = without_prefix(s, "v");
  std::vector<std::string> parts;
  for (size_t dot; parts.size() < 2 && (dot = s.find('.')) != s.npos; s.remove_prefix(dot + 1)) {
    parts.emplace_back(s.substr(0, dot));
  }
  parts.emplace_back(s);
  for (std::string& p : parts) {
    if (p.size() < 2) continue;
    p.erase(0, std::min(p.find_first_not_of('0'), p.size()));
    if (p.empty() || !is_digit(p[0])) p.insert(0, "0");
  }
  if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string::npos) {
    return Error("short version cannot contain PreRelease/Build meta data");
  }
  while (parts.size() < 3) parts.emplace_back("0");
  return parse_blang(join(parts, "."));
}

Result<semver::Version> read(Args v) {
  return v.size() > 1 && v[1].b ? normalize(v[0].view()) : parse_blang(v[0].view());
}
Val to_semver(Arena& a, Args v) {
  auto version = read(v);
  if (!version) return a.error(version.error().text());
  SemverThing out;
  out.version = std::move(*version);
  return Val::of(Kind::kSemver, a.keep(std::move(out)));
}
Val is_semver(Arena&, Args v) { return Val::boolean(read(v).has_value()); }

const semver::Version& version_of(const Val& v) { return thing<SemverThing>(v).version; }
int64_t compare(Args v) { return semver::compare(version_of(v[0]), version_of(v[1])); }
Val compare_to(Arena&, Args v) { return Val::integer(compare(v)); }
Val is_less(Arena&, Args v) { return Val::boolean(compare(v) < 0); }
Val is_greater(Arena&, Args v) { return Val::boolean(compare(v) > 0); }
Val major(Arena&, Args v) { return Val::integer(static_cast<int64_t>(version_of(v[0]).major)); }
Val minor(Arena&, Args v) { return Val::integer(static_cast<int64_t>(version_of(v[0]).minor)); }
Val patch(Arena&, Args v) { return Val::integer(static_cast<int64_t>(version_of(v[0]).patch)); }

constexpr Row kRows[] = {
    {"semver", "string -> kubernetes.Semver", to_semver, Cost::kText},
    {"semver", "string, bool -> kubernetes.Semver", to_semver, Cost::kText},
    {"isSemver", "string -> bool", is_semver, Cost::kText},
    {"isSemver", "string, bool -> bool", is_semver, Cost::kText},
    {"isGreaterThan", "kubernetes.Semver.(kubernetes.Semver) -> bool", is_greater},
    {"isLessThan", "kubernetes.Semver.(kubernetes.Semver) -> bool", is_less},
    {"compareTo", "kubernetes.Semver.(kubernetes.Semver) -> int", compare_to},
    {"major", "kubernetes.Semver.() -> int", major},
    {"minor", "kubernetes.Semver.() -> int", minor},
    {"patch", "kubernetes.Semver.() -> int", patch},
};

}  // namespace

std::span<const Row> semver_rows() { return kRows; }

}  // namespace pintle::cel
