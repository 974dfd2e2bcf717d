// Semantic versions and constraints as Masterminds/semver 3.5.0 does them, error texts included.
// Pure; thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pintle::semver {

inline constexpr size_t kMaxVersionLength = 256;
inline constexpr size_t kMaxConstraintLength = 512;
inline constexpr size_t kMaxConstraintGroups = 32;

struct Version {
  uint64_t major = 0, minor = 0, patch = 0;
  std::string prerelease;  // without '-'
  std::string metadata;    // without '+'
  std::string original;

  std::string text() const;  // normalised: 1.2.0-rc.1+meta
};

Result<Version> parse(std::string_view text);  // NewVersion: loose (leading v, missing parts)
Result<Version> parse_strict(std::string_view text);  // StrictNewVersion
int compare(const Version& a, const Version& b);      // precedence; metadata ignored

// Whether `text` may stand after '-' or after '+'. Errors: "version segment starts with 0",
// "invalid prerelease string", "invalid metadata string".
Status check_prerelease(std::string_view text);
Status check_metadata(std::string_view text);

class Constraints {
 public:
  static Result<Constraints> parse(std::string_view text);  // NewConstraint
  bool check(const Version& v) const;
  // Constraints::Validate: false with the reasons Masterminds gives, one per failed comparator.
  bool validate(const Version& v, std::vector<std::string>* reasons) const;
  // Constraints::String: groups joined by " || ", comparators by one space.
  std::string text() const;
  ~Constraints();
  Constraints(Constraints&&) noexcept;
  Constraints& operator=(Constraints&&) noexcept;

 private:
  struct Rep;
  explicit Constraints(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

}  // namespace pintle::semver
