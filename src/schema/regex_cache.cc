#include "schema/regex_cache.h"

#include "base/strings.h"

namespace pintle::schema {
namespace {

constexpr int64_t kMaxMemory = 32 << 20;        // of one expression
constexpr size_t kMaxInstructions = 2'000'000;  // of all of a schema, 16 bytes each

}  // namespace

const Result<regex::RegexPtr>& RegexCache::get(std::string_view pattern) {
  if (auto it = known_.find(pattern); it != known_.end()) return it->second;
  auto regex = instructions_ < kMaxInstructions
                   ? Regex::compile(pattern, kMaxMemory)
                   : Result<regex::RegexPtr>(Error(
                         cat("error parsing regexp: expression too large: `", pattern, "`")));
  // Finding out that one is too large costs as much as the largest.
  const bool too_large = !regex && regex.error().code() == Code::kResourceExhausted;
  instructions_ += regex ? (*regex)->size() : too_large ? kMaxMemory / 16 : 0;
  return known_.emplace(pattern, std::move(regex)).first->second;
}

}  // namespace pintle::schema
