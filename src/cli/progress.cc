#include "cli/progress.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/strings.h"

namespace pintle::cli {
// A thread that draws: the work itself never stops for it.
struct Progress::Ticker {
  Ticker(const Env& env, std::string what)
      : env(env), what(std::move(what)), thread([this] { run(); }) {}
  ~Ticker() {
    {
      const std::lock_guard lock(mutex);
      done = true;
    }
    changed.notify_one();
    thread.join();
  }

  void run() {
    std::unique_lock lock(mutex);
    constexpr auto kFirst = std::chrono::milliseconds(500);
    constexpr auto kEach = std::chrono::seconds(1);
    if (changed.wait_for(lock, kFirst, [this] { return done; })) return;
    for (int seconds = 0; !done; ++seconds) {
      env.draw(cat(what, " ... ", seconds, "s"));
      changed.wait_for(lock, kEach, [this] { return done; });
    }
    env.draw("");
  }

  const Env& env;
  std::string what;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::thread thread;
};

Progress::Progress(const Session& session, std::string what) {
  if (session.env.draw) ticker_ = std::make_unique<Ticker>(session.env, std::move(what));
}

Progress::~Progress() = default;

}  // namespace pintle::cli
