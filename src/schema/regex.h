// Regular expressions as Go's regexp package takes them, run by RE2 (same syntax, linear time).
//
// Differences covered: (?<name>...) and \p{Letter} are accepted; error texts are Go's; \C is
// refused. Not covered: the classes \p{LC}, \p{ASCII}, \p{Assigned} and \p{Cn}, which RE2 lacks;
// and of an expression wrong in two ways at once RE2 may name the other one.
// Thread-safe once compiled.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace pintle::schema {

class Regex {
 public:
  // Error: "error parsing regexp: missing closing ]: `[a`".
  static Result<std::shared_ptr<const Regex>> compile(std::string_view pattern);
  ~Regex();

  bool matches(std::string_view s) const;  // anywhere in s
  const std::string& pattern() const { return pattern_; }
  size_t size() const;  // of the compiled program, in instructions

 private:
  Regex(std::string_view pattern, std::unique_ptr<re2::RE2> re);
  std::string pattern_;
  std::unique_ptr<re2::RE2> re_;
};

// Compiled expressions by text, with a common limit on their size ("expression too large").
class RegexCache {
 public:
  const Result<std::shared_ptr<const Regex>>& get(std::string_view pattern);

 private:
  std::map<std::string, Result<std::shared_ptr<const Regex>>, std::less<>> known_;
  size_t instructions_ = 0;
};

}  // namespace pintle::schema
