#include "release/heads_ahead.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <unordered_map>

#include "release/head.h"
#include "release/manifest.h"

namespace pintle::release {

namespace {

constexpr size_t kStaysInPlace = 64;        // more than any std::string holds inside itself
constexpr size_t kWorthAThread = 32 << 10;  // bytes waiting: some tenths of a millisecond

}  // namespace

Documents::Documents() = default;
Documents::~Documents() = default;
Documents::Documents(Documents&&) noexcept = default;
Documents& Documents::operator=(Documents&&) noexcept = default;

Documents read_documents(std::string_view file, bool helm3) {
  Documents out;
  for (std::string_view text : split_manifests(file, helm3)) {
    out.texts.push_back(text);
    out.heads.push_back(parse_head(text, helm3));
    if (!out.heads.back()) break;
  }
  return out;
}

struct HeadsAhead::Rep {
  enum class State : uint8_t { kWaiting, kReading, kRead, kTaken };
  struct Job {
    std::string_view file;
    State state = State::kWaiting;
    Documents documents;
  };

  const bool helm3;
  std::mutex mutex;                              // guards what follows, but for a job being read
  std::condition_variable changed;
  std::deque<Job> jobs;                          // they stay in place
  std::unordered_map<const char*, Job*> by_text;
  size_t next = 0, waiting_bytes = 0;
  bool over = false;
  std::thread thread;                            // the caller's

  explicit Rep(bool h3) : helm3(h3) {}

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      while (next < jobs.size() && jobs[next].state != State::kWaiting) ++next;
      if (over) return;
      if (next == jobs.size()) {
        changed.wait(lock);
        continue;
      }
      Job& job = jobs[next++];
      job.state = State::kReading;
      lock.unlock();
      Documents documents = read_documents(job.file, helm3);
      lock.lock();
      job.documents = std::move(documents);
      job.state = State::kRead;
      changed.notify_all();
    }
  }

  void start() {
    if (std::thread::hardware_concurrency() < 2) return;
    try {
      thread = std::thread([this] { run(); });
    } catch (const std::system_error&) {  // no thread to be had: the caller reads them all
    }
  }
};

HeadsAhead::HeadsAhead(bool helm3) : rep_(std::make_unique<Rep>(helm3)) {}

HeadsAhead::~HeadsAhead() {
  if (!rep_->thread.joinable()) return;
  {
    std::lock_guard lock(rep_->mutex);
    rep_->over = true;
  }
  rep_->changed.notify_all();
  rep_->thread.join();
}

void HeadsAhead::add(std::string_view file) {
  if (file.size() < kStaysInPlace) return;
  Rep& rep = *rep_;
  {
    std::lock_guard lock(rep.mutex);
    rep.jobs.emplace_back().file = file;
    rep.by_text[file.data()] = &rep.jobs.back();
  }
  if (rep.thread.joinable()) {
    rep.changed.notify_all();
  } else if ((rep.waiting_bytes += file.size()) >= kWorthAThread) {
    rep.start();
  }
}

std::optional<Documents> HeadsAhead::take(std::string_view file) {
  std::unique_lock lock(rep_->mutex);
  const auto at = rep_->by_text.find(file.data());
  if (at == rep_->by_text.end()) return std::nullopt;
  Rep::Job& job = *at->second;
  rep_->changed.wait(lock, [&] { return job.state != Rep::State::kReading; });
  const bool read = job.state == Rep::State::kRead;
  job.state = Rep::State::kTaken;
  if (!read) return std::nullopt;
  return std::move(job.documents);
}

}  // namespace pintle::release
