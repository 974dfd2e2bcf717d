#include "lookout/api/streams.h"

#include <chrono>

#include "base/strings.h"
#include "lookout/api/json.h"
#include "sys/clock.h"

namespace pintle::lookout {
namespace {

constexpr int kRows = 200, kLooked = 5'000;  // of a turn
constexpr int64_t kSilenceNs = int64_t{15} * 1'000'000'000;
constexpr auto kSlowCheck = std::chrono::milliseconds(200);
constexpr auto kIdleCheck = std::chrono::seconds(5), kSharedCheck = std::chrono::seconds(1);

httpd::Frame frame(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

}  // namespace

Streams::Streams(Store& store, bool shared) : store_(store), shared_(shared) {
  thread_ = std::thread([this] { work(); });
}

Streams::~Streams() { stop(); }

void Streams::add(std::shared_ptr<httpd::Exchange> exchange, EventQuery query) {
  exchange->start(200, {{"Content-Type", "text/event-stream"},
                        {"Cache-Control", "no-store"},
                        {"X-Accel-Buffering", "no"}});
  query.limit = kRows;
  {
    Lock held(mutex_);
    fresh_.push_back({std::move(exchange), std::move(query)});
  }
  changed_.notify_all();
}

void Streams::committed() {
  {
    Lock held(mutex_);
    if (streams_.empty() && fresh_.empty()) return;
    news_ = true;
  }
  changed_.notify_all();
}

size_t Streams::size() const {
  Lock held(mutex_);
  return streams_.size() + fresh_.size();
}

void Streams::stop() {
  {
    Lock held(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Streams::Fed Streams::feed(One& one) {
  const bool room = one.exchange->queued_bytes() < kMostQueued;
  if (one.behind && room) {
    const auto page = store_.look(one.query, kLooked);
    if (!page) return Fed::kStuck;  // the database is away: later
    std::string text;
    for (const StoredEvent& e : page->events) {
      append(text, {"id: ", cat(e.sequence), "\nevent: ", e.event.type, "\ndata: ", event_json(e),
                    "\n\n"});
    }
    one.query.after = page->looked;
    one.behind = page->more;
    if (!text.empty()) {
      one.said_ns = sys::real_clock().monotonic_ns();
      if (!one.exchange->send(frame(std::move(text)))) return Fed::kOver;
    }
  }
  const int64_t now = sys::real_clock().monotonic_ns();
  if (now - one.said_ns > kSilenceNs) {
    one.said_ns = now;
    if (!one.exchange->send(frame(": still here\n\n"))) return Fed::kOver;
  }
  return !one.behind ? Fed::kAll : room ? Fed::kMore : Fed::kStuck;
}

bool Streams::wanted() const { return stop_ || news_ || !fresh_.empty(); }

void Streams::work() {
  Lock held(mutex_);
  bool hungry = false, stuck = false;
  while (!stop_) {
    if (!hungry && !stuck && streams_.empty()) {
      while (!wanted()) changed_.wait(mutex_);
    } else if (!hungry) {
      const Deadline until(stuck     ? kSlowCheck
                           : shared_ ? std::chrono::milliseconds(kSharedCheck)
                                     : std::chrono::milliseconds(kIdleCheck));
      while (!wanted() && changed_.wait_until(mutex_, until)) {
      }
    }
    if (stop_) break;
    const bool news = news_;
    news_ = false;
    streams_.splice(streams_.end(), fresh_);
    // Only this thread touches what stands in the list.
    std::list<One> turn;
    turn.swap(streams_);
    held.unlock();
    const int64_t last = shared_ && !news && !turn.empty() ? store_.last_sequence().value_or(0) : 0;
    hungry = stuck = false;
    for (auto it = turn.begin(); it != turn.end();) {
      it->behind = it->behind || news || last > it->query.after;
      const Fed fed = feed(*it);
      hungry = hungry || fed == Fed::kMore;
      stuck = stuck || fed == Fed::kStuck;
      it = fed == Fed::kOver ? turn.erase(it) : std::next(it);
    }
    held.lock();
    streams_.splice(streams_.begin(), turn);
  }
  for (auto* list : {&streams_, &fresh_}) {
    for (One& one : *list) one.exchange->finish();
    list->clear();
  }
}

}  // namespace pintle::lookout
