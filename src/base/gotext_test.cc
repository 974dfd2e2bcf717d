#include "base/gotext.h"

#include <cmath>

#include <gtest/gtest.h>

namespace pintle {
namespace {

TEST(DecodeRune, RejectsWhatGoRejects) {
  struct Row {
    std::string_view in;
    char32_t value;
    int size;
  } rows[] = {
      {"", 0xFFFD, 0},          {"a", 'a', 1},
      {"\xC3\xA9x", 0xE9, 2},   {"\xE2\x82\xAC", 0x20AC, 3},
      {"\xF0\x9F\x98\x80", 0x1F600, 4},
      {"\xC0\x80", 0xFFFD, 1},  {"\xED\xA0\x80", 0xFFFD, 1},  // overlong, surrogate
      {"\xF4\x90\x80\x80", 0xFFFD, 1}, {"\xE2\x82", 0xFFFD, 1}, {"\xFF", 0xFFFD, 1},
      {"\xEF\xBF\xBD", 0xFFFD, 3},
  };
  for (const auto& row : rows) {
    Rune r = decode_rune(row.in);
    EXPECT_EQ(r.value, row.value) << row.in;
    EXPECT_EQ(r.size, row.size) << row.in;
  }
}

TEST(DecodeLastRune, StopsAtAnInvalidTail) {
  EXPECT_EQ(decode_last_rune("a\xC3\xA9").value, 0xE9u);
  EXPECT_EQ(decode_last_rune("\xC3\xA9\xA9").size, 1);
  EXPECT_EQ(decode_last_rune("\xA9\xA9\xA9\xA9\xA9").size, 1);
  EXPECT_EQ(decode_last_rune("").size, 0);
}

TEST(AppendRune, ReplacesWhatIsNoRune) {
  std::string out;
  for (char32_t r : {U'a', U'\u00e9', U'\U0001F600', char32_t{0xD800}, char32_t{0x110000}}) {
    append_rune(out, r);
  }
  EXPECT_EQ(out, "a\xC3\xA9\xF0\x9F\x98\x80\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_TRUE(valid_utf8(out));
  EXPECT_FALSE(valid_utf8("a\xFF"));
  EXPECT_EQ(rune_count("a\xC3\xA9\xFF"), 3u);
}

TEST(Unicode, ClassesAreGos) {
  EXPECT_TRUE(is_space(0x85));
  EXPECT_TRUE(is_space(0x3000));
  EXPECT_FALSE(is_space(0x200B));
  EXPECT_TRUE(is_letter(0x4E2D));
  EXPECT_TRUE(is_digit(0x0663));
  EXPECT_FALSE(is_digit(0xB2));
  EXPECT_TRUE(is_number(0xB2));
  EXPECT_TRUE(is_title(0x1C5));
  EXPECT_TRUE(is_punct('-'));
  EXPECT_FALSE(is_punct('+'));
  EXPECT_FALSE(is_print(0xA0));
  EXPECT_TRUE(is_graphic(0xA0));
  EXPECT_FALSE(is_print(0x110000));
}

TEST(Unicode, CaseMapsRuneByRune) {
  EXPECT_EQ(to_upper(U'\u00ff'), 0x178u);
  EXPECT_EQ(to_lower(char32_t{0x130}), U'i');
  EXPECT_EQ(to_title(char32_t{0x1C6}), 0x1C5u);
  EXPECT_EQ(to_upper(char32_t{0x101}), 0x100u);  // alternating stretch
  EXPECT_EQ(to_upper("stra\xC3\x9F" "e"), "STRA\xC3\x9F" "E");
  EXPECT_EQ(to_lower("ABC\xFF"), "abc\xEF\xBF\xBD");
  EXPECT_EQ(trim_space("\xE2\x80\x83 a b\n\xC2\xA0"), "a b");
}

TEST(Quote, EscapesAsStrconv) {
  EXPECT_EQ(quote("a\"\\\n\x01\x7f\xff"), R"("a\"\\\n\x01\x7f\xff")");
  EXPECT_EQ(quote("\xC3\xA9\xC2\xA0\xE2\x80\xA8"), "\"\xC3\xA9\\u00a0\\u2028\"");
  std::string ascii;
  append_quoted(ascii, "\xC3\xA9\xF0\x9F\x98\x80", true);
  EXPECT_EQ(ascii, R"("\u00e9\U0001f600")");
  EXPECT_EQ(rune_name('-'), "U+002D '-'");
  EXPECT_EQ(rune_name(1), "U+0001");
}

TEST(Unquote, UndoesQuote) {
  EXPECT_EQ(unquote(R"("a\x41\u00e9\101\n")"), "aA\xC3\xA9" "A\n");
  EXPECT_EQ(unquote("`a\r\\n`"), "a\\n");
  EXPECT_EQ(unquote(R"('\'')"), "'");
  EXPECT_EQ(unquote("''"), "");
  for (auto bad : {"", "\"", "\"a", "\"\\'\"", "'ab'", "\"a\nb\"", "\"\\ud800\"", "\"\\400\"",
                   "`a`b`", "\"a\"b\""}) {
    EXPECT_FALSE(unquote(bad)) << bad;
  }
}

TEST(AppendFloat, LaysDigitsOutAsStrconv) {
  struct Row {
    double d;
    char fmt;
    int precision;
    int bits;
    const char* want;
  } rows[] = {
      {1e6, 'g', -1, 64, "1e+06"},       {999999.5, 'g', -1, 64, "999999.5"},
      {0.0001, 'g', -1, 64, "0.0001"},   {0.00001, 'g', -1, 64, "1e-05"},
      {100, 'g', 3, 64, "100"},          {100, 'g', 2, 64, "1e+02"},
      {100, 'g', 10, 64, "100"},         {1234567, 'g', 20, 64, "1234567"},
      {2.5, 'f', 0, 64, "2"},            {1e21, 'f', -1, 64, "1000000000000000000000"},
      {0.1, 'f', 20, 64, "0.10000000000000000555"}, {1.5, 'e', 3, 64, "1.500e+00"},
      {0, 'e', -1, 64, "0e+00"},         {3.14159265358979, 'g', -1, 32, "3.1415927"},
      {1.5, 'x', -1, 64, "0x1.8p+00"},   {0.1, 'X', 3, 64, "0X1.99AP-04"},
      {1.5, 'b', -1, 64, "6755399441055744p-52"}, {-0.0, 'g', -1, 64, "-0"},
      {-HUGE_VAL, 'g', -1, 64, "-Inf"},  {5e-324, 'g', -1, 64, "5e-324"},
  };
  for (const auto& row : rows) {
    std::string out;
    append_float(out, row.d, row.fmt, row.precision, row.bits);
    EXPECT_EQ(out, row.want);
  }
}

TEST(AppendFloat, PadsPrecisionsBeyondADoublesDigits) {
  std::string out;
  append_float(out, 0.5, 'f', 5000);
  EXPECT_EQ(out.size(), 5002u);
  out.clear();
  append_float(out, 0.5, 'e', 5000);
  EXPECT_EQ(out.size(), 5006u);
}

TEST(AppendFloatV, SwitchesToExponentsAtAMillion) {
  std::string out;
  for (double d : {0.0, -0.0, 1.0, -12.0, 999999.0, 1e6, 123456789.0, 0.5}) {
    append_float_v(out, d);
    out.push_back(' ');
  }
  EXPECT_EQ(out, "0 -0 1 -12 999999 1e+06 1.23456789e+08 0.5 ");
}

TEST(ParseFloat, KnowsGosSyntax) {
  bool range;
  EXPECT_EQ(parse_float("1_0"), 10);
  EXPECT_EQ(parse_float("0x_1p4"), 16);
  EXPECT_EQ(parse_float("+.5e1"), 5);
  EXPECT_EQ(parse_float("-Infinity"), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(*parse_float("nAn")));
  EXPECT_EQ(parse_float("1e400", &range), HUGE_VAL);
  EXPECT_TRUE(range);
  EXPECT_EQ(parse_float("1e-400", &range), 0);
  EXPECT_FALSE(range);
  for (auto bad : {"", ".", "1_", "_1", "1__0", "0x1", "1e", " 1", "1 ", "-nan", "1.2.3", "infi"}) {
    EXPECT_FALSE(parse_float(bad)) << bad;
  }
}

TEST(ParseInt, KnowsGosSyntax) {
  struct Row {
    const char* in;
    int base, bits;
    int64_t want;
    ParseError error;
  } rows[] = {
      {"0x1F", 0, 64, 31, ParseError::kNone},     {"017", 0, 64, 15, ParseError::kNone},
      {"0o17", 0, 64, 15, ParseError::kNone},     {"-0b101", 0, 64, -5, ParseError::kNone},
      {"1_000", 0, 64, 1000, ParseError::kNone},  {"1_000", 10, 64, 0, ParseError::kSyntax},
      {"08", 0, 64, 0, ParseError::kSyntax},      {"08", 10, 64, 8, ParseError::kNone},
      {"", 10, 64, 0, ParseError::kSyntax},       {"+", 10, 64, 0, ParseError::kSyntax},
      {"0x", 0, 64, 0, ParseError::kSyntax},      {"128", 10, 8, 127, ParseError::kRange},
      {"-129", 10, 8, -128, ParseError::kRange},  {"-128", 10, 8, -128, ParseError::kNone},
      {"9223372036854775808", 10, 64, INT64_MAX, ParseError::kRange},
      {"-9223372036854775808", 10, 64, INT64_MIN, ParseError::kNone},
      {"99999999999999999999", 10, 64, INT64_MAX, ParseError::kRange},
  };
  for (const auto& row : rows) {
    ParseError e;
    EXPECT_EQ(parse_int(row.in, row.base, row.bits, &e), row.want) << row.in;
    EXPECT_EQ(e, row.error) << row.in;
  }
}

}  // namespace
}  // namespace pintle
