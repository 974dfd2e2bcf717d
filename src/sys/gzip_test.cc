#include "sys/gzip.h"

#include <gtest/gtest.h>

#include "base/result.h"

namespace pintle::sys {
namespace {

constexpr size_t kLimit = 1 << 20;

std::string sample(size_t size) {
  std::string s;
  for (uint32_t x = 1; s.size() < size; x = x * 1664525 + 1013904223)
    s += static_cast<char>(x >> 24);
  return s;
}

TEST(Gzip, ReadsWhatItWrites) {
  for (const std::string& text :
       {std::string(), std::string("hello"), std::string(300000, 'a'), sample(100000)}) {
    const std::string gz = gzip(text, {"Helm", std::string("rr\x02\x00xy", 6)});
    const auto back = gunzip(gz, kLimit);
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(*back, text);
  }
}

TEST(Gzip, HeaderIsGos) {
  const std::string gz = gzip("x", {"Helm", "ab"});
  const std::string want("\x1f\x8b\x08\x14\0\0\0\0\0\xff\x02\0abHelm\0", 19);
  EXPECT_EQ(gz.substr(0, want.size()), want);
}

TEST(Gzip, MembersInARowAreOneText) {
  EXPECT_EQ(gunzip(gzip("one ") + gzip("two"), kLimit).value(), "one two");
}

TEST(Gzip, ErrorsAreGos) {
  const std::string good = gzip(sample(5000));
  std::string bad_sum = good;
  bad_sum[good.size() - 6] ^= 1;
  const std::pair<std::string, std::string> rows[] = {
      {"", "EOF"},
      {"\x1f\x8b", "unexpected EOF"},
      {"not a gzip file", "gzip: invalid header"},
      {good.substr(0, good.size() / 2), "unexpected EOF"},
      {good.substr(0, good.size() - 3), "unexpected EOF"},
      {bad_sum, "gzip: invalid checksum"},
      {good + "trailing garbage", "gzip: invalid header"},
      {good + "x", "unexpected EOF"},
  };
  for (const auto& [bytes, want] : rows) {
    const auto got = gunzip(bytes, kLimit);
    ASSERT_FALSE(got.has_value()) << want;
    EXPECT_EQ(got.error().text(), want);
  }
}

TEST(Gzip, ATruncatedStreamGivesItsBeginning) {
  const std::string text = sample(200000);
  const std::string gz = gzip(text);
  const Inflated half = inflate(gz.substr(0, gz.size() / 2), kLimit);
  ASSERT_TRUE(half.error.has_value());
  EXPECT_GT(half.data.size(), 60000u);
  EXPECT_EQ(half.data, text.substr(0, half.data.size()));
}

TEST(Gzip, ABombStopsAtTheLimit) {
  const Inflated bomb = inflate(gzip(std::string(50 << 20, '\0')), kLimit);
  ASSERT_TRUE(bomb.error.has_value());
  EXPECT_EQ(bomb.error->code(), Code::kResourceExhausted);
  EXPECT_EQ(bomb.data.size(), kLimit);
  EXPECT_TRUE(gunzip(gzip(std::string(kLimit, '\0')), kLimit).has_value()) << "exactly the limit";
}

}  // namespace
}  // namespace pintle::sys
