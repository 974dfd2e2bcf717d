#include "lookout/api/page.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "lookout/testing/api_world.h"

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

struct Pages : ApiWorld {
  using ApiWorld::ApiWorld;
  // One delivery of a webhook, given up.
  void deliver() {
    Subscription s;
    s.name = "<i>hook</i>";
    s.sink_kind = "webhook";
    s.options = R"({"url":"https://a.example/token-in-path"})";
    s.secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
    hook = store.add_subscription(s)->id;
    Event e;
    e.type = "release.failed";
    e.release = "<b>shop</b>";
    e.message = "bad & worse";
    store.add(e);
    const auto claimed = store.claim("o", 0, 60'000, 10);
    for (const Claimed& c : *claimed) {
      Attempt a;
      a.started_ms = kStartMs;
      a.status = 404;
      a.error = "the receiver answered 404";
      a.response_head = "404\nserver: <x>";
      EXPECT_TRUE(store.finish(c.delivery, DeliveryState::kDead, 0, a.error, a));
      if (c.subscription.id == hook) delivery = c.delivery.id;
    }
  }
  std::string path(std::string_view more = "") const { return cat("/page/deliveries/", delivery, more); }
  http::Response browse(std::string method, std::string where, http::Headers headers) {
    http::Request r;
    r.method = std::move(method);
    r.url = api->url() + where;
    r.headers = std::move(headers);
    const auto answer = client->send(r);
    return answer ? *answer : http::Response{};
  }
  int64_t hook = 0, delivery = 0;
};

TokenConfig token(std::string role) {
  return {role, crypt::hex(crypt::sha256(role + "-token")), role};
}

TEST(DeliveryPage, ShowsAttemptsAndACommandWithoutSecrets) {
  Pages w;
  w.deliver();
  const auto page = w.ask("GET", w.path());
  ASSERT_EQ(page.status, 200) << page.text;
  for (const char* part : {"the receiver answered 404", "server: &lt;x&gt;", "curl -i --max-time", "webhook-signature: v1,$sign",
                           "&lt;b&gt;shop", "&lt;i&gt;hook", "<button>resend</button>"}) {
    EXPECT_NE(page.text.find(part), std::string::npos) << part << page.text;
  }
  for (const char* part : {"<b>shop", "<i>hook", "token-in-path", "MDEyMzQ1", "<script", "http-equiv"}) {
    EXPECT_EQ(page.text.find(part), std::string::npos) << part;
  }
  const auto json = w.ask("GET", cat("/deliveries/", w.delivery));
  EXPECT_NE(text_at(json.json, {"curl"}).find("curl -i"), std::string::npos) << json.text;
  EXPECT_EQ(w.ask("GET", "/page/deliveries/99").status, 404);
}

TEST(DeliveryPage, ResendingLeadsToTheNewOne) {
  Pages w;
  w.deliver();
  const auto sent = w.browse("POST", w.path("/resend"), {});
  ASSERT_EQ(sent.status, 303);
  const std::string to = std::string(sent.header("location"));
  EXPECT_EQ(to, cat("../", w.store.all().back().id));
  const auto page = w.ask("GET", cat("/page/deliveries", to.substr(2)));
  EXPECT_NE(page.text.find("Sent again"), std::string::npos) << page.text;
  EXPECT_NE(page.text.find("<button>skip</button>"), std::string::npos);
}

TEST(SubscriptionPage, TestsPausesAndResumes) {
  Pages w;
  w.deliver();
  const std::string path = cat("/page/subscriptions/", w.hook);
  EXPECT_NE(w.ask("GET", path).text.find("What it was told"), std::string::npos);
  const auto tried = w.ask("POST", path + "/test");
  EXPECT_EQ(tried.status, 200);
  EXPECT_NE(tried.text.find("The test was taken."), std::string::npos) << tried.text;
  EXPECT_EQ(w.browse("POST", path + "/pause", {}).header("location"), cat("../", w.hook));
  EXPECT_NE(w.ask("GET", path).text.find("<button>resume</button>"), std::string::npos);
  EXPECT_EQ(w.browse("POST", path + "/resume", {}).status, 303);
  EXPECT_NE(w.ask("GET", path).text.find("<button>pause</button>"), std::string::npos);
}

TEST(Pages, HaveButtonsForThoseWhoMayUseThem) {
  Pages w({token("read"), token("operate"), token("admin")});
  w.deliver();
  for (const std::string& path : {std::string("/"), w.path(), cat("/page/subscriptions/", w.hook)}) {
    EXPECT_EQ(w.ask("GET", path, "", "read-token").text.find("<form"), std::string::npos) << path;
    EXPECT_NE(w.ask("GET", path, "", "operate-token").text.find("<form"), std::string::npos) << path;
  }
  EXPECT_EQ(w.ask("POST", w.path("/resend"), "", "read-token").status, 403);
  // What a receiver answers is for admins.
  EXPECT_EQ(w.ask("GET", w.path(), "", "operate-token").text.find("server: "), std::string::npos);
  EXPECT_NE(w.ask("GET", w.path(), "", "admin-token").text.find("server: "), std::string::npos);
}

TEST(Pages, ObeyNoOtherSite) {
  Pages w;
  w.deliver();
  const std::string host = w.api->url().substr(7), resume = cat("/page/subscriptions/", w.hook, "/resume");
  const struct {
    http::Headers headers;
    int status;
  } cases[] = {
      {{}, 303},  // no browser
      {{{"Origin", "http://" + host}}, 303},
      {{{"Sec-Fetch-Site", "same-origin"}, {"Origin", "https://front.example"}}, 303},
      {{{"Origin", "https://evil.example"}}, 403},
      {{{"Origin", "null"}}, 403},
      {{{"Sec-Fetch-Site", "cross-site"}}, 403},
      {{{"Sec-Fetch-Site", "same-site"}, {"Origin", "http://" + host}}, 403},
  };
  for (const auto& c : cases) EXPECT_EQ(w.browse("POST", resume, c.headers).status, c.status);
  for (const std::string& path : {cat("/subscriptions/", w.hook, "/pause"), std::string("/deliveries:resend")}) {
    EXPECT_EQ(w.browse("POST", path, {{"Origin", "https://evil.example"}}).status, 403) << path;
  }
  EXPECT_EQ(w.browse("GET", "/", {{"Sec-Fetch-Site", "cross-site"}}).status, 200);  // a link
  const std::string policy(w.browse("GET", "/", {}).header("content-security-policy"));
  EXPECT_NE(policy.find("form-action 'self'"), std::string::npos) << policy;
  EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos) << policy;
}

}  // namespace
}  // namespace pintle::lookout
