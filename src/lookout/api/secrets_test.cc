// Secrets of subscriptions go in and never come out: not by any route, not masked back in, not by
// Horizon's paths, not in an attempt.
#include <gtest/gtest.h>

#include "lookout/api/routes.h"
#include "lookout/testing/api_world.h"

namespace pintle::lookout {
namespace {

constexpr std::string_view kBody = R"({"name":"robot","sink":"webhook","secret":"",
  "options":{"url":"https://a.example/tok-in-path?access_token=tok-in-query",
             "headers":{"Authorization":"Bearer tok-in-header"}}})";

// Every answer to a GET, with whatever ids there may be.
std::string all_answers(ApiWorld& w, int64_t id) {
  std::string out;
  for (const ApiRoute& r : routes()) {
    if (r.method != "GET" || r.handler == nullptr) continue;
    std::string path(r.path);
    for (const char* part : {"{id}", "{sequence}"}) path = replace_all(path, part, cat(id));
    path = replace_all(replace_all(path, "{name}", "north"), "{type}", "none");
    path = replace_all(replace_all(path, "{version}", "v1"), "{scope}", "groups");
    out += w.ask("GET", path).text;
  }
  return out;
}

TEST(ApiSecrets, NoAnswerHoldsThem) {
  ApiWorld w;
  const auto made = w.ask("POST", "/subscriptions", std::string(kBody));
  ASSERT_EQ(made.status, 201) << made.text;
  const int64_t id = number_at(made.json, {"id"});
  EXPECT_EQ(text_at(made.json, {"options", "url"}), "https://a.example/***");
  EXPECT_EQ(text_at(made.json, {"options", "headers", "Authorization"}), "***");
  const std::string path = cat("/subscriptions/", id);
  std::string all = made.text + all_answers(w, id);
  all += w.ask("POST", path + "/pause").text + w.ask("POST", path + "/resume").text;
  all += w.ask("POST", path + "/test").text + w.ask("PUT", path, R"({"types":["release.*"]})").text;
  all += w.ask("PUT", path, R"({"options":{"url":"https://b.example/***"}})").text;
  EXPECT_EQ(all.find("tok-in"), std::string::npos) << all;
  EXPECT_EQ(w.tried.options.find("***"), std::string::npos) << "a test is sent to the real place";
}

TEST(ApiSecrets, WhatComesBackMaskedIsKept) {
  ApiWorld w;
  const auto made = w.ask("POST", "/subscriptions", std::string(kBody));
  const int64_t id = number_at(made.json, {"id"});
  const std::string path = cat("/subscriptions/", id);
  const std::string before = w.store.whole_subscription(id)->options;
  // All that was read goes back as it came, with one change.
  std::string back = replace_all(made.text, R"("types":[])", R"("types":["release.*"])");
  const auto put = w.ask("PUT", path, back);
  ASSERT_EQ(put.status, 200) << put.text;
  EXPECT_EQ(w.store.whole_subscription(id)->options, before);
  EXPECT_EQ(w.store.whole_subscription(id)->filter.types.size(), 1u);

  const struct {
    std::string body;
    int status;
    std::string_view said, url;
  } cases[] = {
      {R"({"options":{"url":"https://a.example/***"}})", 200, "", "tok-in-path"},
      {R"({"options":{"url":"https://b.example/***"}})", 400, "options: url: is masked", "tok-in-path"},
      {R"({"options":{"url":"https://b.example/new","headers":{"X":"***"}}})", 400,
       "options: headers: X: is masked", "tok-in-path"},
      {R"({"options":{"url":"https://b.example/new"}})", 200, "", "b.example/new"},
  };
  for (const auto& c : cases) {
    const auto got = w.ask("PUT", path, c.body);
    EXPECT_EQ(got.status, c.status) << c.body << got.text;
    EXPECT_NE(got.error().find(c.said), std::string::npos) << got.text;
    EXPECT_NE(w.store.whole_subscription(id)->options.find(c.url), std::string::npos) << c.body;
  }
  EXPECT_EQ(w.ask("POST", "/subscriptions",
                  R"({"name":"x","sink":"webhook","options":{"url":"https://a.example/***"}})")
                .status,
            400)
      << "nothing is there to keep";
}

TEST(ApiSecrets, HorizonsClientsSeeThemMaskedToo) {
  ApiWorld w;
  const auto made = w.ask("POST", "/apis/core/v2/groups/0/webhooks",
                          R"({"url":"https://a.example/tok-in-path","triggers":["*"],"secret":"tok-in-secret"})");
  ASSERT_EQ(made.status, 200) << made.text;
  const int64_t id = number_at(made.json, {"data", "id"});
  EXPECT_EQ(text_at(made.json, {"data", "url"}), "https://a.example/***");
  const auto put = w.ask("PUT", cat("/apis/core/v2/webhooks/", id),
                         R"({"url":"https://a.example/***","description":"d"})");
  EXPECT_EQ(put.status, 200) << put.text;
  const auto whole = w.store.whole_subscription(id);
  EXPECT_NE(whole->options.find("tok-in-path"), std::string::npos);
  EXPECT_NE(whole->options.find("\"d\""), std::string::npos);
  EXPECT_EQ(whole->secret, "tok-in-secret");
  EXPECT_EQ((put.text + all_answers(w, id)).find("tok-in"), std::string::npos);
}

}  // namespace
}  // namespace pintle::lookout
