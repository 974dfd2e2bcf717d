// The expressions of one schema.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "regex/regex.h"

namespace pintle::schema {

using regex::Regex;

// Compiled expressions by text, with a common limit on their size ("expression too large").
class RegexCache {
 public:
  const Result<regex::RegexPtr>& get(std::string_view pattern);

 private:
  std::map<std::string, Result<regex::RegexPtr>, std::less<>> known_;
  size_t instructions_ = 0;
};

}  // namespace pintle::schema
