// The server: a listener on the first loop, connections dealt to the loops in turn.
#include <signal.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <thread>

#include "base/strings.h"
#include "httpd/connection.h"
#include "httpd/loop.h"

namespace pintle::httpd {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// OpenSSL writes with write(2), which raises SIGPIPE for a peer that has gone.
void ignore_broken_pipes() {
  struct sigaction now = {};
  if (::sigaction(SIGPIPE, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) {
    ::signal(SIGPIPE, SIG_IGN);
  }
}

class ServerImpl final : public Server {
 public:
  ServerImpl(std::shared_ptr<Shared> shared, std::vector<std::shared_ptr<Loop>> loops)
      : shared_(std::move(shared)), loops_(std::move(loops)), acceptor_(loops_[0]->io) {}
  ~ServerImpl() override { stop(0); }

  // On an error nothing runs yet, and nothing is to be stopped.
  Status listen() {
    auto listening = open();
    stopped_ = !listening;
    return listening;
  }

  void run() {
    for (size_t i = 0; i < loops_.size(); ++i) {
      sweep(*loops_[i]);
      threads_.emplace_back([loop = loops_[i]] { loop->io.run(); });
    }
    asio::post(loops_[0]->io, [this] { accept(); });
  }

  uint16_t port() const override { return port_; }

  void stop(int grace_ms) override {
    if (stopped_.exchange(true)) return;
    shared_->draining = true;
    asio::post(loops_[0]->io, [this] {
      boost::system::error_code error;
      acceptor_.close(error);
    });
    each_connection([](Connection& connection) { connection.drain(); });
    {
      Lock hold(shared_->lock);
      const Deadline until{std::chrono::milliseconds(grace_ms)};
      while (shared_->open != 0 && shared_->closed.wait_until(shared_->lock, until)) {
      }
    }
    each_connection([](Connection& connection) { connection.close(); });
    for (const auto& loop : loops_) {
      asio::post(loop->io, [loop] {
        loop->timer.cancel();
        loop->work.reset();
      });
    }
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  Status open() {
    const Options& options = shared_->options;
    boost::system::error_code error;
    const auto address = asio::ip::make_address(
        options.address == "localhost" ? "127.0.0.1" : options.address, error);
    if (error) {
      return Error(Code::kInvalidArgument,
                   cat("listen address ", options.address, ": not an IP address"));
    }
    const tcp::endpoint endpoint(address, options.port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(4096, error);
    if (error) {
      return Error(Code::kUnavailable,
                   cat("listen ", options.address, ':', options.port, ": ", error.message()));
    }
    port_ = acceptor_.local_endpoint(error).port();
    return ok();
  }

  template <typename F>
  void each_connection(F f) {
    for (const auto& loop : loops_) {
      asio::post(loop->io, [loop, f] {
        const auto all = loop->connections;  // closing takes them out of the list
        for (const auto& connection : all) f(*connection);
      });
    }
  }

  void accept() {
    if (accepting_ || shared_->draining || shared_->open >= shared_->options.max_connections) {
      return;
    }
    accepting_ = true;
    const auto loop = loops_[next_++ % loops_.size()];
    acceptor_.async_accept(loop->io, [this, loop](boost::system::error_code error,
                                                  tcp::socket socket) {
      accepting_ = false;
      if (shared_->draining) return;
      if (error) return;  // out of descriptors, most likely: the next tick tries again
      ++shared_->open;
      auto connection = std::make_shared<Connection>(loop, shared_, std::move(socket));
      asio::post(loop->io, [connection] { connection->begin(); });
      accept();
    });
  }

  void sweep(Loop& loop) {
    loop.timer.expires_after(std::chrono::milliseconds(kTickMs));
    loop.timer.async_wait([this, &loop](boost::system::error_code error) {
      // A timer that had fired already is not stopped by being cancelled.
      if (error || !loop.work.owns_work()) return;
      ++loop.ticks;
      for (size_t i = loop.connections.size(); i-- > 0;) {
        if (i >= loop.connections.size()) continue;  // others went with it
        const auto connection = loop.connections[i];
        connection->tick();
      }
      if (&loop == loops_[0].get()) accept();
      sweep(loop);
    });
  }

  const std::shared_ptr<Shared> shared_;
  const std::vector<std::shared_ptr<Loop>> loops_;
  tcp::acceptor acceptor_;
  std::vector<std::thread> threads_;
  std::atomic<bool> stopped_ = false;
  uint16_t port_ = 0;
  bool accepting_ = false;  // the first loop's
  size_t next_ = 0;
};

}  // namespace

Result<std::unique_ptr<Server>> Server::start(Options options, Handler handler) {
  ignore_broken_pipes();
  auto shared = std::make_shared<Shared>();
  if (!options.tls.certificate_pem.empty()) shared->tls = TRY(make_tls_context(options.tls));
  shared->options = std::move(options);
  shared->handler = std::move(handler);
  std::vector<std::shared_ptr<Loop>> loops;
  for (int i = 0; i < std::max(1, shared->options.threads); ++i) {
    loops.push_back(std::make_shared<Loop>());
  }
  auto server = std::make_unique<ServerImpl>(std::move(shared), std::move(loops));
  TRY(server->listen());
  server->run();
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace pintle::httpd
