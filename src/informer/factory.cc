#include "informer/factory.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace pintle::informer {

Factory::Factory(FactoryOptions options)
    : clock_(options.clock ? *options.clock : sys::real_clock()),
      random_(options.random ? std::move(options.random) : system_random()),
      threads_(options.threads) {
  const auto make = [&](std::vector<std::unique_ptr<Loop>>& loops, int n) {
    for (int i = 0; i < std::max(n, 1); ++i) {
      loops.push_back(std::make_unique<Loop>(clock_));
      if (threads_) loops.back()->start();
    }
  };
  make(work_, options.work_loops);
  make(deliver_, options.deliver_loops);
}

Factory::~Factory() { stop(); }

Result<std::shared_ptr<SharedInformer>> Factory::informer(
    const std::shared_ptr<kube::Rest>& cluster, const Resource& resource, InformerOptions options) {
  Lock held(mutex_);
  if (stopped_) return Error(Code::kFailedPrecondition, "the factory has stopped");
  Entry& entry = informers_[{cluster.get(), key_of(resource)}];
  if (!entry.informer) {
    std::vector<Loop*> deliver;
    for (const auto& loop : deliver_) deliver.push_back(loop.get());
    entry.cluster = cluster;
    entry.informer = std::make_shared<SharedInformer>(
        *work_[next_++ % work_.size()], std::move(deliver), *cluster, resource,
        random_, std::move(options));
    fresh_.push_back(entry.informer);
  }
  return entry.informer;
}

void Factory::start() {
  Lock held(mutex_);
  for (const auto& fresh : std::exchange(fresh_, {})) {
    if (const auto informer = fresh.lock()) informer->start();
  }
}

bool Factory::wait_for_sync(int64_t timeout_ns) {
  const int64_t until = clock_.monotonic_ns() + timeout_ns;
  for (;;) {
    bool all = true;
    {
      Lock held(mutex_);
      for (const auto& [key, entry] : informers_) all = all && entry.informer->synced();
    }
    if (all || clock_.monotonic_ns() >= until) return all;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void Factory::remove(const std::shared_ptr<kube::Rest>& cluster) {
  std::vector<Entry> gone;
  {
    Lock held(mutex_);
    for (auto it = informers_.lower_bound({cluster.get(), ""});
         it != informers_.end() && it->first.first == cluster.get();) {
      gone.push_back(std::move(it->second));
      it = informers_.erase(it);
    }
  }
  for (Entry& entry : gone) entry.informer->stop();
}

void Factory::remove(const std::shared_ptr<kube::Rest>& cluster, const Resource& resource) {
  Entry gone;
  {
    Lock held(mutex_);
    const auto it = informers_.find({cluster.get(), key_of(resource)});
    if (it == informers_.end()) return;
    gone = std::move(it->second);
    informers_.erase(it);
  }
  gone.informer->stop();
}

void Factory::stop() {
  std::vector<Entry> gone;
  {
    Lock held(mutex_);
    stopped_ = true;
    for (auto& [key, entry] : informers_) gone.push_back(std::move(entry));
    informers_.clear();
  }
  // Loops first: thousands of informers that each wait for their turn on one take seconds.
  for (auto& loop : work_) loop->stop();
  for (auto& loop : deliver_) loop->stop();
  for (Entry& entry : gone) entry.informer->stop();
}

size_t Factory::run_ready() {
  size_t all = 0;
  for (size_t ran = 1; ran > 0; all += ran) {
    ran = 0;
    for (auto& loop : work_) ran += loop->run_ready();
    for (auto& loop : deliver_) ran += loop->run_ready();
  }
  return all;
}

}  // namespace pintle::informer
