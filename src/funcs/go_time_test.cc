#include "funcs/go_time.h"

#include <gtest/gtest.h>

namespace pintle::funcs {
namespace {

Time at(int64_t epoch, const char* zone = "UTC", int32_t nanos = 0) {
  return {epoch, nanos, Zone::load(zone), std::nullopt};
}
std::string parsed(std::string_view layout, std::string_view text) {
  auto t = parse_time(layout, text, Zone::utc());
  return t ? t->text() : t.error().text();
}

TEST(Time, TheZeroValueIsYearOne) {
  EXPECT_EQ(Time().text(), "0001-01-01 00:00:00 +0000 UTC");
  EXPECT_TRUE(Time().is_zero());
}

TEST(Time, FormatsEveryToken) {
  const Time t = at(1614816367, "America/New_York", 50600000);  // 2021-03-03 19:06:07.0506 EST
  const std::pair<const char*, const char*> cases[] = {
      {"2006 06", "2021 21"},
      {"January Jan 1 01", "March Mar 3 03"},
      {"2 _2 02 002 __2", "3  3 03 062  62"},
      {"Monday Mon", "Wednesday Wed"},
      {"15 3 03 4 04 5 05", "19 7 07 6 06 7 07"},
      {"PM pm", "PM pm"},
      {"05.000 05,00 05.999999 05.9", "07.050 07,05 07.0506 07"},
      {"MST", "EST"},
      {"-0700 -07:00 -07 -070000 -07:00:00", "-0500 -05:00 -05 -050000 -05:00:00"},
      {"Z0700 Z07:00", "-0500 -05:00"},
      {"yyyy-mm Janx Month _2006", "yyyy-mm Janx Month _2021"},
  };
  for (auto [layout, want] : cases) EXPECT_EQ(t.format(layout), want) << layout;
  EXPECT_EQ(at(0).format("Z07:00 Z0700 Z07"), "Z Z Z");
}

TEST(Time, ReadsWhatItFormats) {
  EXPECT_EQ(parsed("2006-01-02T15:04:05Z07:00", "2021-03-04T05:06:07+02:00"),
            "2021-03-04 05:06:07 +0200 +0200");
  EXPECT_EQ(parsed("Jan _2 2006 3:04PM", "feb  5 2017 3:04PM"), "2017-02-05 15:04:00 +0000 UTC");
  EXPECT_EQ(parsed("2006-002", "2016-060"), "2016-02-29 00:00:00 +0000 UTC");
  EXPECT_EQ(parsed("15:04:05", "10:20:30.5"), "0000-01-01 10:20:30.5 +0000 UTC");
  EXPECT_EQ(parsed("MST 2006", "CET 2017"), "2017-01-01 00:00:00 +0000 CET");
}

TEST(Time, ComplaintsAreGos) {
  EXPECT_EQ(parsed("2006", "bad"),
            "parsing time \"bad\" as \"2006\": cannot parse \"bad\" as \"2006\"");
  EXPECT_EQ(parsed("2006-01-02", "2017-02-30"), "parsing time \"2017-02-30\": day out of range");
  EXPECT_EQ(parsed("2006-01", "2017-13"), "parsing time \"2017-13\": month out of range");
  EXPECT_EQ(parsed("2006", "2017x"), "parsing time \"2017x\": extra text: \"x\"");
  EXPECT_EQ(parsed("2006 2", "2017-2"),
            "parsing time \"2017-2\" as \"2006 2\": cannot parse \"-2\" as \" \"");
}

TEST(Time, ArithmeticCrossesMonthsAndSummerTime) {
  EXPECT_EQ(at(1706659200).add_date(0, 1, 0).text(), "2024-03-02 00:00:00 +0000 UTC");
  const Time before = make_date(2024, 3, 10, 1, 30, 0, 0, Zone::load("America/New_York"));
  EXPECT_EQ(before.add(3600 * kSecond).text(), "2024-03-10 03:30:00 -0400 EDT");
  EXPECT_EQ(before.add_date(0, 0, 1).text(), "2024-03-11 01:30:00 -0400 EDT");
  EXPECT_EQ(at(100).truncate(60 * kSecond).epoch, 60);
  EXPECT_EQ(at(100).round(60 * kSecond).epoch, 120);
  EXPECT_EQ(at(INT64_MAX).since(at(INT64_MIN)), INT64_MAX);
  at(INT64_MAX).text();  // any year prints
  at(INT64_MIN).text();
}

TEST(Zone, RulesReachBeyondTheTable) {
  const Zone* sydney = Zone::load("Australia/Sydney");
  ASSERT_NE(sydney, nullptr);
  EXPECT_EQ(sydney->at(4102444800).offset, 39600);  // 2100-01-01
  EXPECT_EQ(sydney->at(4118083200).offset, 36000);  // 2100-07-01
  EXPECT_EQ(Zone::load("Bad/Zone"), nullptr);
  EXPECT_EQ(Zone::load("../etc/passwd"), nullptr);
  EXPECT_EQ(Zone::load("/etc/localtime"), nullptr);
  EXPECT_EQ(Zone::load("UTC"), Zone::utc());
  EXPECT_FALSE(Zone::parse("x", "TZif2 too short"));
}

TEST(Duration, ReadsAndPrints) {
  const std::pair<const char*, const char*> cases[] = {
      {"1h15m30.918s", "1h15m30.918s"},
      {"-1.5h", "-1h30m0s"},
      {"1.5ms", "1.5ms"},
      {"2\xc2\xb5s", "2\xc2\xb5s"},
      {".5s", "500ms"},
      {"0", "0s"},
      {"9223372036854775807ns", "2562047h47m16.854775807s"},
      {"-9223372036854775808ns", "-2562047h47m16.854775808s"},
      {"", "time: invalid duration \"\""},
      {"5", "time: missing unit in duration \"5\""},
      {"1d", "time: unknown unit \"d\" in duration \"1d\""},
      {"9223372036854775808ns", "time: invalid duration \"9223372036854775808ns\""},
  };
  for (auto [in, want] : cases) {
    auto d = parse_duration(in);
    EXPECT_EQ(d ? duration_text(*d) : d.error().text(), want) << in;
  }
}

TEST(Duration, RoundsHalvesAwayFromZero) {
  EXPECT_EQ(duration_round(90, 60), 120);
  EXPECT_EQ(duration_round(-90, 60), -120);
  EXPECT_EQ(duration_round(89, 60), 60);
  EXPECT_EQ(duration_round(INT64_MAX, INT64_MAX - 1), INT64_MAX - 1);
  EXPECT_EQ(duration_round(INT64_MAX, 10), INT64_MAX);
  EXPECT_EQ(duration_truncate(-90, 60), -60);
  EXPECT_EQ(duration_truncate(90, 0), 90);
}

}  // namespace
}  // namespace pintle::funcs
