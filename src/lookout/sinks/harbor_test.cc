// What is asked of Harbor, and how its answers are taken.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "lookout/sinks/sink.h"
#include "lookout/testing/requests.h"

namespace pintle::lookout {
namespace {

constexpr std::string_view kDigest =
    "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

Claimed pulled(std::string_view image, std::string_view digest, std::string options,
               std::string_view id = "") {
  Claimed c;
  c.event = {.sequence = 42, .stored_ms = 1, .region = "eu-1", .cluster_uid = "c-1", .event = {}};
  c.event.environment = "prod";
  Event& e = c.event.event;
  e.type = "image.pulled";
  e.release = "web";
  e.revision = 3;
  e.data = cat(R"({"image":")", image, R"(","digest":")", digest, R"(","image_id":")", id, "\"}");
  c.subscription.sink_kind = "harbor";
  c.subscription.options = std::move(options);
  c.subscription.secret = "geheim\n";
  c.subscription.order_by = "region";
  return c;
}

const SinkKind& sink() { return *find_sink("harbor"); }

http::Response answer(int status, std::string body = "") {
  http::Response r;
  r.status = status;
  r.body = std::move(body);
  return r;
}

TEST(Harbor, GivesThePulledDigestATag) {
  const Claimed c = pulled("harbor.test/shop/web/front:1.2", kDigest,
                           R"({"url":"https://harbor.test/","user":"robot$lookout"})");
  EXPECT_TRUE(sink().check(c.subscription));
  const http::Request r = request_of(c);
  EXPECT_EQ(r.method, "POST");
  EXPECT_EQ(r.url, cat("https://harbor.test/api/v2.0/projects/shop/repositories/web%252Ffront/artifacts/",
                       kDigest, "/tags"));
  EXPECT_EQ(r.body, R"({"name":"rel-web-3"})");
  EXPECT_EQ(header(r, "Authorization"), "Basic " + crypt::base64_encode("robot$lookout:geheim"));
}

TEST(Harbor, NamesTheTagByTemplateWithWhatATagMayHold) {
  const auto named = [](std::string more, auto change) {
    Claimed c = pulled("harbor.test/shop/web:1", kDigest, cat(R"({"url":"https://harbor.test")", more, "}"));
    change(c);
    return request_of(c).body;
  };
  const auto as_it_is = [](Claimed&) {};
  EXPECT_EQ(named(R"(,"template":"-in {{ .region }}/{{ .release }}")", as_it_is), R"({"name":"in-eu-1-web"})");
  EXPECT_EQ(named("", [](Claimed& c) { c.event.event.revision = 0; }), R"({"name":"running-0123456789ab"})");
  EXPECT_EQ(named("", [](Claimed& c) { c.event.event.release = ""; }), R"({"name":"running-0123456789ab"})");
  EXPECT_EQ(named(R"(,"moving":true)", as_it_is), R"({"name":"deployed-prod-eu-1"})");
  EXPECT_EQ(named(R"(,"moving":true)", [](Claimed& c) { c.event.environment = ""; }), R"({"name":"deployed-eu-1"})");
}

TEST(Harbor, PassesOverWhatItCannotHold) {
  const std::string options = R"({"url":"https://harbor.test"})";
  for (const std::string_view image :
       {"docker.io/library/nginx:1", "harbor.test.evil/shop/web:1", "harbor.test/web:1", "harbor.test", ""}) {
    EXPECT_EQ(request_of(pulled(image, kDigest, options)).url, "") << image;
    EXPECT_EQ(sink().mark(pulled(image, kDigest, options))->key, "") << image;
  }
  for (const std::string_view digest : {"", "sha256:12", "sha512:00"}) {
    EXPECT_EQ(request_of(pulled("harbor.test/shop/web:1", digest, options)).url, "") << digest;
  }
  // A node that names no repository for it says its own digest, which no registry knows.
  EXPECT_EQ(request_of(pulled("harbor.test/shop/web:1", kDigest, options, kDigest)).url, "");
}

TEST(Harbor, TakesTheRepositoryThatTheNodeHasItFrom) {
  const std::string id = cat("harbor.test/shop/real@", kDigest);
  const Claimed c = pulled("docker.io/other/name:1", kDigest, R"({"url":"https://harbor.test:443"})", id);
  EXPECT_NE(request_of(c).url.find("/repositories/real/artifacts/sha256:"), std::string::npos);
}

TEST(Harbor, AMovingTagWantsAnOrder) {
  Claimed c = pulled("", "", R"({"url":"https://harbor.test","moving":true})");
  EXPECT_TRUE(sink().check(c.subscription));
  c.subscription.order_by = "release";
  const Status s = sink().check(c.subscription);
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().text().find("moving: wants an order_by"), std::string::npos);
}

TEST(Harbor, IsJudgedAsItsApiSays) {
  const Claimed c = pulled("harbor.test/shop/web:1", kDigest, R"({"url":"https://harbor.test"})");
  const auto outcome = [&](int status) {
    const Step step = sink().next({&c, 1}, request_of(c), answer(status), 1);
    EXPECT_EQ(step.request.url, "") << status;
    return step.verdict.outcome;
  };
  for (const int status : {201, 404}) EXPECT_EQ(outcome(status), Outcome::kSucceeded) << status;
  for (const int status : {401, 403, 405, 412}) EXPECT_EQ(outcome(status), Outcome::kDead) << status;
  for (const int status : {429, 500, 503}) EXPECT_EQ(outcome(status), Outcome::kRetry) << status;
  const Step step = sink().next(
      {&c, 1}, request_of(c), answer(403, R"({"errors":[{"code":"FORBIDDEN","message":"no\u001b such"}]})"), 1);
  EXPECT_EQ(step.verdict.why.find("the receiver answered 403: no"), 0u) << step.verdict.why;
  EXPECT_EQ(step.verdict.why.find('\x1b'), std::string::npos);
}

TEST(Harbor, AFixedTagThatIsThereIsLookedAt) {
  const Claimed c = pulled("harbor.test/shop/a/b:1", kDigest, R"({"url":"https://harbor.test"})");
  const std::span<const Claimed> events(&c, 1);
  const http::Request create = request_of(c);
  const Step look = sink().next(events, create, answer(409), 1);
  EXPECT_EQ(look.request.method, "GET");
  EXPECT_TRUE(look.request.url.ends_with("/projects/shop/repositories/a%252Fb/artifacts/rel-web-3")) << look.request.url;
  EXPECT_EQ(header(look.request, "Authorization"), header(create, "Authorization"));
  const Step same = sink().next(events, look.request, answer(200, cat(R"({"id":7,"digest":")", kDigest, "\"}")), 2);
  EXPECT_EQ(same.request.url, "");
  EXPECT_EQ(same.verdict.outcome, Outcome::kSucceeded);
  EXPECT_EQ(same.verdict.why, "");
  for (const int status : {404, 429, 503}) {
    const Step later = sink().next(events, look.request, answer(status), 2);
    EXPECT_EQ(later.request.url, "");
    EXPECT_EQ(later.verdict.outcome, Outcome::kRetry) << status;
  }
  const std::string other = cat(R"({"digest":"sha256:)", std::string(64, 'f'), "\"}");
  for (const auto& [status, body] : {std::pair{200, other}, {200, std::string("no JSON")}, {403, std::string()}}) {
    const Step instead = sink().next(events, look.request, answer(status, body), 2);
    EXPECT_EQ(instead.request.url, create.url) << status;
    EXPECT_EQ(instead.request.body, R"({"name":"running-0123456789ab"})");
    for (const int made : {201, 409}) {
      const Step end = sink().next(events, instead.request, answer(made), 3);
      EXPECT_EQ(end.request.url, "") << made;
      EXPECT_EQ(end.verdict.outcome, Outcome::kSucceeded);
      EXPECT_EQ(end.verdict.why, "the tag rel-web-3 is at another artifact, or cannot be looked at: "
                                 "running-0123456789ab holds this one");
    }
    EXPECT_EQ(sink().next(events, instead.request, answer(412), 3).verdict.outcome, Outcome::kDead);
  }
  // A tag with the digest in its name is nobody else's.
  const Claimed bare = pulled("harbor.test/shop/a/b:1", kDigest,
                              R"({"url":"https://harbor.test","template":"running-{{ .data.digest | trimPrefix \"sha256:\" | trunc 12 }}"})");
  const Step there = sink().next({&bare, 1}, request_of(bare), answer(409), 1);
  EXPECT_EQ(there.request.url, "");
  EXPECT_EQ(there.verdict.outcome, Outcome::kSucceeded);
}

TEST(Harbor, AMovingTagThatIsInTheWayIsDeletedAndMadeAnew) {
  const Claimed c = pulled("harbor.test/shop/a/b:1", kDigest, R"({"url":"https://harbor.test","moving":true})");
  const std::span<const Claimed> events(&c, 1);
  const http::Request create = request_of(c);
  EXPECT_EQ(sink().next(events, create, answer(201), 1).verdict.outcome, Outcome::kSucceeded);
  const Step remove = sink().next(events, create, answer(409), 1);
  EXPECT_EQ(remove.request.method, "DELETE");
  EXPECT_TRUE(remove.request.url.ends_with(
      "/repositories/a%252Fb/artifacts/deployed-prod-eu-1/tags/deployed-prod-eu-1")) << remove.request.url;
  EXPECT_EQ(header(remove.request, "Authorization"), header(create, "Authorization"));
  for (const int status : {200, 404}) {  // 404: somebody was faster
    const Step again = sink().next(events, remove.request, answer(status), 2);
    EXPECT_EQ(again.request.method, "POST") << status;
    EXPECT_EQ(again.request.url, create.url);
    EXPECT_EQ(again.request.body, create.body);
  }
  EXPECT_EQ(sink().next(events, remove.request, answer(412), 2).verdict.outcome, Outcome::kDead);
  EXPECT_EQ(sink().next(events, remove.request, answer(500), 2).verdict.outcome, Outcome::kRetry);
  EXPECT_EQ(sink().next(events, create, answer(201), 3).verdict.outcome, Outcome::kSucceeded);
  EXPECT_EQ(sink().next(events, create, answer(409), 3).verdict.outcome, Outcome::kRetry);
}

TEST(Harbor, WhatAsksForTheSameHasOneMark) {
  const std::string other = cat("sha256:", std::string(64, 'f'));
  const auto mark = [](std::string_view image, std::string_view digest, bool moving) {
    const auto m = sink().mark(pulled(image, digest, cat(R"({"url":"https://harbor.test","moving":)", moving ? "true}" : "false}")));
    EXPECT_TRUE(m);
    return m ? std::pair(m->key, m->value) : std::pair<std::string, std::string>();
  };
  EXPECT_EQ(mark("harbor.test/shop/web:1", kDigest, false), mark("harbor.test/shop/web:2", kDigest, false));
  EXPECT_NE(mark("harbor.test/shop/web:1", kDigest, false), mark("harbor.test/shop/api:1", kDigest, false));
  EXPECT_NE(mark("harbor.test/shop/web:1", kDigest, false).first, mark("harbor.test/shop/web:1", other, false).first);
  // A moving tag is one thing, which is at one digest.
  EXPECT_EQ(mark("harbor.test/shop/web:1", kDigest, true).first, mark("harbor.test/shop/web:1", other, true).first);
  EXPECT_EQ(mark("harbor.test/shop/web:1", other, true).second, other);
}

}  // namespace
}  // namespace pintle::lookout
