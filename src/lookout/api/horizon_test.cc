#include <gtest/gtest.h>

#include "lookout/sinks/horizon.h"
#include "lookout/testing/api_world.h"

namespace pintle::lookout {
namespace {

constexpr std::string_view kHook =
    R"({"url":"https://hooks.example.com/x","enabled":true,"sslVerifyEnabled":true,)"
    R"("description":"ours","secret":"open sesame","triggers":["clusters_deployed"]})";

struct World : ApiWorld {
  int64_t cluster = horizon_cluster("cluster-1", "prod", "web");

  World() {
    file.regions[0].name = "eu-1";
    take();
    ApiHooks::NamedRelease r;
    r.region = "eu-1";
    r.release.name = "web";
    r.release.name_space = "prod";
    releases = {r};
    ask("POST", of_file + "/pause");
  }
  std::string path(std::string_view rest) { return cat("/apis/core/v1/", rest); }
  std::string message(const Got& got) { return std::string(text_at(got.json, {"errorMessage"})); }
};

TEST(Horizon, AWebhookIsMadeShownChangedAndRemoved) {
  World w;
  const std::string place = w.path(cat("clusters/", w.cluster, "/webhooks"));
  const auto made = w.ask("POST", place, std::string(kHook));
  ASSERT_EQ(made.status, 200) << made.text;
  const int64_t id = number_at(made.json, {"data", "id"});
  const std::string one = w.path(cat("webhooks/", id));
  EXPECT_EQ(made.text, cat(R"({"data":{"id":)", id, R"(,"enabled":true,)",
                           R"("url":"https://hooks.example.com/***","sslVerifyEnabled":true,)",
                           R"("description":"ours","secret":"","triggers":["clusters_deployed"]}})",
                           "\n"));
  EXPECT_EQ(w.ask("GET", one).text, made.text);
  EXPECT_EQ(w.ask("GET", cat("/apis/core/v2/webhooks/", id)).text, made.text);
  const auto list = w.ask("GET", place + "?pageNumber=1&pageSize=10");
  EXPECT_EQ(number_at(list.json, {"data", "total"}), 1) << list.text;
  EXPECT_EQ(number_at(w.ask("GET", w.path("groups/0/webhooks")).json, {"data", "total"}), 0);

  const auto s = w.store.whole_subscription(id);
  EXPECT_EQ(s->filter.releases, std::vector<std::string>{"web"});
  EXPECT_EQ(s->filter.types, std::vector<std::string>{"release.deployed"});
  EXPECT_EQ(s->secret, "open sesame");

  const auto changed = w.ask("PUT", one, R"({"enabled":false,"triggers":[]})");
  EXPECT_FALSE(flag_at(changed.json, {"data", "enabled"})) << changed.text;
  EXPECT_EQ(text_at(changed.json, {"data", "url"}), "https://hooks.example.com/***");
  EXPECT_EQ(w.store.whole_subscription(id)->secret, "open sesame");
  EXPECT_EQ(w.ask("DELETE", one).status, 200);
  EXPECT_EQ(w.ask("GET", one).status, 404);
}

TEST(Horizon, EachScopeIsAFilter) {
  World w;
  const auto number = [](std::string_view kind, std::string_view name) {
    return cat(horizon_number(cat(kind, "\n", name)));
  };
  struct Case {
    std::string scope;
    size_t regions, namespaces, releases;
  };
  const Case cases[] = {{"groups/0", 0, 0, 0},
                        {"groups/" + number("group", "eu-1"), 1, 0, 0},
                        {"applications/" + number("application", "web"), 0, 0, 1},
                        {cat("clusters/", w.cluster), 1, 1, 1}};
  for (const Case& c : cases) {
    const std::string place = w.path(cat(c.scope, "/webhooks"));
    const auto made = w.ask("POST", place, std::string(kHook));
    ASSERT_EQ(made.status, 200) << c.scope << made.text;
    const auto s = w.store.whole_subscription(number_at(made.json, {"data", "id"}));
    EXPECT_EQ(s->filter.regions.size(), c.regions) << c.scope;
    EXPECT_EQ(s->filter.namespaces.size(), c.namespaces) << c.scope;
    EXPECT_EQ(s->filter.releases.size(), c.releases) << c.scope;
    EXPECT_EQ(number_at(w.ask("GET", place).json, {"data", "total"}), 1) << c.scope;
  }
}

TEST(Horizon, LogsTellWhatWasSentAndAreSentAgain) {
  World w;
  const auto made = w.ask("POST", w.path("groups/0/webhooks"), std::string(kHook));
  const std::string logs = w.path(cat("webhooks/", number_at(made.json, {"data", "id"}), "/logs"));
  w.store.add(event_of("release.deployed"));
  Event other = event_of("release.deployed");
  other.release = "shop";
  w.store.add(other);
  auto claimed = *w.store.claim("me", 1, 60'000, 10);
  ASSERT_EQ(claimed.size(), 2u);
  Attempt a;
  a.n = 1;
  a.started_ms = kStartMs;
  a.status = 404;
  a.error = "HTTP 404";
  a.response_head = "no such hook";
  ASSERT_TRUE(w.store.finish(claimed[0].delivery, DeliveryState::kDead, 0, "HTTP 404", a));

  auto list = w.ask("GET", logs);
  EXPECT_EQ(number_at(list.json, {"data", "total"}), 2) << list.text;
  list = w.ask("GET", logs + "?filter=we&eventType=clusters_deployed");
  ASSERT_EQ(number_at(list.json, {"data", "total"}), 1) << list.text;
  const value::Value& item = value_at(list.json, {"data", "items"})->items()[0];
  EXPECT_EQ(text_at(item, {"status"}), "failed");
  EXPECT_EQ(text_at(item, {"resourceType"}), "clusters");
  EXPECT_EQ(text_at(item, {"resourceName"}), "web");
  EXPECT_EQ(number_at(item, {"resourceID"}), w.cluster);
  EXPECT_EQ(text_at(item, {"errorMessage"}), "HTTP 404");
  EXPECT_EQ(number_at(w.ask("GET", logs + "?eventType=members_created").json, {"data", "total"}), 0);
  EXPECT_EQ(value_at(w.ask("GET", logs + "?pageNumber=2&pageSize=1").json, {"data", "items"})->length(), 1u);

  const std::string one = w.path(cat("webhooklogs/", number_at(item, {"id"})));
  const auto detail = w.ask("GET", one);
  EXPECT_EQ(text_at(detail.json, {"data", "responseBody"}), "no such hook") << detail.text;
  EXPECT_TRUE(text_at(detail.json, {"data", "requestData"}).starts_with("{\"id\":")) << detail.text;
  EXPECT_EQ(detail.text.find("sesame"), std::string::npos);
  const auto again = w.ask("POST", one + "/resend");
  EXPECT_EQ(text_at(again.json, {"data", "status"}), "waiting") << again.text;
  EXPECT_EQ(number_at(w.ask("GET", logs).json, {"data", "total"}), 3);
}

TEST(Horizon, AClustersEventsAreTheNewestOfItsPods) {
  World w;
  Event e = event_of("kubernetes.event");
  e.subject.kind = "Pod";
  e.subject.name = "web-1";
  e.reason = "BackOff";
  e.data = R"({"type":"Warning","count":7})";
  w.store.add(e);
  e.subject.name = "web-2";
  w.store.add(e);
  const std::string place = w.path(cat("clusters/", w.cluster, "/events"));
  EXPECT_EQ(value_at(w.ask("GET", place).json, {"data"})->length(), 2u);
  const auto one = w.ask("GET", place + "?podName=web-1");
  ASSERT_EQ(value_at(one.json, {"data"})->length(), 1u) << one.text;
  const value::Value& shown = value_at(one.json, {"data"})->items()[0];
  EXPECT_EQ(text_at(shown, {"type"}), "Warning");
  EXPECT_EQ(text_at(shown, {"reason"}), "BackOff");
  EXPECT_EQ(number_at(shown, {"count"}), 7);
}

TEST(Horizon, ItsTypesAreTwentyOne) {
  World w;
  const auto got = w.ask("GET", w.path("supportevents"));
  EXPECT_EQ(value_at(got.json, {"data"})->length(), 21u) << got.text;
}

TEST(Horizon, RefusesWhatIsWrongInItsOwnShape) {
  World w;
  struct Case {
    std::string method, path, body;
    int status;
    std::string code, message;
  };
  const std::string hooks = "groups/0/webhooks";
  const std::string other = replace_all(w.of_file.substr(1), "subscriptions", "webhooks");
  const Case cases[] = {
      {"GET", "nothing", "", 404, "NotFound", "there is nothing here"},
      {"GET", "webhooks/99", "", 404, "NotFound", "there is no subscription 99"},
      {"GET", "webhooks/x", "", 400, "InvalidParam", "the path's id: want a number"},
      {"GET", other, "", 404, "NotFound", "there is no webhook"},
      {"GET", "webhooklogs/99", "", 404, "NotFound", "there is no webhook log 99"},
      {"GET", "templates/0/webhooks", "", 404, "NotFound", "there is nothing here"},
      {"POST", "clusters/7/webhooks", std::string(kHook), 404, "NotFound",
       "there is nothing with the id 7 in clusters"},
      {"DELETE", hooks, "", 405, "InvalidParam", "this path has GET, POST only"},
      {"POST", hooks, "{", 400, "InvalidParam", ""},
      {"POST", hooks, "{}", 400, "InvalidParam", "url: want http:// or https://"},
      {"POST", hooks, R"({"url":"ftp://x","triggers":["*"]})", 400, "InvalidParam", "url: want"},
      {"POST", hooks, R"({"url":"https://x.example"})", 400, "InvalidParam", "triggers: want one"},
      {"POST", hooks, R"({"url":"https://x.example","triggers":["odd"]})", 400, "InvalidParam",
       "triggers: no event is of type \"odd\""},
      {"POST", hooks, R"({"url":"https://x.example","triggers":["members_created"]})", 400,
       "InvalidParam", "triggers: none of these events"},
      {"POST", hooks, R"({"url":"http://x.example","sslVerifyEnabled":true,"triggers":["*"]})", 400,
       "InvalidParam", "sslVerifyEnabled: the url"},
      {"GET", "supportevents?odd=1", "", 400, "InvalidParam", "odd: unknown parameter"},
  };
  for (const Case& c : cases) {
    const auto got = w.ask(c.method, w.path(c.path), c.body);
    EXPECT_EQ(got.status, c.status) << c.method << " " << c.path << " " << c.body << got.text;
    EXPECT_EQ(text_at(got.json, {"errorCode"}), c.code) << c.path << got.text;
    EXPECT_TRUE(w.message(got).starts_with(c.message)) << c.path << got.text;
  }
  EXPECT_EQ(w.ask("GET", "/apis/core/v3/supportevents").status, 404);
}

}  // namespace
}  // namespace pintle::lookout
