#include "cli/wait_view.h"

#include <chrono>
#include <map>
#include <thread>

#include "base/mutex.h"
#include "base/strings.h"
#include "kube/explain.h"

namespace pintle::cli {
namespace {

using std::chrono::milliseconds;

constexpr size_t kShown = 8;
constexpr auto kFirst = milliseconds(400);
constexpr auto kEach = milliseconds(500);
constexpr auto kAskEach = milliseconds(2000);

std::string key(const kube::NotReady& n) { return cat(n.kind, " ", n.ns, "/", n.name); }

}  // namespace

struct WaitView::Painter {
  Painter(const Env& env, kube::Rest& rest)
      : env(env), rest(rest), drawing([this] { draw(); }), asking([this] { ask(); }) {}
  ~Painter() {
    {
      const Lock lock(mutex);
      done = true;
    }
    stop_asking.cancel();
    changed.notify_all();
    drawing.join();
    asking.join();
    env.draw("");
  }

  void draw() {
    Lock lock(mutex);
    while (!done) {
      while (idle()) changed.wait(mutex);
      if (done) return;
      if (waited() >= kFirst) env.draw(picture());
      wait_while_needed(kEach);
    }
  }

  bool idle() const REQUIRES(mutex) { return !done && not_ready.empty(); }

  // False: there is nothing to show any more.
  bool wait_while_needed(milliseconds most) REQUIRES(mutex) {
    const Deadline until(most);
    while (!done && !not_ready.empty() && changed.wait_until(mutex, until)) {
    }
    return !done && !not_ready.empty();
  }

  std::chrono::nanoseconds waited() const REQUIRES(mutex) {
    return std::chrono::nanoseconds(env.clock.monotonic_ns() - since);
  }

  std::string picture() const REQUIRES(mutex) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(waited());
    std::string out = cat("Waiting for ", not_ready.size(),
                          not_ready.size() == 1 ? " resource" : " resources", " ... ",
                          seconds.count(), "s");
    for (size_t i = 0; i < not_ready.size() && i < kShown; ++i) {
      const kube::NotReady& n = not_ready[i];
      const auto why = reasons.find(key(n));
      append(out, {"\n  ", n.kind, " ", n.name, "  ", n.message.empty() ? n.status : n.message});
      if (why != reasons.end() && why->second != n.message && !why->second.empty()) {
        append(out, {"\n    ", why->second});
      }
    }
    if (not_ready.size() > kShown) append(out, {"\n  and ", std::to_string(not_ready.size() - kShown), " more"});
    return out;
  }

  void ask() {
    Lock lock(mutex);
    while (!done) {
      while (idle()) changed.wait(mutex);
      if (done) return;
      if (!wait_while_needed(kFirst)) continue;
      std::vector<kube::NotReady> of = not_ready;
      if (of.size() > kShown) of.resize(kShown);
      lock.unlock();
      const auto causes =
          kube::explain(rest, of, {.most = kShown, .log = false, .cancel = &stop_asking});
      lock.lock();
      reasons.clear();
      for (size_t i = 0; i < causes.size(); ++i) reasons[key(of[i])] = kube::short_text(causes[i]);
      wait_while_needed(kAskEach);
    }
  }

  const Env& env;
  kube::Rest& rest;
  http::Cancel stop_asking;
  Mutex mutex;
  Condition changed;
  bool done GUARDED_BY(mutex) = false;
  std::vector<kube::NotReady> not_ready GUARDED_BY(mutex);
  std::map<std::string, std::string> reasons GUARDED_BY(mutex);
  int64_t since GUARDED_BY(mutex) = 0;  // monotonic
  std::thread drawing, asking;
};

WaitView::WaitView(const Env& env, kube::Rest& rest) : env_(env), rest_(rest) {}
WaitView::~WaitView() = default;

void WaitView::waiting_for(const std::vector<kube::NotReady>& not_ready) {
  if (not_ready.empty()) {
    painter_.reset();
    return;
  }
  if (!painter_) painter_ = std::make_unique<Painter>(env_, rest_);
  {
    const Lock lock(painter_->mutex);
    if (painter_->not_ready.empty()) painter_->since = env_.clock.monotonic_ns();
    painter_->not_ready = not_ready;
  }
  painter_->changed.notify_all();
}

}  // namespace pintle::cli
