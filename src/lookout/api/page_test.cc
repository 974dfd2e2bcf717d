#include "lookout/api/page.h"

#include <gtest/gtest.h>

#include "lookout/api/json.h"

namespace pintle::lookout {
namespace {

constexpr std::string_view kHostile = "<img src=x onerror=alert(1)>\"'&";

TEST(StatusPage, EscapesWhateverAClusterSays) {
  PageData d;
  const std::string bad(kHostile);
  RegionStatus r;
  r.config.name = r.config.environment = r.state = r.error = bad;
  d.regions = {r};
  Tracker::Release release;
  release.name = release.name_space = release.state = release.chart = release.who = bad;
  d.releases = {{bad, release}};
  StoredEvent e;
  e.region = e.event.type = e.event.release = e.event.message = e.event.subject.name = bad;
  d.events = {e};
  Delivery dead;
  dead.dead_reason = bad;
  d.dead = {dead};
  d.error = bad;
  const std::string page = status_page(d);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_NE(page.find("&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
}

TEST(StatusPage, AnEmptyServiceHasAPage) {
  const std::string page = status_page({});
  EXPECT_NE(page.find("No region is configured."), std::string::npos);
  EXPECT_TRUE(page.ends_with("</body></html>\n"));
}

TEST(Metrics, NameEachSeriesOnce) {
  MetricsData d;
  RegionStatus a, b;
  a.config.name = "eu";
  a.state = "live";
  b.config.name = "us";
  d.regions = {a, b};
  d.written.waited[0] = 3;
  d.written.waited[5] = 1;
  d.written.waited_sum_ms = 2005;
  const std::string text = metrics_text(d);
  EXPECT_NE(text.find("lookout_region_live{region=\"eu\"} 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("lookout_region_live{region=\"us\"} 0\n"), std::string::npos);
  EXPECT_EQ(text.find("# TYPE lookout_region_live"), text.rfind("# TYPE lookout_region_live"));
  EXPECT_NE(text.find("lookout_commit_lag_seconds_bucket{le=\"+Inf\"} 4\n"), std::string::npos);
  EXPECT_NE(text.find("lookout_commit_lag_seconds_sum 2.005\n"), std::string::npos);
}

TEST(SubscriptionJson, RefusesWhatIsWrongAndNamesTheKey) {
  struct Case {
    const char *json, *error;
  };
  const Case cases[] = {
      {"[]", "want a JSON object"},
      {"{", "unexpected end of JSON input"},
      {R"({"name":7})", "name: want a text"},
      {R"({"nome":"x"})", "nome: unknown key"},
      {R"({"types":"x"})", "types: want a list of texts"},
      {R"({"types":[7]})", "types: want a list of texts"},
      {R"({"enabled":"no"})", "enabled: want true or false"},
      {R"({"min_severity":"loud"})", "min_severity: want \"info\", \"warning\" or \"error\""},
      {R"({"options":[]})", "options: want an object"},
      {R"({"sink":"stdout"})", "name: a subscription must have a name"},
      {R"({"name":"x","sink":"pigeon"})", "sink: want one of: "},
  };
  for (const Case& c : cases) {
    Subscription s;
    const Status read = read_subscription_json(c.json, s);
    ASSERT_FALSE(read.has_value()) << c.json;
    EXPECT_TRUE(read.error().text().starts_with(c.error)) << read.error().text();
  }
}

TEST(SubscriptionJson, ComesBackWithoutItsSecret) {
  Subscription s;
  ASSERT_TRUE(read_subscription_json(
      R"({"name":"x","sink":"stdout","types":["release.*"],"labels":{"team":"pay"},
          "min_severity":"warning","order_by":"region","enabled":false})",
      s));
  s.secret = "hidden";
  const std::string json = subscription_json(s);
  EXPECT_EQ(json.find("hidden"), std::string::npos);
  EXPECT_NE(json.find(R"("types":["release.*"])"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("enabled":false)"), std::string::npos);
  Subscription again;
  EXPECT_TRUE(read_subscription_json(json, again)) << "what is given can be put";
  EXPECT_EQ(again.filter.min_severity, Severity::kWarning);
}

}  // namespace
}  // namespace pintle::lookout
