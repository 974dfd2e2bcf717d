// NATS as its server hears it.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/strings.h"
#include "lookout/sinks/sink.h"
#include "lookout/testing/line_server.h"
#include "sys/memory_disk.h"

namespace pintle::lookout {
namespace {

constexpr const char* kInfo = "INFO {\"server_id\":\"x\",\"headers\":true}\r\n";

// Answers each publication with `ack`, as a stream does.
LineServer::Script stream(std::string ack) {
  return [=, inbox = std::string()](const std::string& line) mutable -> std::string {
    if (line.starts_with("HPUB "))
      inbox = line.substr(line.find("_INBOX"),
                          line.rfind(' ', line.rfind(' ') - 1) - line.find("_INBOX"));
    if (!line.starts_with("{")) return "";
    return ack.starts_with("HMSG") || ack.starts_with("-ERR")
               ? ack
               : cat("PING\r\nMSG ", inbox, " 1 ", ack.size(), "\r\n", ack, "\r\n");
  };
}

Verdict deliver(const LineServer& s, size_t events, std::string more = "",
                std::string secret = "", std::string scheme = "nats") {
  Claimed c;
  c.event.event.type = "release.deployed";
  c.event.region = "eu-1";
  c.subscription.sink_kind = "nats";
  c.subscription.options =
      cat("{\"url\":\"", scheme, "://n.test:", s.port(), "\",\"timeout_ms\":1500", more, "}");
  c.subscription.secret = std::move(secret);
  std::vector<Claimed> all(events, c);
  for (size_t i = 0; i < events; ++i) all[i].event.sequence = static_cast<int64_t>(i) + 1;
  sys::MemoryDisk disk;
  return find_sink("nats")->send(all, {0, {"n.test", s.port(), {"127.0.0.1"}}, disk, {}, {}});
}

TEST(Nats, publishes_and_waits_for_the_streams_word) {
  LineServer s(kInfo, stream(R"({"stream":"EVENTS","seq":1})"));
  const Verdict v = deliver(s, 3, R"(,"subject":"lookout.{{ .region }}.{{ .type }}")", "u:p\"w");
  EXPECT_EQ(v.outcome, Outcome::kSucceeded) << v.why;
  EXPECT_TRUE(s.heard("HPUB lookout.eu-1.release.deployed _INBOX."));
  EXPECT_TRUE(s.heard("Nats-Msg-Id: msg_"));
  EXPECT_NE(s.lines()[0].find(R"("user":"u","pass":"p\"w")"), std::string::npos);
  for (int i = 0; i < 1000 && !s.heard("PONG"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(s.heard("PONG"));
}

TEST(Nats, tries_again_when_no_stream_took_it) {
  const struct {
    const char *greeting, *ack, *why;
  } cases[] = {
      {kInfo, R"({"error":{"code":503,"description":"no space"}})", "no space"},
      {kInfo, "HMSG _INBOX.x 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", "no stream takes"},
      {kInfo, "-ERR 'Authorization Violation'\r\n", "Authorization"},
      {"HTTP/1.1 400\r\n", "", "no NATS server"},
      {kInfo, "HMSG _INBOX.x 1 99999999999 1\r\n", "no NATS server"},
  };
  for (const auto& c : cases) {
    LineServer s(c.greeting, stream(c.ack));
    const Verdict v = deliver(s, 1);
    EXPECT_EQ(v.outcome, Outcome::kRetry) << c.ack;
    EXPECT_NE(v.why.find(c.why), std::string::npos) << v.why;
    EXPECT_FALSE(v.alive);
  }
}

TEST(Nats, gives_a_silent_server_its_time_and_no_more) {
  LineServer s("", [](const std::string&) { return std::string(); });
  const Verdict v = deliver(s, 1, "");
  EXPECT_EQ(v.outcome, Outcome::kRetry);
  EXPECT_NE(v.why.find("did not answer in time"), std::string::npos);
}

TEST(Nats, says_nothing_in_clear_where_one_side_wants_tls) {
  const struct {
    const char *scheme, *greeting, *why;
  } cases[] = {
      {"tls", kInfo, "the server has no TLS"},
      {"tls", "INFO {\"tls_required\":true}\r\nINFO {}\r\n", "in clear before TLS"},
      {"tls", "INFO {\"tls_required\":\"yes\"}\r\n", "the server has no TLS"},
      {"tls", "INFO {\"tls_required\":true}\r\n", "did not answer in time"},
      {"tls", "INFO tls_required\r\n", "no NATS server"},
      {"nats", "INFO {\"tls_required\":true}\r\n", "the server wants TLS"},
  };
  for (const auto& c : cases) {
    LineServer s(c.greeting, [](const std::string&) { return std::string(); });
    const Verdict v = deliver(s, 1, "", "user:password", c.scheme);
    EXPECT_EQ(v.outcome, Outcome::kRetry);
    EXPECT_NE(v.why.find(c.why), std::string::npos) << v.why;
    EXPECT_FALSE(s.heard("CONNECT")) << c.greeting;
  }
}

TEST(Nats, does_not_publish_where_a_wildcard_would_go) {
  LineServer s(kInfo, stream(R"({"stream":"EVENTS","seq":1})"));
  for (const char* subject : {"a.*", "a..b", "a b", ">", "a."}) {
    EXPECT_EQ(deliver(s, 1, cat(",\"subject\":\"", subject, "\"")).outcome, Outcome::kDead)
        << subject;
  }
  EXPECT_TRUE(s.lines().empty());
}

}  // namespace
}  // namespace pintle::lookout
