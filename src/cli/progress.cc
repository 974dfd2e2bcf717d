#include "cli/progress.h"

#include <chrono>
#include <thread>

#include "base/mutex.h"
#include "base/strings.h"

namespace pintle::cli {
// A thread that draws: the work itself never stops for it.
struct Progress::Ticker {
  Ticker(const Env& env, std::string what)
      : env(env), what(std::move(what)), thread([this] { run(); }) {}
  ~Ticker() {
    {
      const Lock lock(mutex);
      done = true;
    }
    changed.notify_one();
    thread.join();
  }

  void run() {
    Lock lock(mutex);
    constexpr auto kFirst = std::chrono::milliseconds(500);
    constexpr auto kEach = std::chrono::seconds(1);
    for (const Deadline first(kFirst); !done && changed.wait_until(mutex, first);) {
    }
    if (done) return;
    for (int seconds = 0; !done; ++seconds) {
      env.draw(cat(what, " ... ", seconds, "s"));
      for (const Deadline next(kEach); !done && changed.wait_until(mutex, next);) {
      }
    }
    env.draw("");
  }

  const Env& env;
  std::string what;
  Mutex mutex;
  Condition changed;
  bool done GUARDED_BY(mutex) = false;
  std::thread thread;
};

Progress::Progress(const Session& session, std::string what) {
  if (session.env.draw) ticker_ = std::make_unique<Ticker>(session.env, std::move(what));
}

Progress::~Progress() = default;

}  // namespace pintle::cli
