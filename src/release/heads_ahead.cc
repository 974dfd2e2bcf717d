#include "release/heads_ahead.h"

#include <deque>
#include <thread>
#include <unordered_map>

#include "base/mutex.h"
#include "release/head.h"
#include "sys/together.h"

namespace pintle::release {

namespace {

constexpr size_t kStaysInPlace = 64;        // more than any std::string holds inside itself
constexpr size_t kWorthAThread = 32 << 10;  // bytes waiting: some tenths of a millisecond
constexpr size_t kWorthWaking = 16 << 10;   // likewise, once there is one

}  // namespace

struct HeadsAhead::Rep {
  enum class State : uint8_t { kWaiting, kReading, kRead, kTaken };
  struct Job {
    std::string_view file;
    State state = State::kWaiting;
    Documents documents;
  };

  const bool helm3;
  Mutex mutex;
  Condition work;  // the thread waits for some
  Condition read;  // the caller waits for what the thread is reading
  std::deque<Job> jobs GUARDED_BY(mutex);  // and what they hold; they stay in place
  size_t next GUARDED_BY(mutex) = 0;
  size_t waiting_bytes GUARDED_BY(mutex) = 0;
  bool over GUARDED_BY(mutex) = false;
  std::unordered_map<const char*, Job*> by_text;  // this and what follows: the caller's
  std::thread thread;

  explicit Rep(bool h3) : helm3(h3) {}

  void run() {
    Lock lock(mutex);
    for (;;) {
      while (next < jobs.size() && jobs[next].state != State::kWaiting) ++next;
      if (over) return;
      if (next == jobs.size()) {
        work.wait(mutex);
        continue;
      }
      Job& job = jobs[next++];
      job.state = State::kReading;
      waiting_bytes -= job.file.size();
      lock.unlock();
      Documents documents = read_documents(job.file, helm3);
      lock.lock();
      job.documents = std::move(documents);
      job.state = State::kRead;
      read.notify_one();
    }
  }

  // Without it the caller reads them all.
  void start() { thread = sys::beside([this] { run(); }); }
};

HeadsAhead::HeadsAhead(bool helm3) : rep_(std::make_unique<Rep>(helm3)) {}

HeadsAhead::~HeadsAhead() {
  if (!rep_->thread.joinable()) return;
  {
    Lock lock(rep_->mutex);
    rep_->over = true;
  }
  rep_->work.notify_one();
  rep_->thread.join();
}

void HeadsAhead::add(std::string_view file) {
  if (file.size() < kStaysInPlace) return;
  Rep& rep = *rep_;
  size_t waiting = 0;
  {
    Lock lock(rep.mutex);
    rep.jobs.emplace_back().file = file;
    rep.by_text[file.data()] = &rep.jobs.back();
    waiting = rep.waiting_bytes += file.size();
  }
  if (rep.thread.joinable()) {
    if (waiting >= kWorthWaking) rep.work.notify_one();
  } else if (waiting >= kWorthAThread) {
    rep.start();
  }
}

std::optional<Documents> HeadsAhead::take(std::string_view file) {
  const auto at = rep_->by_text.find(file.data());
  if (at == rep_->by_text.end()) return std::nullopt;
  Rep::Job& job = *at->second;
  Lock lock(rep_->mutex);
  while (job.state == Rep::State::kReading) rep_->read.wait(rep_->mutex);
  const bool read = job.state == Rep::State::kRead;
  job.state = Rep::State::kTaken;
  if (!read) return std::nullopt;
  return std::move(job.documents);
}

}  // namespace pintle::release
