// Regular expressions as Go's regexp package takes them, run by RE2 (the same syntax, linear time).
//
// Differences covered: (?<name>...); names in \p{...} as Go 1.25 reads them (long names, any case,
// with or without separators); \C and bytes that are not UTF-8, which Go refuses; repeat counts of
// nine digits, which RE2 takes for text; the wording of errors. Not covered: the classes \p{LC},
// \p{ASCII}, \p{Assigned} and \p{Cn}, which RE2 lacks; and of an expression wrong in two ways at
// once RE2 may name the other one. Thread-safe once compiled.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace pintle::regex {

class Regex {
 public:
  // Errors are Go's: "error parsing regexp: missing closing ]: `[a`". One that needs more memory
  // than allowed is "expression too large", kResourceExhausted.
  static Result<std::shared_ptr<const Regex>> compile(std::string_view pattern,
                                                      int64_t max_memory = 32 << 20);
  ~Regex();

  bool matches(std::string_view s) const;  // anywhere in s; a broken byte is U+FFFD, as in Go
  const std::string& pattern() const { return pattern_; }
  size_t size() const;  // of the compiled program, in instructions
  const re2::RE2& re2() const { return *re_; }

 private:
  Regex(std::string_view pattern, std::unique_ptr<re2::RE2> re);
  std::string pattern_;
  std::unique_ptr<re2::RE2> re_;
};

using RegexPtr = std::shared_ptr<const Regex>;

}  // namespace pintle::regex
