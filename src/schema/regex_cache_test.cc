#include "schema/regex_cache.h"

#include <gtest/gtest.h>

namespace pintle::schema {
namespace {

TEST(RegexCache, StopsCompilingWhenExpressionsGrowTooLarge) {
  RegexCache cache;
  std::string last;
  for (int i = 0; i < 50 && last.empty(); ++i) {
    const auto& regex = cache.get("\\pL{1,1000}" + std::to_string(i));
    if (!regex) last = regex.error().text();
  }
  EXPECT_TRUE(last.starts_with("error parsing regexp: expression too large: `")) << last;
  EXPECT_FALSE(cache.get("a"));
}

}  // namespace
}  // namespace pintle::schema
