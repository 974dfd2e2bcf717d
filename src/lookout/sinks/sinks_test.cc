#include <gtest/gtest.h>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "lookout/sinks/body.h"
#include "lookout/deliver/trial.h"
#include "lookout/sinks/sink.h"
#include "lookout/testing/requests.h"
#include "lookout/testing/temp_place.h"
#include "sys/disk.h"

namespace pintle::lookout {
namespace {

Claimed event(std::string kind, std::string options, std::string secret = "") {
  Claimed c;
  c.delivery.id = 77;
  c.delivery.subscription_id = 5;
  c.event = {
      .sequence = 42, .stored_ms = kNow, .region = "eu-1", .cluster_uid = "c-1", .event = {}};
  Event& e = c.event.event;
  e.type = "release.failed";
  e.severity = Severity::kError;
  e.subject = {"apps", "v1", "Deployment", "shop", "web", "u-1"};
  e.release = "web";
  e.release_namespace = "shop";
  e.revision = 3;
  e.reason = "Progress";
  e.message = "b\xC3\xBC<at user_id=\"all\"> & \"x\"";
  e.time_ms = kNow;
  e.labels = {{"app.kubernetes.io/name", "shopfront"}};
  e.data = R"({"chart":"web-1.2.3"})";
  c.subscription.id = 5;
  c.subscription.sink_kind = std::move(kind);
  c.subscription.options = std::move(options);
  c.subscription.secret = std::move(secret);
  return c;
}

std::string at(const std::string& body, std::initializer_list<std::string_view> path) {
  auto v = json::read(body);
  if (!v) return v.error().text();
  const value::Value* p = &*v;
  for (std::string_view key : path) {
    p = p->get(key);
    if (!p) return "(nothing)";
  }
  return p->is_string() ? std::string(p->as_string()) : *json::write(*p);
}

TEST(Sinks, are_sorted_and_found) {
  const auto names = sink_names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (auto name : names) EXPECT_EQ(find_sink(name)->name, name);
  EXPECT_EQ(find_sink("pigeon"), nullptr);
}

TEST(Sinks, check_names_the_key_at_fault) {
  const struct {
    const char *kind, *options, *secret, *why;
  } cases[] = {
      {"webhook", R"({"url":"https://a.example"})", "", ""},
      {"webhook", R"({"url":"http://hooks.internal:8080/x"})", "", ""},
      {"webhook", R"({})", "", "url: is missing"},
      {"webhook", R"({"url":7})", "", "url: has the wrong type"},
      {"webhook", R"({"uri":"https://a"})", "", "unknown key \"uri\""},
      {"webhook", R"({"url":"https://u:p@a.example"})", "", "holds a user"},
      {"webhook", R"({"url":"https://a.example","format":"xml"})", "",
       "format: \"xml\" is none of"},
      {"webhook", R"({"url":"https://a.example","template":"{{.x"})", "", "unclosed action"},
      {"webhook", R"({"url":"https://a.example","headers":{"Host":"x"}})", "", "headers: Host"},
      {"webhook", R"({"url":"https://a.example","headers":{"A b":"x"}})", "", "is no name"},
      {"webhook", R"({"url":"https://a.example","headers":{"A":"x\r\nB: c"}})", "",
       "headers: has the wrong type"},
      {"webhook", R"({"url":"https://a.example","timeout_ms":60000})", "", "timeout_ms"},
      {"webhook", R"({"url":"https://a.example","ca":"x"})", "", "ca: is no PEM"},
      {"webhook", R"({"url":"https://a.example"})", "hunter2", "does not start with whsec_"},
      {"webhook", R"({"url":"https://a.example"})", "whsec_c2hvcnQ=", "has not 24 to 64 bytes"},
      {"webhook", R"([])", "", "are no object"},
      {"webhook", R"({)", "", "the sink's options"},
      {"dingtalk", R"({})", "https://oapi.dingtalk.com/robot/send?access_token=t SECx", ""},
      {"dingtalk", R"({"format":"link"})", "https://a.example", "format"},
      {"feishu", R"({"url":"https://open.feishu.cn/open-apis/bot/v2/hook/x","format":"card"})", "",
       ""},
      {"wecom", R"({"url":"ftp://x"})", "", "the scheme"},
      {"slack", R"({"channel":"#ops"})", "xoxb-1", ""},
      {"file", R"({"path":"events.jsonl"})", "", ""},
      {"file", R"({"path":"/etc/passwd"})", "", "is not relative"},
      {"file", R"({"path":"a/../../b"})", "", "leads upward"},
      {"file", R"({})", "", "is no file"},
      {"stdout", R"({"format":"plain"})", "", ""},
      {"email", R"({"url":"smtp://m.example","from":"a@b.c","to":["d@e.f"]})", "", ""},
      {"email", R"({"url":"https://m.example","from":"a@b.c","to":["d@e.f"]})", "", "no smtp://"},
      {"email", R"({"url":"smtp://m.example","from":"a@b.c\r\nX","to":["d@e.f"]})", "", "control"},
      {"email", R"({"url":"smtp://m.example","from":"a@b.c","to":["d e@f"]})", "", "to: \"d e@f\""},
      {"nats", R"({"url":"nats://n.internal","subject":"x.{{.type}}"})", "", ""},
      {"nats", R"({"url":"tls://n.internal"})", "", ""},
      {"nats", R"({"url":"https://n.internal"})", "", "no nats://"},
      {"nats", R"({"url":"nats://n.internal","ca":"-----BEGIN CERTIFICATE-----"})", "", "no tls://"},
      {"nats", R"({"url":"tls://n.internal","certificate":"-----BEGIN CERTIFICATE-----"})", "",
       "key: is missing"},
  };
  for (const auto& c : cases) {
    const Claimed it = event(c.kind, c.options, c.secret);
    const Status s = find_sink(c.kind)->check(it.subscription);
    if (*c.why == '\0') {
      EXPECT_TRUE(s) << c.kind << c.options << ": " << s.error().text();
    } else {
      ASSERT_FALSE(s) << c.kind << c.options;
      EXPECT_NE(s.error().text().find(c.why), std::string::npos) << s.error().text();
    }
  }
}

TEST(Webhook, signs_with_every_key_of_a_rotation) {
  const std::string old_key(24, 'a'), new_key(64, 'b');
  const Claimed c =
      event("webhook", R"({"url":"https://a.example/x"})",
            cat("whsec_", crypt::base64_encode(new_key), " whsec_", crypt::base64_encode(old_key)));
  const http::Request r = request_of(c);
  EXPECT_EQ(r.method, "POST");
  EXPECT_EQ(header(r, "webhook-timestamp"), "1767323045");
  const std::string id = header(r, "webhook-id");
  EXPECT_TRUE(id.starts_with("msg_"));
  std::string want;
  for (const std::string& key : {new_key, old_key}) {
    want += cat(want.empty() ? "" : " ", "v1,",
                crypt::base64_encode(crypt::hmac_sha256(key, cat(id, ".1767323045.", r.body))));
  }
  EXPECT_EQ(header(r, "webhook-signature"), want);
}

TEST(Webhook, keeps_its_id_in_a_resend_and_tells_subscriptions_apart) {
  Claimed a = event("webhook", R"({"url":"https://a.example"})"), b = a, c = a;
  b.delivery.generation = 9;
  b.delivery.id = 99;
  c.delivery.subscription_id = 6;
  EXPECT_EQ(webhook_id(a), webhook_id(b));
  EXPECT_NE(webhook_id(a), webhook_id(c));
}

TEST(Webhook, keeps_its_id_when_a_database_that_was_set_back_stores_the_event_again) {
  for (const bool observed : {true, false}) {
    Claimed a = event("webhook", R"({"url":"https://a.example"})");
    a.event.observation_uid = observed ? "uid-9" : "";
    a.event.event.dedup_key = "c/uid-9/deployed/3";
    Claimed again = a, other = a;
    again.event.sequence += 7, again.event.stored_ms += 3'600'000, again.delivery.id += 7;
    EXPECT_EQ(webhook_id(a), webhook_id(again)) << observed;
    other.event.event.dedup_key = "c/uid-9/deployed/4";
    EXPECT_NE(webhook_id(a), webhook_id(other)) << observed;
  }
}

TEST(Webhook, has_another_id_in_each_trial) {
  Subscription s;
  s.sink_kind = "webhook";
  s.options = R"({"url":"https://a.example"})";
  EXPECT_NE(webhook_id(trial_of(s, 1000)), webhook_id(trial_of(s, 1001)));
}

TEST(Webhook, has_another_id_when_a_batch_tells_more) {
  Claimed a = event("webhook", R"({"url":"https://a.example","format":"cloudevents-batch"})"), b = a;
  b.event.sequence += 1;
  b.event.event.dedup_key = "another";
  const auto id = [](const std::vector<Claimed>& some) {
    return header(*find_sink("webhook")->request(some, 0), "webhook-id");
  };
  EXPECT_EQ(id({a, b}), id({a, b}));
  EXPECT_NE(id({a}), id({a, b}));
  EXPECT_NE(id({b}), id({a, b}));
}

TEST(Webhook, gives_a_cloud_event_the_id_of_the_state_that_told_it) {
  Claimed c = event("webhook", R"({"url":"https://a.example"})");
  const auto id = [&] { return at(request_of(c).body, {"id"}); };
  c.event.event.type = "kubernetes.event";
  c.event.observation_uid = "ev-1";
  c.event.observation_version = "7";
  EXPECT_EQ(id(), "c-1/ev-1/7");
  c.delivery.attempts = 3;
  c.delivery.generation = 2;
  EXPECT_EQ(id(), "c-1/ev-1/7") << "the same in every try and resend";
  // What a state means is another event than the state, and it may mean several things.
  c.event.event.type = "release.failed";
  const std::string one = id();
  EXPECT_TRUE(one.starts_with("c-1/ev-1/7/")) << one;
  c.event.event.dedup_key = "another";
  EXPECT_NE(id(), one);
  EXPECT_EQ(at(request_of(c).body, {"sequence"}), "42");
  EXPECT_EQ(at(request_of(c).body, {"release"}), "web");
}

TEST(Webhook, speaks_cloud_events_in_three_forms) {
  http::Request r = request_of(event("webhook", R"({"url":"https://a.example"})"));
  EXPECT_EQ(header(r, "Content-Type"), "application/cloudevents+json");
  EXPECT_EQ(at(r.body, {"specversion"}), "1.0");
  EXPECT_EQ(at(r.body, {"id"}), "c-1/u-1/42");
  EXPECT_EQ(at(r.body, {"source"}), "/regions/eu-1");
  EXPECT_EQ(at(r.body, {"type"}), "release.failed");
  EXPECT_EQ(at(r.body, {"subject"}), "shop/Deployment/web");
  EXPECT_EQ(at(r.body, {"time"}), "2026-01-02T03:04:05.678Z");
  EXPECT_EQ(at(r.body, {"data", "data", "chart"}), "web-1.2.3");

  Claimed c = event("webhook", R"({"url":"https://a.example","format":"cloudevents-binary"})");
  c.event.region = "e\xC3\xBC 1";
  r = request_of(c);
  EXPECT_EQ(header(r, "Content-Type"), "application/json");
  EXPECT_EQ(header(r, "ce-specversion"), "1.0");
  EXPECT_EQ(header(r, "ce-region"), "e%C3%BC%201");
  EXPECT_EQ(at(r.body, {"reason"}), "Progress");

  c = event("webhook", R"({"url":"https://a.example","format":"cloudevents-batch"})");
  const std::vector<Claimed> two = {c, c};
  EXPECT_EQ(find_sink("webhook")->route(c.subscription)->merge, 100u);
  const auto batch = find_sink("webhook")->request(two, kNow);
  EXPECT_EQ(header(*batch, "Content-Type"), "application/cloudevents-batch+json");
  EXPECT_EQ(json::read(batch->body)->length(), 2u);
}

TEST(Webhook, speaks_as_horizon_does) {
  const http::Request r = request_of(
      event("webhook", R"({"url":"https://a.example","format":"horizon"})", "open sesame"));
  EXPECT_EQ(header(r, "X-Horizon-Webhook-Secret"), "open sesame");
  EXPECT_EQ(header(r, "Content-Type"), "application/json;charset=utf-8");
  EXPECT_EQ(at(r.body, {"id"}), "77");
  EXPECT_EQ(at(r.body, {"eventID"}), "42");
  EXPECT_EQ(at(r.body, {"webhookID"}), "5");
  EXPECT_EQ(at(r.body, {"eventType"}), "clusters_kubernetes_event");
  EXPECT_EQ(at(r.body, {"cluster", "name"}), "web");
  EXPECT_EQ(at(r.body, {"cluster", "applicationName"}), "shopfront");
  EXPECT_EQ(at(at(r.body, {"extra"}), {"involvedObject", "apiVersion"}), "apps/v1");
}

TEST(Webhook, fills_a_template_and_refuses_what_is_no_json) {
  http::Request r = request_of(event(
      "webhook",
      R"J({"url":"https://a.example","template":"{\"who\":{{ .release | toJson }},\"n\":{{ .revision }}}"})J"));
  EXPECT_EQ(r.body, R"({"who":"web","n":3})");
  r = request_of(event(
      "webhook",
      R"({"url":"https://a.example","content_type":"text/plain","template":"{{ .data.chart | upper }}"})"));
  EXPECT_EQ(r.body, "WEB-1.2.3");
  for (const char* bad :
       {R"({"url":"https://a.example","template":"{{ .release }}"})",
        R"({"url":"https://a.example","template":"{{ fail \"no\" }}"})",
        R"({"url":"https://a.example","template":"{{ range until 100000 }}{{ . }}{{ end }}"})"}) {
    const Claimed c = event("webhook", bad);
    EXPECT_FALSE(find_sink("webhook")->request({&c, 1}, kNow)) << bad;
  }
}

TEST(Robots, sign_as_their_servers_check) {
  http::Request r = request_of(
      event("dingtalk", "{}", "https://oapi.dingtalk.com/robot/send?access_token=t SEC42"));
  const std::string mac = crypt::base64_encode(crypt::hmac_sha256("SEC42", cat(kNow, "\nSEC42")));
  EXPECT_EQ(r.url,
            cat("https://oapi.dingtalk.com/robot/send?access_token=t&timestamp=", kNow, "&sign=",
                replace_all(replace_all(replace_all(mac, "+", "%2B"), "/", "%2F"), "=", "%3D")));
  EXPECT_EQ(at(r.body, {"msgtype"}), "markdown");

  r = request_of(event("feishu", "{}", "https://open.feishu.cn/hook/x key"));
  EXPECT_EQ(at(r.body, {"timestamp"}), "1767323045");
  EXPECT_EQ(at(r.body, {"sign"}), crypt::base64_encode(crypt::hmac_sha256("1767323045\nkey", "")));
  EXPECT_EQ(at(r.body, {"msg_type"}), "text");

  r = request_of(event("slack", R"({"channel":"#ops"})", "xoxb-9"));
  EXPECT_EQ(r.url, "https://slack.com/api/chat.postMessage");
  EXPECT_EQ(header(r, "Authorization"), "Bearer xoxb-9");
}

TEST(Robots, do_not_let_a_cluster_call_everybody) {
  for (const char* kind : {"dingtalk", "feishu", "wecom", "slack"}) {
    const http::Request r = request_of(event(kind, "{}", "https://robot.example/x"));
    EXPECT_EQ(r.body.find("<at"), std::string::npos) << r.body;
    EXPECT_EQ(r.body.find("\\u003cat"), std::string::npos) << r.body;
  }
}

TEST(Robots, tell_many_in_one_message_each_with_a_line) {
  for (const char* kind : {"dingtalk", "feishu", "wecom", "slack"}) {
    Claimed c = event(kind, "{}", "https://robot.example/x");
    c.event.event.message = std::string(5000, 'm');
    const size_t merge = find_sink(kind)->route(c.subscription)->merge;
    std::vector<Claimed> many(merge, c);
    for (size_t i = 0; i < many.size(); ++i)
      many[i].event.event.release = cat("release-", i, "-", std::string(200, 'x'));
    const auto r = find_sink(kind)->request(many, kNow);
    ASSERT_TRUE(r);
    for (size_t i = 0; i < many.size(); ++i) {
      EXPECT_NE(r->body.find(cat("release-", i, "-")), std::string::npos) << kind << i;
    }
    EXPECT_LT(r->body.size(), 20'000u);
  }
}

TEST(Robots, are_judged_by_what_the_body_says) {
  const struct {
    const char *kind, *body;
    Outcome outcome;
    int64_t wait;
  } cases[] = {
      {"dingtalk", R"({"errcode":0,"errmsg":"ok"})", Outcome::kSucceeded, 0},
      {"dingtalk", R"({"errcode":310000,"errmsg":"sign not match"})", Outcome::kRetry, 0},
      {"dingtalk", R"({"errcode":130101,"errmsg":"send too fast"})", Outcome::kRetry, 600'000},
      {"dingtalk", "<html>", Outcome::kRetry, 0},
      {"wecom", R"({"errcode":45009,"errmsg":"api freq out of limit"})", Outcome::kRetry, 60'000},
      {"feishu", R"({"code":9499,"msg":"too many request"})", Outcome::kRetry, 60'000},
      {"feishu", R"({"code":0})", Outcome::kSucceeded, 0},
      {"feishu", R"({"StatusCode":0,"StatusMessage":"success"})", Outcome::kSucceeded, 0},
      {"slack", "ok", Outcome::kSucceeded, 0},
      {"slack", R"({"ok":true})", Outcome::kSucceeded, 0},
      {"slack", R"({"ok":false,"error":"channel_not_found"})", Outcome::kRetry, 0},
      {"slack", "", Outcome::kRetry, 0},
  };
  for (const auto& c : cases) {
    http::Response r;
    r.status = 200;
    r.body = c.body;
    const Verdict v = find_sink(c.kind)->judge(r);
    EXPECT_EQ(v.outcome, c.outcome) << c.kind << c.body;
    EXPECT_EQ(v.retry_after_ms, c.wait) << c.kind << c.body;
  }
}

TEST(Judge, follows_the_status_and_retry_after) {
  const struct {
    int status;
    http::Headers headers;
    Outcome outcome;
    int64_t wait;
  } cases[] = {
      {200, {}, Outcome::kSucceeded, 0},
      {204, {}, Outcome::kSucceeded, 0},
      {301, {}, Outcome::kRetry, 0},
      {400, {}, Outcome::kDead, 0},
      {404, {}, Outcome::kDead, 0},
      {408, {}, Outcome::kRetry, 0},
      {410, {}, Outcome::kDisable, 0},
      {425, {}, Outcome::kRetry, 0},
      {429, {{"retry-after", "120"}}, Outcome::kRetry, 120'000},
      {500, {}, Outcome::kRetry, 0},
      {503, {{"retry-after", "99999999999999999999"}}, Outcome::kRetry, 3'600'000},
      {503, {{"retry-after", "-5"}}, Outcome::kRetry, 0},
      {503, {{"retry-after", "soon"}}, Outcome::kRetry, 0},
      {503,
       {{"date", "Sun, 06 Nov 1994 08:49:37 GMT"},
        {"retry-after", "Sun, 06 Nov 1994 08:50:37 GMT"}},
       Outcome::kRetry,
       60'000},
  };
  for (const auto& c : cases) {
    const Verdict v = judge_status({c.status, c.headers, ""});
    EXPECT_EQ(v.outcome, c.outcome) << c.status;
    EXPECT_EQ(v.retry_after_ms, c.wait) << c.status;
    EXPECT_EQ(v.why.empty(), v.outcome == Outcome::kSucceeded);
  }
}

TEST(Email, is_a_message_of_its_own) {
  Claimed c =
      event("email",
            R"({"url":"smtp://m.example","from":"lookout@b.c","to":["d@e.f","g@h.i"],"user":"u"})",
            "p w");
  c.event.event.release = "w\xC3\xBC\r\nBcc: x@y.z";
  const http::Request r = request_of(c);
  ASSERT_TRUE(r.mail);
  EXPECT_EQ(r.mail->from, "<lookout@b.c>");
  EXPECT_EQ(r.mail->to, (std::vector<std::string>{"<d@e.f>", "<g@h.i>"}));
  EXPECT_EQ(r.mail->password, "p w");
  EXPECT_EQ(r.body.find("\r\nBcc"), std::string::npos);
  EXPECT_NE(r.body.find(cat("\r\nMessage-ID: <", webhook_id(c), "@b.c>\r\n")), std::string::npos);
  EXPECT_NE(r.body.find("\r\nDate: Fri, 02 Jan 2026 03:04:05 +0000\r\n"), std::string::npos);
  EXPECT_NE(r.body.find("\r\nSubject: =?UTF-8?B?"), std::string::npos);
  for (std::string_view line : split(r.body, "\r\n")) EXPECT_LE(line.size(), 998u);
}

TEST(File, appends_lines) {
  TempPlace here;
  sys::Disk& disk = sys::real_disk();
  const Claimed c = event("file", R"({"path":"events.jsonl","format":"cloudevents"})");
  const std::vector<Claimed> two = {c, c};
  ASSERT_EQ(find_sink("file")->send(two, {kNow, {}, disk, {}, {}}).outcome, Outcome::kSucceeded);
  const std::string text = *disk.read_file("events.jsonl");
  const auto lines = split(text, "\n");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(at(std::string(lines[1]), {"type"}), "release.failed");
}

TEST(File, what_nothing_keeps_is_not_delivered) {
  TempPlace here;
  // A file that takes what is written, and cannot keep it: this thread's name.
  ASSERT_EQ(::symlink("/proc/self/comm", "events.jsonl"), 0);
  const std::string before = *sys::real_disk().read_file("/proc/self/comm");
  const Claimed c = event("file", R"({"path":"events.jsonl"})");
  const Verdict v = find_sink("file")->send({&c, 1}, {kNow, {}, sys::real_disk(), {}, {}});
  EXPECT_EQ(v.outcome, Outcome::kRetry);
  EXPECT_EQ(v.why, "sync events.jsonl: invalid argument");
  EXPECT_TRUE(sys::real_disk().append_file("/proc/self/comm", before, 0600));
}

}  // namespace
}  // namespace pintle::lookout
