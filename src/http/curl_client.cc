// The client over libcurl: an Engine's thread does the work; a caller that waits sleeps here.
#include "http/curl_client.h"

#include <optional>

#include "base/mutex.h"
#include "http/engine.h"

namespace pintle::http {
namespace {

class CurlClient final : public Client {
 public:
  CurlClient(std::shared_ptr<Engine> engine, Options options)
      : engine_(std::move(engine)), options_(std::make_shared<const Options>(std::move(options))) {}
  ~CurlClient() override {
    // Else it ends with us, or there is nothing to wait for: a dropped request is told no more.
    if (engine_.use_count() > 1 && *held_ > 0) engine_->leave(options_);
  }

  Result<Response> send(const Request& request) override {
    Waiter w;
    auto pending = start(request, [&](Result<Response> r) { w.finish(std::move(r)); }, {});
    return w.wait();
  }

  Result<int> stream(const Request& request, const std::function<bool(const Response&)>& head,
                     const std::function<bool(std::string_view)>& data) override;

  std::unique_ptr<Pending> start(Request request, Done done, Data data) override {
    auto x = std::make_shared<Exchange>();
    x->options = options_;
    x->request = std::move(request);
    x->done = std::move(done);
    x->data = std::move(data);
    auto handle = std::make_unique<Handle>(*engine_, x, held_);
    engine_->add(std::move(x));
    return handle;
  }

 private:
  struct Waiter {
    Mutex mutex;
    Condition changed;
    std::optional<Result<Response>> result GUARDED_BY(mutex);
    void finish(Result<Response> r) {
      Lock held(mutex);
      result.emplace(std::move(r));
      changed.notify_all();
    }
    Result<Response> wait() {
      Lock held(mutex);
      while (!result) changed.wait(mutex);
      return std::move(*result);
    }
  };

  class Handle final : public Pending {
   public:
    Handle(Engine& engine, std::shared_ptr<Exchange> x, std::shared_ptr<std::atomic<size_t>> held)
        : engine_(engine), x_(std::move(x)), held_(std::move(held)) {
      ++*held_;
    }
    ~Handle() override {
      --*held_;
      {
        Lock held(x_->calling);
        x_->dropped = true;
      }
      engine_.look_at(x_);
    }
    void resume() override {
      x_->wants_resume = true;
      engine_.look_at(x_);
    }
    bool begun() const override { return x_->begun; }

   private:
    Engine& engine_;
    std::shared_ptr<Exchange> x_;  // shared with the I/O thread: either may let go first
    const std::shared_ptr<std::atomic<size_t>> held_;  // with the client, which may go first
  };

  const std::shared_ptr<Engine> engine_;  // perhaps with other clients
  const std::shared_ptr<const Options> options_;  // with the exchanges
  const std::shared_ptr<std::atomic<size_t>> held_ = std::make_shared<std::atomic<size_t>>(0);
};

Result<int> CurlClient::stream(const Request& request, const std::function<bool(const Response&)>& head,
                               const std::function<bool(std::string_view)>& data) {
  // Pieces wait in a buffer until this thread takes them; a full one pauses the transfer.
  constexpr size_t kFull = 1 << 20;
  struct Shared {
    Mutex mutex;
    Condition changed;
    std::string buffer GUARDED_BY(mutex);
    std::optional<Result<Response>> result GUARDED_BY(mutex);
  } s;
  auto pending = start(
      request,
      [&](Result<Response> r) {
        Lock held(s.mutex);
        s.result.emplace(std::move(r));
        s.changed.notify_all();
      },
      [&](std::string_view piece) {
        Lock held(s.mutex);
        if (s.buffer.size() > kFull) return Flow::kPause;
        s.buffer.append(piece);
        s.changed.notify_all();
        return Flow::kContinue;
      });
  bool begun = false;
  for (;;) {
    std::string taken;
    std::optional<Result<Response>> end;
    {
      Lock held(s.mutex);
      while (s.buffer.empty() && !s.result) s.changed.wait(s.mutex);
      taken.swap(s.buffer);
      end.swap(s.result);
    }
    if (!taken.empty()) {
      if (!begun) {
        begun = true;
        Response ok;
        ok.status = 200;
        if (head && !head(ok)) return 200;
      }
      if (!data(taken)) return 200;
      pending->resume();
    }
    if (!end) continue;
    if (!*end) return end->error();
    if (!begun && head && !head(**end)) return (*end)->status;
    return (*end)->status;
  }
}

}  // namespace

Result<std::unique_ptr<Client>> make_curl_client(Options options) {
  auto engine = std::move(options.engine);  // exchanges keep the options, and must not keep it
  options.engine = nullptr;
  if (!engine) engine = std::make_shared<Engine>(options.max_connections);
  TRY(engine->open());
  return std::make_unique<CurlClient>(std::move(engine), std::move(options));
}

}  // namespace pintle::http
