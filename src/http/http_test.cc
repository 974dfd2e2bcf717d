// Against a server of a few lines on a loopback port: each accepted connection gets one script. What
// `send` promises holds for both ways a request may go, over Plain and through libcurl.
#include "http/http.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <thread>

#include "http/proxy.h"
#include "sys/gzip.h"
#include "sys/testing/fake_environ.h"
#include "sys/testing/loopback_server.h"

namespace pintle::http {
namespace {

class Server {
 public:
  // Sends `answer` to each request head; `hold`: keeps the connection open after it.
  explicit Server(std::string answer, bool hold = false)
      : server_([this, answer = std::move(answer), hold](int fd) {
          request_ = sys::read_head(fd);
          sys::send_all(fd, answer);
          return hold ? sys::LoopbackServer::After::kHold : sys::LoopbackServer::After::kClose;
        }) {}
  std::string url(const std::string& path = "/x") const {
    return "http://127.0.0.1:" + std::to_string(server_.port()) + path;
  }
  std::string request() const { return request_; }

 private:
  std::string request_;
  sys::LoopbackServer server_;
};

enum class Way { kPlain, kCurl };

Result<Response> send(Client& client, const Request& request, Way way) {
  if (way == Way::kPlain) return client.send(request);
  std::promise<Result<Response>> answer;
  const auto pending = client.start(request, [&](Result<Response> r) { answer.set_value(std::move(r)); });
  return answer.get_future().get();
}

class Http : public testing::TestWithParam<Way> {
 protected:
  Result<Response> get(const std::string& url, int64_t timeout_ms = 0, size_t max_body = 1 << 20) {
    auto client = Client::make({});
    Request r;
    r.url = url;
    r.timeout_ms = timeout_ms;
    r.max_body = max_body;
    return send(**client, r, GetParam());
  }
};

INSTANTIATE_TEST_SUITE_P(Ways, Http, testing::Values(Way::kPlain, Way::kCurl),
                         [](const auto& way) { return way.param == Way::kPlain ? "plain" : "curl"; });

std::string failure(const Result<Response>& r, const std::string& url = "") {
  if (r) return "status " + std::to_string(r->status);
  std::string text = r.error().text();
  const size_t at = url.empty() ? std::string::npos : text.find(url);
  return at == std::string::npos ? text : text.replace(at, url.size(), "URL");
}

TEST_P(Http, gives_any_status_as_an_answer) {
  Server s("HTTP/1.1 404 Not Found\r\nX-Thing: A\r\nContent-Length: 2\r\n\r\nno");
  const auto r = get(s.url());
  ASSERT_TRUE(r) << failure(r);
  EXPECT_EQ(r->status, 404);
  EXPECT_EQ(r->body, "no");
  EXPECT_EQ(r->header("x-thing"), "A");
  EXPECT_TRUE(s.request().starts_with("GET /x HTTP/1.1\r\n"));
}

TEST_P(Http, sends_a_body_with_its_method) {
  Server s("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  auto client = Client::make({});
  Request r;
  r.method = "PATCH";
  r.url = s.url();
  r.body = "{}";
  r.headers = {{"Content-Type", "application/json"}};
  ASSERT_TRUE(send(**client, r, GetParam()));
  EXPECT_TRUE(s.request().starts_with("PATCH /x HTTP/1.1\r\n"));
  EXPECT_NE(s.request().find("Content-Length: 2\r\n"), std::string::npos);
}

TEST_P(Http, words_failures_as_go_does) {
  EXPECT_EQ(failure(get("http://127.0.0.1:1/v")),
            "Get \"http://127.0.0.1:1/v\": dial tcp 127.0.0.1:1: connect: connection refused");
  const std::string unknown = failure(get("http://no-such-host.invalid/"));
  EXPECT_TRUE(unknown.starts_with("Get \"http://no-such-host.invalid/\": dial tcp: lookup no-such-host.invalid"));
  EXPECT_TRUE(unknown.ends_with(": no such host")) << unknown;
  Server empty("");
  EXPECT_EQ(failure(get(empty.url()), empty.url()), "Get \"URL\": EOF");
  Server cut("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(failure(get(cut.url())), "unexpected EOF");
  Server plain("HTTP/1.1 400 Bad Request\r\n\r\n");
  std::string tls = plain.url();
  tls.insert(4, "s");
  EXPECT_EQ(failure(get(tls), tls), "Get \"URL\": http: server gave HTTP response to HTTPS client");
}

TEST_P(Http, ends_when_time_is_over) {
  Server s("", true);
  EXPECT_EQ(failure(get(s.url(), 100), s.url()), "Get \"URL\": context deadline exceeded");
}

TEST_P(Http, ends_when_cancelled) {
  Server s("", true);
  auto client = Client::make({});
  Cancel cancel;
  Request r;
  r.url = s.url();
  r.cancel = &cancel;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancel.cancel();
  });
  const auto result = send(**client, r, GetParam());
  later.join();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kCancelled);
}

TEST_P(Http, refuses_a_body_beyond_the_limit) {
  Server s("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + std::string(100, 'x'));
  const auto r = get(s.url(), 0, 10);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code(), Code::kResourceExhausted);
}

TEST(HttpClient, keeps_its_connection) {
  Server s("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true);
  auto client = Client::make({});
  Request r;
  r.url = s.url();
  r.timeout_ms = 300;
  ASSERT_TRUE((*client)->send(r));
  // The server answers a connection once only.
  EXPECT_EQ(failure((*client)->send(r), s.url()), "Get \"URL\": context deadline exceeded");
}

TEST(HttpClient, dials_again_when_the_kept_connection_is_gone) {
  Server s("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  auto client = Client::make({});
  Request r;
  r.url = s.url();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE((*client)->send(r)) << i;
}

TEST(HttpClient, unpacks_gzip) {
  const std::string body = sys::gzip("hello");
  Server s("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body);
  auto client = Client::make({});
  Request r;
  r.url = s.url();
  auto answer = (*client)->send(r);
  ASSERT_TRUE(answer) << failure(answer);
  EXPECT_EQ(answer->body, "hello");
  r.max_body = 4;
  answer = (*client)->send(r);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Code::kResourceExhausted);
}

TEST(HttpClient, sends_one_request_beside_another) {
  Server s("", true);
  auto client = Client::make({});
  Cancel cancel;
  std::vector<std::thread> threads;
  std::atomic<int> ended{0};
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      Request r;
      r.url = s.url();
      r.cancel = &cancel;
      ended += !(*client)->send(r);
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  cancel.cancel();
  for (auto& t : threads) t.join();
  EXPECT_EQ(ended, 3);
}

TEST(HttpClient, streams_piece_by_piece_until_told_to_stop) {
  Server s("HTTP/1.1 200 OK\r\n\r\nhello", true);
  auto client = Client::make({});
  Request r;
  r.url = s.url();
  std::string got;
  const auto status = (*client)->stream(r, {}, [&](std::string_view piece) {
    got += piece;
    return got.size() < 5;
  });
  ASSERT_TRUE(status);
  EXPECT_EQ(got, "hello");
}

TEST(HttpClient, gives_a_refused_stream_its_head) {
  Server s("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
  auto client = Client::make({});
  Request r;
  r.url = s.url();
  std::string body;
  const auto status = (*client)->stream(
      r, [&](const Response& head) { body = head.body; return true; }, [](std::string_view) { return true; });
  ASSERT_TRUE(status);
  EXPECT_EQ(*status, 403);
  EXPECT_EQ(body, "no");
}

TEST(HttpClient, holds_a_paused_stream_until_resumed) {
  Server s("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
  auto client = Client::make({});
  Request r;
  r.url = s.url();
  std::atomic<int> pieces{0};
  std::atomic<bool> over{false};
  auto pending = (*client)->start(
      r, [&](Result<Response> result) { over = result.has_value(); },
      [&](std::string_view) { return pieces++ == 0 ? Client::Flow::kPause : Client::Flow::kContinue; });
  while (pieces == 0) std::this_thread::yield();
  EXPECT_FALSE(over);
  pending->resume();
  for (int i = 0; i < 5000 && !over; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(over);
}

TEST(HttpClient, refuses_certificates_that_are_none) {
  Options options;
  options.tls.ca_pem = "nonsense";
  const auto client = Client::make(options);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().text(), "unable to load root certificates: unable to parse bytes as PEM block");
}

TEST(Proxy, follows_the_variables_as_go_reads_them) {
  sys::FakeEnviron e;
  e.vars = {{"HTTPS_PROXY", "http://p:1"}, {"NO_PROXY", "10.0.0.0/8,.corp,exact.io,with.port:8443"}};
  EXPECT_EQ(proxy_for("https://example.com/", e), "http://p:1");
  EXPECT_EQ(proxy_for("http://example.com/", e), "");
  EXPECT_EQ(proxy_for("https://10.1.2.3:6443/", e), "");
  EXPECT_EQ(proxy_for("https://11.1.2.3:6443/", e), "http://p:1");
  EXPECT_EQ(proxy_for("https://a.corp/", e), "");
  EXPECT_EQ(proxy_for("https://sub.exact.io/", e), "");
  EXPECT_EQ(proxy_for("https://with.port:8443/", e), "");
  EXPECT_EQ(proxy_for("https://with.port/", e), "http://p:1");
  EXPECT_EQ(proxy_for("https://127.0.0.1/", e), "");
  EXPECT_EQ(proxy_for("https://localhost:6443/", e), "");
}

}  // namespace
}  // namespace pintle::http
