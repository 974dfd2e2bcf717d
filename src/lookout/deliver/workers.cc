#include "lookout/deliver/workers.h"

#include <deque>
#include <thread>

#include "base/mutex.h"

namespace pintle::lookout {

struct Workers::Shared {
  Mutex mutex;
  Condition changed;
  std::deque<std::function<void()>> tasks GUARDED_BY(mutex);
  int idle GUARDED_BY(mutex) = 0;
  int threads GUARDED_BY(mutex) = 0;
  bool stop GUARDED_BY(mutex) = false;
  const int most;

  explicit Shared(int m) : most(m) {}
};

Workers::Workers(int most) : shared_(std::make_shared<Shared>(most)) {}

Workers::~Workers() {
  Lock held(shared_->mutex);
  shared_->stop = true;
  shared_->tasks.clear();
  shared_->changed.notify_all();
}

void Workers::work(const std::shared_ptr<Shared>& s) {
  Lock held(s->mutex);
  for (;;) {
    ++s->idle;
    while (!s->stop && s->tasks.empty()) s->changed.wait(s->mutex);
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
  Lock held(shared_->mutex);
  shared_->tasks.push_back(std::move(task));
  if (static_cast<size_t>(shared_->idle) < shared_->tasks.size() &&
      shared_->threads < shared_->most) {
    ++shared_->threads;
    std::thread([s = shared_] { work(s); }).detach();
  }
  shared_->changed.notify_one();
}

}  // namespace pintle::lookout
