// Requests to an address that the caller chose, and answers taken as far as they came.
#include <gtest/gtest.h>

#include <thread>

#include "http/http.h"
#include "sys/testing/loopback_server.h"

namespace pintle::http {
namespace {

// Reads a head from each connection and writes what the script says; keeps the connection.
class Server {
 public:
  explicit Server(std::string answer)
      : server_([this, answer = std::move(answer)](int fd) {
          head_ = sys::read_head(fd);
          sys::send_all(fd, answer);
          return sys::LoopbackServer::After::kHold;
        }) {}
  int port() const { return server_.port(); }
  std::string url(const std::string& host) const {
    return "http://" + host + ":" + std::to_string(port()) + "/x";
  }
  int connections() const { return server_.connections(); }
  const std::string& head() const { return head_; }  // of the last request; read it when it was answered

 private:
  std::string head_;
  sys::LoopbackServer server_;
};

Request pinned(const Server& s) {
  Request r;
  r.url = s.url("receiver.test");
  r.connect_to = {"127.0.0.1"};
  r.timeout_ms = 300;
  return r;
}

TEST(Pinned, connects_where_it_is_told_and_asks_for_the_url) {
  Server s("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  auto client = Client::make({});
  const auto r = (*client)->send(pinned(s));
  ASSERT_TRUE(r) << r.error().text();
  EXPECT_EQ(r->body, "ok");
  EXPECT_NE(s.head().find("\r\nHost: receiver.test:" + std::to_string(s.port()) + "\r\n"), std::string::npos);
}

TEST(Pinned, goes_on_to_the_next_address_when_one_refuses) {
  Server s("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  auto client = Client::make({});
  for (const std::vector<std::string>& addresses :
       {std::vector<std::string>{"127.0.0.2", "127.0.0.1"}, {"::1", "127.0.0.2", "127.0.0.1"}, {"127.0.0.1", "::1"}}) {
    Request r = pinned(s);
    r.connect_to = addresses;
    const auto answer = (*client)->send(r);
    ASSERT_TRUE(answer) << answer.error().text();
    EXPECT_EQ(answer->body, "ok");
    EXPECT_EQ(answer->address, "127.0.0.1");
    EXPECT_NE(s.head().find("\r\nHost: receiver.test:" + std::to_string(s.port()) + "\r\n"), std::string::npos);
  }
  Request r = pinned(s);
  r.connect_to = {"::1", "127.0.0.2"};
  const auto refused = (*client)->send(r);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("connection refused"), std::string::npos) << refused.error().text();
}

TEST(Pinned, receivers_at_one_address_do_not_wait_for_each_other) {
  Server s("");  // never answers
  auto client = Client::make({});
  auto one = (*client)->start(pinned(s), [](Result<Response>) {});
  auto two = (*client)->start(pinned(s), [](Result<Response>) {});
  for (int i = 0; i < 200 && s.connections() < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(s.connections(), 2);
}

TEST(Partial, takes_what_came_of_an_answer) {
  const struct {
    const char* what;
    std::string answer;
    std::string body;
  } cases[] = {
      {"slow", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal", "hal"},
      {"long", "HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\n" + std::string(40000, 'x'), std::string(100, 'x')},
      {"long head", "HTTP/1.1 200 OK\r\nX-Big: " + std::string(5000, 'h') + "\r\n\r\n", ""},
  };
  for (const auto& c : cases) {
    Server s(c.answer);
    auto client = Client::make({});
    Request r = pinned(s);
    r.max_body = 100;
    r.max_header = 1000;
    EXPECT_FALSE((*client)->send(r)) << c.what;
    r.take_partial = true;
    const auto got = (*client)->send(r);
    ASSERT_TRUE(got) << c.what << got.error().text();
    EXPECT_EQ(got->status, 200);
    EXPECT_EQ(got->body, c.body) << c.what;
  }
}

TEST(Partial, needs_a_whole_head_or_a_status_at_least) {
  Server s("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX-A: b\r\n");
  auto client = Client::make({});
  Request r = pinned(s);
  r.take_partial = true;
  EXPECT_FALSE((*client)->send(r));
}

}  // namespace
}  // namespace pintle::http
