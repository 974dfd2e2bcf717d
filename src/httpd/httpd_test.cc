// A server on loopback, spoken to through plain sockets: bytes in, bytes out.
#include "base/mutex.h"
#include "httpd/httpd.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <future>

namespace pintle::httpd {
namespace {

Frame frame(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

class Client {
 public:
  explicit Client(uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  Client(Client&& o) noexcept : fd_(std::exchange(o.fd_, -1)) {}
  ~Client() {
    if (fd_ >= 0) ::close(fd_);
  }
  void send(std::string_view text) { (void)!::send(fd_, text.data(), text.size(), MSG_NOSIGNAL); }
  void end() { ::shutdown(fd_, SHUT_WR); }
  // Up to and with `until`, or everything to the end of the stream or 5 s.
  std::string read(std::string_view until = "") {
    std::string got;
    char c;
    pollfd wait{fd_, POLLIN, 0};
    while (until.empty() || !got.ends_with(until)) {
      if (::poll(&wait, 1, 5000) <= 0 || ::recv(fd_, &c, 1, 0) <= 0) break;
      got += c;
    }
    return got;
  }

 private:
  int fd_;
};

std::unique_ptr<Server> serve(Options options, Handler handler) {
  auto server = Server::start(std::move(options), std::move(handler));
  EXPECT_TRUE(server) << server.error().text();
  return std::move(*server);
}

// Answers with what it understood.
void echo(const std::shared_ptr<Exchange>& exchange) {
  const Request& r = exchange->request();
  exchange->respond({.headers = {{"X-Method", r.method}},
                     .body = {frame(r.path + "|" + r.query + "|"), frame(r.body)}});
}

bool ends_with_body(const std::string& answer, const std::string& body) {
  return answer.ends_with("\r\n\r\n" + body);
}

TEST(Server, AnswersAndKeepsTheConnection) {
  auto server = serve({}, echo);
  Client client(server->port());
  for (int i = 0; i < 3; ++i) {
    client.send("POST /a%20b?x=1 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello");
    EXPECT_TRUE(ends_with_body(client.read("|hello"), "/a%20b|x=1|hello"));
  }
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
  auto server = serve({}, echo);
  Client client(server->port());
  std::string all;
  for (int i = 0; i < 500; ++i) {
    all += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: h\r\n\r\n";
  }
  client.send(all);
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(ends_with_body(client.read("||"), "/" + std::to_string(i) + "||"));
  }
}

TEST(Server, ReadsChunkedBodiesAndAsksForThem) {
  auto server = serve({}, echo);
  Client client(server->port());
  client.send("PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.read("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  EXPECT_TRUE(ends_with_body(client.read("abcde"), "/||abcde"));
}

TEST(Server, LeavesOutTheBodyForHead) {
  auto server = serve({}, echo);
  Client client(server->port());
  client.send("HEAD /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  const std::string got = client.read();
  EXPECT_TRUE(got.ends_with("\r\n\r\n"));
  EXPECT_NE(got.find("Content-Length: 4\r\n"), std::string::npos);
}

TEST(Server, RefusesWithTheRightCode) {
  Options options;
  options.max_header_bytes = 1000;
  options.max_body_bytes = 10;
  auto server = serve(options, echo);
  const std::pair<std::string, std::string> cases[] = {
      {"GET / HTTP/1.1\r\nHost: h\r\nA: " + std::string(5000, 'a') + "\r\n\r\n", "431"},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\n\r\n", "413"},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n" + std::string(255, 'x'), "413"},
      {"GET / HTTP/1.1\r\n\r\n", "400"},
      {"nonsense\r\n\r\n", "400"},
      {"\x16\x03\x01\x02\r\n\r\n", "400"},
  };
  for (const auto& [request, code] : cases) {
    Client client(server->port());
    client.send(request);
    EXPECT_TRUE(client.read().starts_with("HTTP/1.1 " + code)) << request;
  }
}

TEST(Server, CutsSlowPeersOff) {
  Options options;
  options.header_timeout_ms = options.body_timeout_ms = 200;
  options.idle_timeout_ms = 200;
  auto server = serve(options, echo);
  Client head(server->port()), body(server->port()), idle(server->port());
  head.send("GET / HT");
  body.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab");
  EXPECT_TRUE(head.read().starts_with("HTTP/1.1 408"));
  EXPECT_TRUE(body.read().starts_with("HTTP/1.1 408"));
  EXPECT_EQ(idle.read(), "");
}

TEST(Server, AnswersAPeerThatShutItsSide) {
  std::shared_ptr<Exchange> kept;
  std::promise<void> arrived;
  auto server = serve({}, [&](std::shared_ptr<Exchange> exchange) {
    kept = std::move(exchange);
    arrived.set_value();
  });
  Client client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  client.end();
  arrived.get_future().wait();
  kept->respond({.body = {frame("late")}});
  EXPECT_TRUE(ends_with_body(client.read(), "late"));
}

TEST(Server, StreamsOneFrameToThousands) {
  constexpr size_t kStreams = 400;  // two descriptors each; the usual limit is 1,024
  Mutex lock;
  std::vector<std::shared_ptr<Exchange>> streams;
  std::atomic<size_t> closed = 0;
  auto server = serve({}, [&](std::shared_ptr<Exchange> exchange) {
    exchange->on_close([&] { ++closed; });
    exchange->start(200, {});
    const Lock hold(lock);
    streams.push_back(std::move(exchange));
  });
  std::vector<Client> clients;
  for (size_t i = 0; i < kStreams; ++i) {
    clients.emplace_back(server->port());
    clients.back().send("GET /watch HTTP/1.1\r\nHost: h\r\n\r\n");
    clients.back().read("\r\n\r\n");
  }
  const Frame shared = frame("event\n");
  for (const auto& stream : streams) EXPECT_TRUE(stream->send(shared));
  for (Client& client : clients) EXPECT_EQ(client.read("\n\r\n"), "6\r\nevent\n\r\n");
  EXPECT_EQ(shared.use_count(), 1);
  for (const auto& stream : streams) stream->finish();
  for (Client& client : clients) EXPECT_EQ(client.read("\r\n\r\n"), "0\r\n\r\n");
  EXPECT_FALSE(streams[0]->send(shared));
  server->stop(1000);
  EXPECT_EQ(closed, kStreams);
}

TEST(Server, TellsWhenAStreamsPeerHasGone) {
  std::promise<void> gone;
  auto server = serve({}, [&](std::shared_ptr<Exchange> exchange) {
    exchange->on_close([&] { gone.set_value(); });
    exchange->start(200, {});
  });
  {
    Client client(server->port());
    client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    client.read("\r\n\r\n");
  }
  EXPECT_EQ(gone.get_future().wait_for(std::chrono::seconds(5)), std::future_status::ready);
}

TEST(Server, CutsAPeerThatTakesNothing) {
  Options options;
  options.write_timeout_ms = 300;
  std::promise<void> gone;
  auto server = serve(options, [&](std::shared_ptr<Exchange> exchange) {
    exchange->on_close([&] { gone.set_value(); });
    exchange->start(200, {});
    const Frame big = frame(std::string(1 << 20, 'x'));
    for (int i = 0; i < 32; ++i) exchange->send(big);
  });
  Client client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(gone.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

TEST(Server, StopsBehindTheAnswerUnderWay) {
  std::promise<std::shared_ptr<Exchange>> arrived;
  auto server = serve({}, [&](std::shared_ptr<Exchange> e) { arrived.set_value(std::move(e)); });
  Client idle(server->port()), busy(server->port());
  busy.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  auto exchange = arrived.get_future().get();
  auto stopped = std::async(std::launch::async, [&] { server->stop(5000); });
  EXPECT_EQ(idle.read(), "");
  exchange->respond({.body = {frame("done")}});
  const std::string got = busy.read();
  EXPECT_NE(got.find("Connection: close"), std::string::npos);
  EXPECT_TRUE(ends_with_body(got, "done"));
}

TEST(Server, SaysWhyItCannotStart) {
  auto server = serve({}, echo);
  Options taken;
  taken.port = server->port();
  EXPECT_FALSE(Server::start(taken, echo));
  EXPECT_FALSE(Server::start({.tls = {"x", "y"}}, echo));
  EXPECT_FALSE(Server::start({.address = "no.such.host"}, echo));
}

}  // namespace
}  // namespace pintle::httpd
