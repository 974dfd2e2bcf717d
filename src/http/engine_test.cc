// Clients that share an engine's thread, against a server that answers and then keeps quiet.
#include "http/engine.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <future>

#include "sys/testing/loopback_server.h"

namespace pintle::http {
namespace {

size_t threads() {
  size_t n = 0;
  for ([[maybe_unused]] const auto& t : std::filesystem::directory_iterator("/proc/self/task")) ++n;
  return n;
}

// Begins an answer to each connection, and holds it.
class QuietServer {
 public:
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()) + "/watch"; }

 private:
  sys::LoopbackServer server_{[](int fd) {
    sys::send_all(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst");
    return sys::LoopbackServer::After::kHold;
  }};
};

struct Stream {
  std::promise<void> heard;
  std::promise<Code> ended;
  std::unique_ptr<Client> client;
  std::unique_ptr<Client::Pending> pending;

  Stream(const std::shared_ptr<Engine>& engine, const std::string& url) {
    Options options;
    options.engine = engine;
    client = std::move(*Client::make(std::move(options)));
    Request r;
    r.url = url;
    pending = client->start(
        std::move(r), [this](Result<Response> a) { ended.set_value(a ? Code::kUnknown : a.error().code()); },
        [this](std::string_view) {
          heard.set_value();
          return Client::Flow::kContinue;
        });
  }
};

TEST(Engine, OneThreadCarriesTheStreamsOfManyClients) {
  QuietServer server;
  const auto engine = make_engine();
  const size_t before = threads();
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < 50; ++i) streams.push_back(std::make_unique<Stream>(engine, server.url()));
  for (auto& s : streams) s->heard.get_future().wait();
  EXPECT_EQ(threads(), before + 1);
}

TEST(Engine, AClientThatEndsCancelsItsOwnRequestsOnly) {
  QuietServer server;
  const auto engine = make_engine();
  Stream stays(engine, server.url()), goes(engine, server.url());
  stays.heard.get_future().wait();
  goes.heard.get_future().wait();
  auto ended = goes.ended.get_future();
  goes.client.reset();
  ASSERT_EQ(ended.wait_for(std::chrono::seconds(0)), std::future_status::ready);  // told before it is gone
  EXPECT_EQ(ended.get(), Code::kCancelled);
  EXPECT_EQ(stays.ended.get_future().wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
}

TEST(Engine, AClientMayEndInsideAnothersCall) {
  QuietServer server;
  const auto engine = make_engine();
  Stream stays(engine, server.url());
  auto goes = std::make_unique<Stream>(engine, server.url());
  stays.heard.get_future().wait();
  goes->heard.get_future().wait();
  std::promise<void> gone;
  Options options;
  options.engine = engine;
  auto client = std::move(*Client::make(std::move(options)));
  Request refused;
  refused.url = "http://127.0.0.1:1/";
  auto pending = client->start(std::move(refused), [&](Result<Response>) {
    goes->client.reset();
    gone.set_value();
  });
  ASSERT_EQ(gone.get_future().wait_for(std::chrono::seconds(5)), std::future_status::ready);
  EXPECT_EQ(goes->ended.get_future().wait_for(std::chrono::milliseconds(50)),
            std::future_status::timeout);
  EXPECT_EQ(stays.ended.get_future().wait_for(std::chrono::milliseconds(0)),
            std::future_status::timeout);
}

}  // namespace
}  // namespace pintle::http
