#include "schema/decimal.h"

#include <gtest/gtest.h>

namespace pintle::schema {
namespace {

Decimal dec(std::string_view s) { return *Decimal::parse(s); }

TEST(Decimal, ComparesByValue) {
  EXPECT_EQ(dec("1.0").compare(dec("1")), 0);
  EXPECT_EQ(dec("-0").compare(dec("0")), 0);
  EXPECT_EQ(dec("12e-1").compare(dec("1.2")), 0);
  EXPECT_LT(dec("0.1").compare(dec("0.10000000000000000001")), 0);
  EXPECT_LT(dec("-2").compare(dec("-1")), 0);
  EXPECT_LT(dec("-1").compare(dec("0")), 0);
  EXPECT_GT(dec("9").compare(dec("-10")), 0);
  EXPECT_LT(dec("99").compare(dec("1e2")), 0);
}

TEST(Decimal, DividesExactly) {
  EXPECT_TRUE(dec("4.35").is_multiple_of(dec("0.01")));
  EXPECT_FALSE(dec("4.355").is_multiple_of(dec("0.01")));
  EXPECT_TRUE(dec("0").is_multiple_of(dec("7")));
  EXPECT_TRUE(dec("1e308").is_multiple_of(dec("0.5")));
  EXPECT_TRUE(dec("1e30").is_multiple_of(dec("1024")));
  EXPECT_FALSE(dec("1e30").is_multiple_of(dec("3")));
  EXPECT_TRUE(dec("246913578024691357802").is_multiple_of(dec("123456789012345678901")));
  EXPECT_FALSE(dec("246913578024691357803").is_multiple_of(dec("123456789012345678901")));
  EXPECT_TRUE(dec("1e42").is_multiple_of(dec("909494701772928237915039062500")));  // 2^2 5^42
  EXPECT_FALSE(dec("1e30").is_multiple_of(dec("909494701772928237915039062501")));
}

TEST(Decimal, KnowsIntegers) {
  EXPECT_TRUE(dec("1.50e1").is_integer());
  EXPECT_FALSE(dec("1.5").is_integer());
  EXPECT_EQ(dec("2.0").low_bits(), 2);
  EXPECT_EQ(dec("-1e2").low_bits(), -100);
  EXPECT_EQ(dec("1e64").low_bits(), 0);
}

TEST(Decimal, RefusesWhatBigRatRefuses) {
  EXPECT_FALSE(Decimal::parse("1e1000001"));
  EXPECT_FALSE(Decimal::parse("1e99999999999999999999"));
  EXPECT_FALSE(Decimal::parse(""));
  EXPECT_FALSE(Decimal::parse("abc"));
  EXPECT_TRUE(Decimal::parse("0e9999999"));
}

TEST(Decimal, ReadsEveryNumericType) {
  using value::Value;
  for (const Value& v : {Value::integer(3), Value::int64(3), Value::uint8(3), Value::uint64(3),
                         Value::number(3), Value::bytes("3.0")}) {
    EXPECT_EQ(Decimal::of(v)->compare(dec("3")), 0);
    EXPECT_TRUE(is_number(v));
  }
  EXPECT_EQ(Decimal::of(Value::number(0.1))->compare(dec("0.1")), 0);
  EXPECT_EQ(dec("1.5e3").to_double(), 1500.0);
  EXPECT_FALSE(Decimal::of(Value::boolean(true)));
}

}  // namespace
}  // namespace pintle::schema
