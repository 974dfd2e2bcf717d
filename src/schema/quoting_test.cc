#include "schema/quoting.h"

#include <gtest/gtest.h>

namespace pintle::schema {
namespace {

TEST(Quoting, SingleQuotesSwapTheirRoles) {
  EXPECT_EQ(quote_single("it's \"so\"\n"), R"('it\'s "so"\n')");
  EXPECT_EQ(quote_single("a\\b"), R"('a\\b')");
  EXPECT_EQ(quote_single("\\"), R"('\')");  // the library eats the escape of a last backslash
}

TEST(Quoting, Runes) {
  EXPECT_EQ(quote_rune('x'), "'x'");
  EXPECT_EQ(quote_rune('\''), R"('\'')");
  EXPECT_EQ(quote_rune('"'), R"('"')");
  EXPECT_EQ(quote_rune(1), R"('\x01')");
}

TEST(Quoting, NumbersAreEnglish) {
  EXPECT_EQ(english(int64_t{-1234567}), "-1,234,567");
  EXPECT_EQ(english(int64_t{999}), "999");
  EXPECT_EQ(english(12345.678), "12,345.678");
  EXPECT_EQ(english(999999.9), "999,999.9");
  EXPECT_EQ(english(1e6), "1×10⁰⁶");
  EXPECT_EQ(english(-1.5e300), "-1.5×10³⁰⁰");
  EXPECT_EQ(english(0.0001), "0.0001");
  EXPECT_EQ(english(1.234e-7), "1.234×10⁻⁰⁷");
}

TEST(Quoting, PointerTokensAreEscaped) {
  std::string out;
  append_pointer_token(out, "a/b~c");
  EXPECT_EQ(out, "a~1b~0c");
}

}  // namespace
}  // namespace pintle::schema
