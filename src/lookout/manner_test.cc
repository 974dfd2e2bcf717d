#include "lookout/manner.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kMinute = 60'000, kHour = 60 * kMinute, kDay = 24 * kHour;
constexpr int64_t kMidnight = 20'000 * kDay;

TEST(Manner, ComesBackAsItWent) {
  for (const std::string_view text :
       {R"({})",
        R"({"whom":["trigger","{{ .labels.owner }}"],"fall_back":"always","retry":["5s","90s"],"give_up":"2d","disable_after":"5d","quiet":"22:00-07:30 +08:00","quiet_but":"warning","digest":"10m","once_per":["release","revision"]})",
        R"({"quiet":"09:00-17:00"})", R"({"quiet":"09:00-17:00 -03:30"})"}) {
    const auto m = read_manner(text);
    ASSERT_TRUE(m) << text << m.error().text();
    EXPECT_EQ(manner_json(*m), text);
    EXPECT_EQ(*read_manner(manner_json(*m)), *m);
  }
}

TEST(Manner, SaysWhatIsWrong) {
  const struct {
    std::string_view text, why;
  } cases[] = {
      {R"({"whom":["{{"]})", "whom: "},
      {R"({"whom":"trigger"})", "whom: want a list of texts"},
      {R"({"fall_back":"never"})", "fall_back: want \"nobody\""},
      {R"({"retry":["soon"]})", "retry: want durations"},
      {R"({"retry":["10ms"]})", "retry: want 1s to 7d each"},
      {R"({"retry":["8d"]})", "retry: want 1s to 7d each"},
      {R"({"give_up":"1s"})", "give_up: want 1m to 30d"},
      {R"({"give_up":"31d"})", "give_up: want 1m to 30d"},
      {R"({"disable_after":"1s"})", "disable_after: want 1m to 365d"},
      {R"({"quiet":"22-7"})", "quiet: want hours"},
      {R"({"quiet":"22:00-25:00"})", "quiet: want hours"},
      {R"({"quiet":"22:00-22:00"})", "quiet: want hours"},
      {R"({"quiet":"22:00-07:00 +15:00"})", "quiet: want hours"},
      {R"({"quiet":"22:00-07:00Z+08:00"})", "quiet: want hours"},
      {R"({"quiet_but":"bad"})", "quiet_but: want \"info\""},
      {R"({"digest":"1s"})", "digest: want 10s to 1d"},
      {R"({"once_per":["who"]})", "once_per: want some of: type"},
      {R"({"once":[]})", "once: unknown key"},
  };
  for (const auto& c : cases) {
    const auto m = read_manner(c.text);
    ASSERT_FALSE(m) << c.text;
    EXPECT_NE(m.error().text().find(c.why), std::string::npos) << m.error().text();
  }
}

TEST(Manner, QuietHoursEndWhereTheyAre) {
  const auto until = [](std::string_view hours, int64_t minute) {
    const auto m = read_manner(cat(R"({"quiet":")", hours, R"("})"));
    EXPECT_TRUE(m);
    const int64_t now = kMidnight + minute * kMinute, end = quiet_until_ms(m->quiet, now);
    return end == 0 ? -1 : (end - kMidnight) / kMinute;
  };
  EXPECT_EQ(until("09:00-17:00", 8 * 60 + 59), -1);
  EXPECT_EQ(until("09:00-17:00", 9 * 60), 17 * 60);
  EXPECT_EQ(until("09:00-17:00", 17 * 60), -1);
  EXPECT_EQ(until("22:00-07:00", 23 * 60), 31 * 60);  // the next day's
  EXPECT_EQ(until("22:00-07:00", 60), 7 * 60);
  EXPECT_EQ(until("22:00-07:00", 12 * 60), -1);
  EXPECT_EQ(until("22:00-07:00 +08:00", 14 * 60), 23 * 60);
  EXPECT_EQ(until("22:00-07:00 -08:00", 7 * 60), 15 * 60);
  EXPECT_EQ(quiet_until_ms({}, kMidnight), 0);
}

TEST(Manner, AlikeIsWhatTheFieldsSay) {
  Manner m;
  Event a, b;
  a.type = b.type = "release.deployed";
  a.release = b.release = "web";
  a.reason = "x";
  const auto key = [&](const Event& e, int64_t id = 1) { return once_key(m, id, e, "eu", "c"); };
  EXPECT_EQ(key(a), "");
  m.once_per = {"type", "release"};
  EXPECT_EQ(key(a), key(b));
  EXPECT_NE(key(a), key(a, 2));
  m.once_per.emplace_back("reason");
  EXPECT_NE(key(a), key(b));
}

}  // namespace
}  // namespace pintle::lookout
