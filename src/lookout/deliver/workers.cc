#include "lookout/deliver/workers.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace pintle::lookout {

struct Workers::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> tasks;  // guarded by mutex, as all below
  int idle = 0, threads = 0, most = 0;
  bool stop = false;
};

Workers::Workers(int most) : shared_(std::make_shared<Shared>()) { shared_->most = most; }

Workers::~Workers() {
  std::lock_guard held(shared_->mutex);
  shared_->stop = true;
  shared_->tasks.clear();
  shared_->changed.notify_all();
}

void Workers::work(const std::shared_ptr<Shared>& s) {
  std::unique_lock held(s->mutex);
  for (;;) {
    ++s->idle;
    s->changed.wait(held, [&] { return s->stop || !s->tasks.empty(); });
    --s->idle;
    if (s->stop) return;
    const auto task = std::move(s->tasks.front());
    s->tasks.pop_front();
    held.unlock();
    task();
    held.lock();
  }
}

void Workers::run(std::function<void()> task) {
  std::lock_guard held(shared_->mutex);
  shared_->tasks.push_back(std::move(task));
  if (static_cast<size_t>(shared_->idle) < shared_->tasks.size() &&
      shared_->threads < shared_->most) {
    ++shared_->threads;
    std::thread([s = shared_] { work(s); }).detach();
  }
  shared_->changed.notify_one();
}

}  // namespace pintle::lookout
