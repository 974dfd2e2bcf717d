// E-mail as a mail server sees it.
#include <gtest/gtest.h>

#include <atomic>

#include "base/strings.h"
#include "lookout/sinks/sink.h"
#include "lookout/testing/line_server.h"

namespace pintle::lookout {
namespace {

struct MailServer {
  explicit MailServer(std::string extensions = "", std::string rcpt = "250 Ok\r\n",
                      std::string auth = "235 Ok\r\n")
      : server("220 test ESMTP\r\n",
               [=, data = false, login = false](const std::string& line) mutable -> std::string {
                 if (data) {
                   if (line != ".") return "";
                   data = false;
                   return "250 2.0.0 queued\r\n";
                 }
                 if (line.starts_with("EHLO"))
                   return cat("250-test\r\n", extensions, "250 8BITMIME\r\n");
                 if (std::exchange(login, line.starts_with("AUTH"))) return auth;
                 if (login) return "334 \r\n";
                 if (line.starts_with("RCPT")) return rcpt;
                 data = line == "DATA";
                 if (data) return "354 go on\r\n";
                 return line == "QUIT" ? "221 Bye\r\n" : "250 Ok\r\n";
               }) {}
  LineServer server;
};

Verdict deliver(const MailServer& m, std::string more, std::string secret = "") {
  Claimed c;
  c.event.event.type = "release.deployed";
  c.event.event.release = "web";
  c.event.event.message = ".\r\n.hidden";
  c.subscription.sink_kind = "email";
  c.subscription.options = cat(R"({"url":"smtp://mail.test:)", m.server.port(),
                                   R"(","from":"a@b.c","to":["d@e.f","g@h.i"])", more, "}");
  c.subscription.secret = std::move(secret);
  const SinkKind& sink = *find_sink("email");
  EXPECT_TRUE(sink.check(c.subscription));
  auto request = sink.request({&c, 1}, 1'767'323'045'678);
  EXPECT_TRUE(request);
  request->connect_to = {"127.0.0.1"};
  request->timeout_ms = 5000;
  request->take_partial = true;
  auto client = http::Client::make({});
  const auto answer = (*client)->send(*request);
  if (!answer) return {.outcome = Outcome::kRetry, .why = answer.error().text()};
  return sink.judge(*answer);
}

TEST(Email, is_handed_to_the_server_for_each_reader) {
  MailServer m;
  const Verdict v = deliver(m, R"(,"plain":true)");
  EXPECT_EQ(v.outcome, Outcome::kSucceeded) << v.why;
  EXPECT_TRUE(m.server.heard("MAIL FROM:<a@b.c>"));
  EXPECT_TRUE(m.server.heard("RCPT TO:<d@e.f>"));
  EXPECT_TRUE(m.server.heard("RCPT TO:<g@h.i>"));
  EXPECT_TRUE(m.server.heard("Message-ID: <msg_"));
  EXPECT_TRUE(m.server.heard("Subject: release.deployed web"));
}

TEST(Email, is_not_sent_in_clear_unless_that_is_asked_for) {
  MailServer m;
  const Verdict v = deliver(m, R"(,"user":"u")", "password");
  EXPECT_EQ(v.outcome, Outcome::kRetry);
  EXPECT_FALSE(m.server.heard("AUTH"));
  EXPECT_FALSE(m.server.heard("MAIL"));
}

TEST(Email, logs_in_where_it_has_a_user) {
  MailServer m("250-AUTH PLAIN LOGIN\r\n");
  EXPECT_EQ(deliver(m, R"(,"plain":true,"user":"u")", "p w").outcome, Outcome::kSucceeded);
  EXPECT_TRUE(m.server.heard("AUTH PLAIN"));
}

TEST(Email, is_judged_by_the_reply) {
  const struct {
    const char *rcpt, *auth, *why;
    Outcome outcome;
  } cases[] = {
      {"550 5.1.1 no such user\r\n", "235 Ok\r\n", "550 5.1.1", Outcome::kDead},
      {"450 4.2.1 mailbox busy\r\n", "235 Ok\r\n", "450 4.2.1", Outcome::kRetry},
      {"250 Ok\r\n", "535 5.7.8 wrong password\r\n", "535", Outcome::kRetry},
  };
  for (const auto& c : cases) {
    MailServer m("250-AUTH PLAIN\r\n", c.rcpt, c.auth);
    const Verdict v = deliver(m, R"(,"plain":true,"user":"u")", "p");
    EXPECT_EQ(v.outcome, c.outcome) << c.rcpt << c.auth << v.why;
    EXPECT_NE(v.why.find(c.why), v.why.npos) << v.why;
  }
}

}  // namespace
}  // namespace pintle::lookout
