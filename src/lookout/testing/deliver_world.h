// A deliverer over a store in memory, and a scripted receiver on a loopback port. The clock is the
// machine's plus what a test steps it by, so that schedules of a day take milliseconds.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/gotext.h"
#include "base/mutex.h"
#include "base/strings.h"
#include "httpd/httpd.h"
#include "lookout/deliver/deliver.h"
#include "lookout/testing/memory_store.h"
#include "sys/disk.h"

namespace pintle::lookout::deliver_world {

class StepClock final : public sys::Clock {
 public:
  int64_t now_ns() override { return sys::real_clock().now_ns() + ahead_ + wall_; }
  int64_t monotonic_ns() override { return sys::real_clock().monotonic_ns() + ahead_; }
  void step_ms(int64_t ms) { ahead_ += ms * 1'000'000; }
  void step_wall_ms(int64_t ms) { wall_ += ms * 1'000'000; }  // as if somebody set it

 private:
  std::atomic<int64_t> ahead_{0}, wall_{0};
};

inline bool eventually(const std::function<bool()>& f, int64_t ms = 8000) {
  for (const int64_t end = sys::real_clock().monotonic_ns() + ms * 1'000'000;;) {
    if (f()) return true;
    if (sys::real_clock().monotonic_ns() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

using Exchange = std::shared_ptr<httpd::Exchange>;
using Script = std::function<void(const Exchange&, int n)>;  // n counts requests from 0

struct Request {
  std::string path, id, stamp, signature, host, body;
  int64_t at_ns;
};

class Receiver {
 public:
  explicit Receiver(Script script) : script_(std::move(script)) {
    auto server = httpd::Server::start({}, [this](Exchange e) { take(std::move(e)); });
    EXPECT_TRUE(server);
    server_ = std::move(*server);
  }
  ~Receiver() { server_->stop(0); }
  std::string url(std::string_view path = "/hook", std::string_view host = "127.0.0.1") const {
    return cat("http://", host, ":", server_->port(), path);
  }
  int port() const { return server_->port(); }
  std::vector<Request> seen() const {
    Lock held(mutex_);
    return seen_;
  }
  size_t count() const {
    Lock held(mutex_);
    return seen_.size();
  }

 private:
  void take(Exchange e) {
    int n = 0;
    {
      Lock held(mutex_);
      const httpd::Request& r = e->request();
      n = static_cast<int>(seen_.size());
      seen_.push_back({r.path, std::string(r.header("webhook-id")),
                       std::string(r.header("webhook-timestamp")),
                       std::string(r.header("webhook-signature")), std::string(r.header("host")),
                       r.body, sys::real_clock().monotonic_ns()});
    }
    script_(e, n);
  }
  Script script_;
  mutable Mutex mutex_;
  std::vector<Request> seen_ GUARDED_BY(mutex_);
  std::unique_ptr<httpd::Server> server_;
};

inline void answer(const Exchange& e, int status, const std::string& body = "",
            const std::vector<httpd::Header>& headers = {}) {
  e->respond({status, headers, {std::make_shared<const std::string>(body)}});
}
// Never answers; the exchange lives until its connection ends.
inline void hang(const Exchange& e) {
  e->on_close([e] {});
}
inline Script always(int status, std::string body = "", std::vector<httpd::Header> headers = {}) {
  return [=](const Exchange& e, int) { answer(e, status, body, headers); };
}

struct World {
  StepClock clock;
  MemoryStore store{clock};
  std::unique_ptr<Deliverer> deliverer;

  void run(DeliverOptions o = {}) {
    if (o.owner.empty()) o.owner = "me";
    o.random_seed = 7;
    if (o.guard.allow.empty()) o.guard.allow = {"127.0.0.1"};
    auto made = Deliverer::start(store, clock, sys::real_disk(), std::move(o));
    ASSERT_TRUE(made) << made.error().text();
    deliverer = std::move(*made);
  }
  Subscription subscribe(std::string url, std::string kind = "webhook", std::string more = "",
                         std::string secret = "") {
    Subscription s;
    s.name = url;
    s.sink_kind = std::move(kind);
    s.options = cat("{\"url\":", quote(url), more, "}");
    s.secret = std::move(secret);
    return *store.add_subscription(s);
  }
  // An event of one release is one order key.
  void tell(std::string release = "web", std::string type = "release.deployed") {
    Event e;
    e.type = std::move(type);
    e.release = std::move(release);
    e.subject = {"apps", "v1", "Deployment", "shop", "web", "u-1"};
    store.add(std::move(e));
    if (deliverer) deliverer->wake();
  }
  bool settled() {
    for (const Delivery& d : store.all()) {
      if (d.state == DeliveryState::kPending || d.state == DeliveryState::kLeased ||
          d.state == DeliveryState::kRetry)
        return false;
    }
    return true;
  }
  bool all_in(DeliveryState state) {
    for (const Delivery& d : store.all()) {
      if (d.state != state) return false;
    }
    return true;
  }
  // Lets time pass to when something is due whenever everything waits.
  bool pass_time_until(const std::function<bool()>& done) {
    return eventually([&] {
      if (done()) return true;
      if (all_waiting()) {
        clock.step_ms(*store.next_due_ms() - clock.now_ns() / 1'000'000);
        deliverer->wake();
      }
      return false;
    });
  }
  // Nothing happens until time passes. What is claimed while we look would be due at its lease's end.
  bool all_waiting() {
    const int64_t due = *store.next_due_ms();
    for (const Delivery& d : store.all()) {
      if (d.state == DeliveryState::kLeased) return false;
    }
    return due > clock.now_ns() / 1'000'000 && *store.next_due_ms() == due;
  }
};

}  // namespace pintle::lookout::deliver_world
