#include "lookout/writer.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <vector>

#include "base/strings.h"
#include "lookout/observe.h"

namespace pintle::lookout {
namespace {

constexpr auto kCollect = std::chrono::milliseconds(4);
constexpr size_t kEnough = 1 << 20;  // no more is waited for
constexpr size_t kLeastRoom = 32 << 10;
constexpr int64_t kFirstWaitMs = 100, kLongestWaitMs = 5000;

int64_t now_ms(sys::Clock& clock) { return clock.now_ns() / 1'000'000; }

size_t size_of(const Batch& b) {
  size_t n = 0;
  for (const Event& e : b.events) {
    n += 400 + e.message.size() + e.data.size() + e.dedup_key.size();
    for (const auto& [name, value] : e.labels) n += 64 + name.size() + value.size();
  }
  return n + b.observations.size() * 400 + b.checkpoints.size() * 100 + b.gaps.size() * 100 +
         b.told.size() * 150;
}

// Appends, with the events' places moved behind what is there.
void join(Batch& to, Batch&& from) {
  const int behind = static_cast<int>(to.observations.size());
  for (Event& e : from.events) {
    if (e.observation >= 0) e.observation += behind;
  }
  std::move(from.observations.begin(), from.observations.end(),
            std::back_inserter(to.observations));
  std::move(from.events.begin(), from.events.end(), std::back_inserter(to.events));
  std::move(from.gaps.begin(), from.gaps.end(), std::back_inserter(to.gaps));
  std::move(from.told.begin(), from.told.end(), std::back_inserter(to.told));
  for (Checkpoint& c : from.checkpoints) {
    const auto same = std::find_if(to.checkpoints.begin(), to.checkpoints.end(),
                                   [&](const Checkpoint& o) { return o.resource == c.resource; });
    if (same != to.checkpoints.end()) {
      *same = std::move(c);
    } else {
      to.checkpoints.push_back(std::move(c));
    }
  }
}

bool empty(const Batch& b) {
  return b.observations.empty() && b.events.empty() && b.checkpoints.empty() && b.gaps.empty() &&
         b.told.empty();
}

}  // namespace

Writer::Writer(Commit commit, sys::Clock& clock, Log log, Done done, Refused refused)
    : store_(std::move(commit)),
      clock_(clock),
      log_(std::move(log)),
      done_(std::move(done)),
      refused_(std::move(refused)) {}

Writer::~Writer() { stop(0); }

void Writer::start() {
  thread_ = std::thread([this] { work(); });
}

void Writer::stop(int64_t grace_ms) {
  {
    Lock held(mutex_);
    if (!stop_) stop_by_ms_ = now_ms(clock_) + grace_ms;
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Writer::attach(int64_t region_id, std::function<void()> room) {
  Lock held(mutex_);
  queues_[region_id].room = std::move(room);
}

void Writer::detach(int64_t region_id) {
  Lock calling(room_mutex_);
  Lock held(mutex_);
  const auto it = queues_.find(region_id);
  if (it == queues_.end()) return;
  it->second.room = nullptr;
  if (empty(it->second.batch)) queues_.erase(it);
}

// However much the others have waiting, a little may.
bool Writer::fits(const Queue& q) const {
  return q.bytes < (counters_.waiting_bytes < kRoomOfAll ? kRoom : kLeastRoom);
}

bool Writer::has_room(int64_t region_id) {
  Lock held(mutex_);
  Queue& q = queues_[region_id];
  if (fits(q)) return true;
  q.was_full = true;
  return false;
}

void Writer::push(Batch batch) {
  const size_t bytes = size_of(batch);
  {
    Lock held(mutex_);
    Queue& q = queues_[batch.region_id];
    if (q.batch.epoch != batch.epoch && !empty(q.batch)) {
      // The region was taken anew meanwhile: what waits would be refused, and is heard again.
      counters_.waiting_bytes -= std::exchange(q.bytes, 0);
      ++counters_.refused;
      q.batch = {};
    }
    if (empty(q.batch)) {
      q.batch = std::move(batch);
    } else {
      join(q.batch, std::move(batch));
    }
    q.bytes += bytes;
    counters_.waiting_bytes += bytes;
  }
  changed_.notify_one();
}

Writer::Counters Writer::counters() const {
  Lock held(mutex_);
  return counters_;
}

void Writer::note(const Batch& batch, const Committed& committed) {
  const int64_t now = now_ms(clock_);
  {
    Lock held(mutex_);
    ++counters_.commits;
    counters_.observations += committed.observations;
    counters_.deliveries += committed.deliveries;
    counters_.events +=
        static_cast<uint64_t>(std::count_if(committed.sequences.begin(), committed.sequences.end(),
                                            [](int64_t sequence) { return sequence != 0; }));
    counters_.last_commit_ms = now;
    counters_.last_error.clear();
    counters_.trouble_since_ms = 0;
    for (const Observation& o : batch.observations) counters_.waited.add(now - o.received_ms);
    for (size_t i = 0; i < batch.events.size() && i < committed.sequences.size(); ++i) {
      if (committed.sequences[i] == 0 || batch.events[i].time_ms == 0) continue;
      counters_.stored[batch.region].add(now - batch.events[i].time_ms);
    }
  }
  done_(batch, committed);
}

// A region's events one by one, each with its state; last its checkpoints and gaps.
std::vector<Batch> Writer::pieces_of(const Batch& batch) {
  Batch rest = batch;
  rest.observations.clear();
  rest.events.clear();
  std::vector<Batch> pieces;
  Batch one = rest;
  one.checkpoints.clear();
  one.gaps.clear();
  one.told.clear();
  for (size_t i = 0; i < batch.observations.size(); ++i) {
    Batch piece = one;
    piece.observations = {batch.observations[i]};
    for (const Event& e : batch.events) {
      if (e.observation != static_cast<int>(i)) continue;
      piece.events.push_back(e);
      piece.events.back().observation = 0;
    }
    pieces.push_back(std::move(piece));
  }
  for (const Event& e : batch.events) {
    if (e.observation >= 0) continue;
    pieces.push_back(one);
    pieces.back().events = {e};
  }
  pieces.push_back(std::move(rest));
  return pieces;
}

// The first of `left` cannot be stored by itself: that it is missing is told with the last of its
// region's pieces.
void Writer::drop(std::deque<Taken>& left, const Error& why) {
  const Batch piece = std::move(left.front().batch);
  left.pop_front();
  {
    Lock held(mutex_);
    ++counters_.dropped;
  }
  log_("ERROR", "a piece of a batch cannot be stored",
       {{"region", piece.region}, {"error", why.text()}});
  const auto last = std::find_if(left.rbegin(), left.rend(), [&](const Taken& t) {
    return t.is_piece && t.batch.region_id == piece.region_id;
  });
  if (last == left.rend() || piece.observations.empty()) return;
  const Observation& o = piece.observations[0];
  last->batch.gaps.push_back({o.resource, o.received_ms, o.received_ms, clean_text(o.version),
                              clean_text(cat("what was heard cannot be stored: ", why.text()))});
}

// The first of `left`. False: it must be tried again, because the database is away.
bool Writer::commit(std::deque<Taken>& left, bool& away) {
  const Batch& batch = left.front().batch;
  auto committed = store_(batch);
  if (committed) {
    if (away) log_("INFO", "the database is back");
    committed->again = std::exchange(away, false);
    note(batch, *committed);
    left.pop_front();
    return true;
  }
  const Error& e = committed.error();
  if (e.code() == Code::kUnavailable || e.code() == Code::kResourceExhausted ||
      e.code() == Code::kDeadlineExceeded || e.code() == Code::kDataLoss) {
    if (!away) log_("ERROR", "the database is not available", {{"error", e.text()}});
    away = true;
    Lock held(mutex_);
    ++counters_.failures;
    ++counters_.errors[static_cast<size_t>(db::trouble_of(e))];
    if (counters_.trouble_since_ms == 0) counters_.trouble_since_ms = now_ms(clock_);
    counters_.last_error = e.text();
    return false;
  }
  if (e.code() == Code::kFailedPrecondition) {
    {
      Lock held(mutex_);
      ++counters_.refused;
    }
    log_("WARN", "a batch was refused", {{"region", batch.region}, {"error", e.text()}});
    if (refused_) refused_(batch);
    const int64_t region = batch.region_id;
    std::erase_if(left, [&](const Taken& t) { return t.batch.region_id == region; });
    return true;
  }
  if (left.front().is_piece) {
    drop(left, e);
    return true;
  }
  log_("WARN", "a batch cannot be stored whole", {{"region", batch.region}, {"error", e.text()}});
  std::vector<Batch> pieces = pieces_of(batch);
  left.pop_front();
  for (auto p = pieces.rbegin(); p != pieces.rend(); ++p) left.push_front({std::move(*p), true});
  return true;
}

void Writer::work() {
  std::deque<Taken> taken;
  bool away = false;
  int64_t wait_ms = kFirstWaitMs;
  Lock held(mutex_);
  while (true) {
    const auto waiting = [&]() REQUIRES(mutex_) {
      return std::any_of(queues_.begin(), queues_.end(),
                         [](const auto& q) { return !empty(q.second.batch); });
    };
    while (!stop_ && !waiting()) changed_.wait(mutex_);
    if (stop_ && !waiting()) return;
    for (const Deadline until(kCollect); !stop_ && counters_.waiting_bytes < kEnough;) {
      if (!changed_.wait_until(mutex_, until)) break;
    }
    for (auto& [id, q] : queues_) {
      if (empty(q.batch)) continue;
      taken.push_back({std::move(q.batch)});
      q.batch = {};
      counters_.waiting_bytes -= q.bytes;
      q.bytes = 0;
    }
    held.unlock();
    bool given_up = false;
    while (!taken.empty() && !given_up) {
      if (commit(taken, away)) {
        wait_ms = kFirstWaitMs;
        continue;
      }
      held.lock();
      const Deadline until{std::chrono::milliseconds(wait_ms)};
      while (!stop_ && changed_.wait_until(mutex_, until)) {
      }
      given_up = stop_ && now_ms(clock_) >= stop_by_ms_;
      const bool stopping = stop_;
      held.unlock();
      if (stopping && !given_up) {
        std::this_thread::sleep_for(std::chrono::milliseconds(kFirstWaitMs));
      }
      wait_ms = std::min(wait_ms * 2, kLongestWaitMs);
    }
    taken.clear();
    {
      Lock calling(room_mutex_);
      std::vector<std::function<void()>> rooms;
      held.lock();
      for (auto it = queues_.begin(); it != queues_.end();) {
        Queue& q = it->second;
        if (q.was_full && fits(q)) {
          q.was_full = false;
          if (q.room) rooms.push_back(q.room);
        }
        it = !q.room && empty(q.batch) ? queues_.erase(it) : std::next(it);
      }
      held.unlock();
      for (const auto& room : rooms) room();
    }
    held.lock();
    if (given_up) return;
  }
}

}  // namespace pintle::lookout
