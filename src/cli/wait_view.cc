#include "cli/wait_view.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

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
      const std::lock_guard lock(mutex);
      done = true;
    }
    stop_asking.cancel();
    changed.notify_all();
    drawing.join();
    asking.join();
    env.draw("");
  }

  void draw() {
    std::unique_lock lock(mutex);
    while (!done) {
      const auto idle = [this] { return done || !not_ready.empty(); };
      changed.wait(lock, idle);
      if (done) return;
      if (waited() >= kFirst) env.draw(picture());
      changed.wait_for(lock, kEach, [this] { return done || not_ready.empty(); });
    }
  }

  std::chrono::nanoseconds waited() const {
    return std::chrono::nanoseconds(env.clock.monotonic_ns() - since);
  }

  std::string picture() const {
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
    std::unique_lock lock(mutex);
    while (!done) {
      changed.wait(lock, [this] { return done || !not_ready.empty(); });
      if (done) return;
      if (changed.wait_for(lock, kFirst, [this] { return done || not_ready.empty(); })) continue;
      std::vector<kube::NotReady> of = not_ready;
      if (of.size() > kShown) of.resize(kShown);
      lock.unlock();
      const auto causes =
          kube::explain(rest, of, {.most = kShown, .log = false, .cancel = &stop_asking});
      lock.lock();
      reasons.clear();
      for (size_t i = 0; i < causes.size(); ++i) reasons[key(of[i])] = kube::short_text(causes[i]);
      changed.wait_for(lock, kAskEach, [this] { return done || not_ready.empty(); });
    }
  }

  const Env& env;
  kube::Rest& rest;
  http::Cancel stop_asking;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;                       // guarded by mutex, as what follows
  std::vector<kube::NotReady> not_ready;
  std::map<std::string, std::string> reasons;
  int64_t since = 0;  // monotonic
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
    const std::lock_guard lock(painter_->mutex);
    if (painter_->not_ready.empty()) painter_->since = env_.clock.monotonic_ns();
    painter_->not_ready = not_ready;
  }
  painter_->changed.notify_all();
}

}  // namespace pintle::cli
