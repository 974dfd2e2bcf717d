#include "db/answer_watch.h"

#include <sys/socket.h>

#include <chrono>
#include <set>
#include <thread>

#include "base/mutex.h"
#include "sys/clock.h"

namespace pintle::db {

namespace {

constexpr auto kLook = std::chrono::seconds(1);

int64_t now_ms() { return sys::real_clock().monotonic_ns() / 1'000'000; }

}  // namespace

struct AnswerWatch::Watched {
  const int socket;
  const int64_t limit_ms;
  Mutex mutex;
  bool waits GUARDED_BY(mutex) = false, broken GUARDED_BY(mutex) = false;
  int64_t since_ms GUARDED_BY(mutex) = 0;
};

class AnswerWatch::Watcher {
 public:
  // The one there is, or a new one.
  static std::shared_ptr<Watcher> get() {
    static Mutex mutex;
    static std::weak_ptr<Watcher> there GUARDED_BY(mutex);
    Lock held(mutex);
    auto out = there.lock();
    if (!out) there = out = std::make_shared<Watcher>();
    return out;
  }

  ~Watcher() {
    {
      Lock held(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void add(std::shared_ptr<Watched> w) {
    Lock held(mutex_);
    all_.insert(std::move(w));
  }
  void remove(const std::shared_ptr<Watched>& w) {
    Lock held(mutex_);
    all_.erase(w);
  }

 private:
  void work() {
    Lock held(mutex_);
    while (!stop_) {
      for (const auto& w : all_) look(*w);
      changed_.wait_for(mutex_, kLook);
    }
  }
  static void look(Watched& w) {
    Lock held(w.mutex);
    if (!w.waits || w.broken || now_ms() - w.since_ms < w.limit_ms) return;
    w.broken = true;
    ::shutdown(w.socket, SHUT_RDWR);
  }

  Mutex mutex_;
  Condition changed_;
  std::set<std::shared_ptr<Watched>> all_ GUARDED_BY(mutex_);
  bool stop_ GUARDED_BY(mutex_) = false;
  std::thread thread_{[this] { work(); }};
};

AnswerWatch::AnswerWatch(int socket, int64_t limit_ms)
    : watcher_(Watcher::get()),
      watched_(std::make_shared<Watched>(socket, limit_ms)) {
  watcher_->add(watched_);
}

AnswerWatch::~AnswerWatch() { watcher_->remove(watched_); }

void AnswerWatch::begin() {
  Lock held(watched_->mutex);
  watched_->waits = true;
  watched_->since_ms = now_ms();
}

bool AnswerWatch::ended() {
  Lock held(watched_->mutex);
  watched_->waits = false;
  return watched_->broken;
}

}  // namespace pintle::db
