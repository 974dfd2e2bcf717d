// Deliveries over TLS to real servers: one whose authority nobody else knows, one that lets in only
// who has a certificate of its authority.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "httpd/httpd.h"
#include "json/json.h"
#include "lookout/deliver/trial.h"
#include "lookout/sinks/sink.h"
#include "sys/disk.h"

namespace pintle::lookout {
namespace {

crypt::CertRequest named(std::string name) {
  crypt::CertRequest r;
  r.common_name = name;
  r.dns_names = {name};
  r.days = 1;
  r.key_pem = *crypt::generate_private_key("ecdsa");
  return r;
}

struct Authority {
  crypt::Certificate own = *crypt::make_ca(named("authority.test"));
  crypt::Certificate make(std::string name) const { return *crypt::make_signed(named(std::move(name)), own); }
};

struct Receiver {
  Receiver(const crypt::Certificate& own, std::string client_ca) {
    httpd::Options o;
    o.tls = {own.cert, own.key, std::move(client_ca)};
    auto started = httpd::Server::start(o, [this](std::shared_ptr<httpd::Exchange> e) {
      ++count;
      e->respond({200, {}, {}});
    });
    EXPECT_TRUE(started) << started.error().text();
    server = std::move(*started);
  }
  std::string url() const { return cat("https://receiver.test:", server->port(), "/hook"); }
  std::atomic<int> count{0};
  std::unique_ptr<httpd::Server> server;
};

std::string options(const Receiver& r, const std::string& ca, const crypt::Certificate& ours) {
  std::string out = cat("{\"url\":", json::quoted(r.url()));
  if (!ca.empty()) append(out, {",\"ca\":", json::quoted(ca)});
  if (!ours.cert.empty()) {
    append(out, {",\"certificate\":", json::quoted(ours.cert), ",\"key\":", json::quoted(ours.key)});
  }
  return out + "}";
}

Attempt deliver(std::string options, std::string_view sink = "webhook") {
  Subscription s;
  s.sink_kind = sink;
  s.options = std::move(options);
  const Status fine = find_sink(sink)->check(s);
  EXPECT_TRUE(fine) << fine.error().text();
  TrialOptions o;
  o.guard.allow = {"receiver.test", "127.0.0.1"};
  o.resolve = [](const std::string&) -> Result<std::vector<std::string>> {
    return std::vector<std::string>{"127.0.0.1"};
  };
  return try_once(trial_of(s, sys::real_clock().now_ns() / 1'000'000), o, sys::real_clock(),
                  sys::real_disk());
}

TEST(DeliverTls, AServerOfAnAuthorityOfItsOwnWantsThatAuthority) {
  const Authority its, another;
  const Receiver r(its.make("receiver.test"), "");
  const Attempt refused = deliver(options(r, "", {}));
  EXPECT_NE(refused.error, "");
  EXPECT_EQ(refused.result, "retry");
  EXPECT_EQ(refused.tls, "");
  EXPECT_NE(deliver(options(r, another.own.cert, {})).error, "");
  EXPECT_EQ(r.count, 0);
  const Attempt taken = deliver(options(r, its.own.cert, {}));
  EXPECT_EQ(taken.error, "");
  EXPECT_EQ(taken.result, "ok");
  EXPECT_TRUE(taken.tls.starts_with("TLSv1.3 TLS_")) << taken.tls;
  EXPECT_EQ(r.count, 1);
}

TEST(DeliverTls, TheCertificateMustNameTheHost) {
  const Authority its;
  const Receiver r(its.make("elsewhere.test"), "");
  EXPECT_NE(deliver(options(r, its.own.cert, {})).error, "");
  EXPECT_EQ(r.count, 0);
}

TEST(DeliverTls, AServerThatAsksForACertificateWantsOneOfItsAuthority) {
  const Authority its, clients, another;
  const Receiver r(its.make("receiver.test"), clients.own.cert);
  EXPECT_NE(deliver(options(r, its.own.cert, {})).error, "");
  EXPECT_NE(deliver(options(r, its.own.cert, another.make("lookout.test"))).error, "");
  EXPECT_EQ(r.count, 0);
  const auto ours = clients.make("lookout.test");
  const Attempt a = deliver(options(r, its.own.cert, ours));
  EXPECT_EQ(a.error, "");
  EXPECT_EQ(a.status, 200);
  EXPECT_EQ(r.count, 1);
  EXPECT_NE(deliver(options(r, its.own.cert, ours), "feishu").status, 0) << "robots, too";
  EXPECT_EQ(r.count, 2);
}

TEST(DeliverTls, WhatIsNoPairIsRefusedWhenItIsSet) {
  const Authority its;
  const auto one = its.make("a.test");
  const struct {
    std::string more, why;
  } cases[] = {
      {cat(",\"certificate\":", json::quoted(one.cert)), "key: is missing"},
      {cat(",\"key\":", json::quoted(one.key)), "certificate: is missing"},
      {",\"certificate\":\"x\",\"key\":\"y\"", "certificate: is no PEM"},
      {cat(",\"key\":\"y\",\"certificate\":", json::quoted(one.cert)), "key: is no PEM"},
      {cat(",\"key\":\"-----BEGIN PRIVATE KEY-----\",\"certificate\":", json::quoted(one.cert)), "key"},
  };
  for (const auto& c : cases) {
    Subscription s;
    s.sink_kind = "webhook";
    s.options = cat("{\"url\":\"https://a.test/x\"", c.more, "}");
    const Status fine = find_sink("webhook")->check(s);
    ASSERT_FALSE(fine) << c.why;
    EXPECT_NE(fine.error().text().find(c.why), std::string::npos) << fine.error().text();
  }
}

}  // namespace
}  // namespace pintle::lookout
