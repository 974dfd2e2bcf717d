// .helmignore (helm pkg/ignore): one filepath.Match pattern per line. Kept quirks: "!x" ignores
// everything that is not x; "**" is refused; a pattern without "/" sees base names only.
// Immutable once parsed; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pintle::chart {

class IgnoreRules {
 public:
  // Only the rule every chart has: templates/.?* (no dot files among the templates).
  IgnoreRules();
  // Error: "double-star (**) syntax is not supported", "syntax error in pattern",
  // "bufio.Scanner: token too long" (a line of 64 KiB).
  static Result<IgnoreRules> parse(std::string_view text);

  // path: inside the chart, '/' separated, no leading slash.
  bool ignores(std::string_view path, bool is_directory) const;

 private:
  struct Rule {
    std::string pattern;
    bool negated = false, directory_only = false, whole_path = false;
  };
  Status add(std::string_view line);

  std::vector<Rule> rules_;
};

}  // namespace pintle::chart
