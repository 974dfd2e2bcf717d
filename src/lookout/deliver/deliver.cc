// The deliverer's thread: what it waits for, what it is told, and a wall clock that goes back.
#include "lookout/deliver/deliver.h"

#include <chrono>
#include <variant>

#include "lookout/deliver/attempt_text.h"
#include "lookout/deliver/engine.h"

namespace pintle::lookout {

namespace {

constexpr int64_t kLastSendsMs = 1'000;    // beyond the longest that a request may take
constexpr int64_t kClockStepMs = 2'000;  // what a clock goes back by at once is no slewing

}  // namespace

// The deliverer's thread rests meanwhile: it alone reads the guard.
Status DeliverEngine::set_guard(GuardOptions guard, const std::function<Status()>& with) {
  TRY(check_guard_options(guard));
  Lock held(inbox_->mutex);
  ++inbox_->changes;
  while (inbox_->working) inbox_->changed.wait(inbox_->mutex);
  held.unlock();
  Status done = with ? with() : ok();
  held.lock();
  if (done) options_.guard = std::move(guard);
  --inbox_->changes;
  inbox_->changed.notify_all();
  return done;
}

void DeliverEngine::stop(int64_t grace_ms) {
  {
    Lock held(inbox_->mutex);
    inbox_->stop = true;
    inbox_->changed.notify_all();
    const Deadline until{std::chrono::milliseconds(grace_ms)};
    while (!inbox_->over && inbox_->changed.wait_until(inbox_->mutex, until)) {
    }
    inbox_->abandon = true;
    inbox_->changed.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  // A send ends by its own deadline. One that does not (a file of a server that is gone) is left behind
  // in its call of the disk; it looks at nothing of ours any more.
  Lock held(inbox_->mutex);
  const Deadline until{std::chrono::milliseconds(options_.timeout_ms + kLastSendsMs)};
  while (inbox_->sends != 0 && inbox_->changed.wait_until(inbox_->mutex, until)) {
  }
  if (inbox_->sends != 0) {
    options_.log("WARN", "a send hangs and is left behind", {{"sends", std::to_string(inbox_->sends)}});
  }
}

void DeliverEngine::run() {
  for (;;) {
    std::vector<News> news;
    {
      Lock held(inbox_->mutex);
      inbox_->working = false;
      inbox_->changed.notify_all();
      const auto something = [&]() REQUIRES(inbox_->mutex) {
        return !inbox_->news.empty() || (inbox_->woken && !stopping_) ||
               inbox_->stop != stopping_ || inbox_->abandon;
      };
      if (stopping_ && under_way_.empty() && late_.empty()) {
        inbox_->over = true;
        inbox_->changed.notify_all();
      }
      const int64_t wait_ms = std::clamp<int64_t>(next_wake() - now(), 0, kLookAgainMs);
      const Deadline until{std::chrono::milliseconds(wait_ms)};
      while (!something() && inbox_->changed.wait_until(inbox_->mutex, until)) {
      }
      while (inbox_->changes != 0) inbox_->changed.wait(inbox_->mutex);
      news.swap(inbox_->news);
      claim_soon_ = std::exchange(inbox_->woken, false) || claim_soon_;
      stopping_ = inbox_->stop;
      if (inbox_->abandon && news.empty()) break;
      inbox_->working = true;
    }
    look_at_clock();
    for (News& n : news) handle(std::move(n));
    const int64_t monotonic = clock_.monotonic_ns();
    while (!resolving_.empty() && resolving_.begin()->first <= monotonic) {
      fail(resolving_.begin()->second,
           Error(Code::kUnavailable, "the host's name was not resolved in time"));
    }
    end_late_ones();
    if (stopping_) {
      abandon_waiting();
      continue;
    }
    if (shorten_ && late_.empty() && now() >= next_claim_ms_) shorten_waits();
    if (late_.empty() && (claim_soon_ || now() >= next_claim_ms_)) claim();
    pump();
    probe();
  }
  abandon_waiting();
  under_way_.clear();  // ends the requests; their leases run out
  clients_.clear();
}

void DeliverEngine::look_at_clock() {
  const int64_t ahead = now() - clock_.monotonic_ns() / kMs;
  const int64_t back = std::exchange(ahead_ms_, ahead) - ahead;
  if (back < kClockStepMs) return;
  options_.log("WARN", "the clock went back", {{"seconds", std::to_string(back / 1000)}});
  for (auto& [key, e] : endpoints_) e->clock_went_back(back);
  for (auto& [id, job] : under_way_) job->clock_went_back(back);
  for (Ending& e : late_) e.delivery.lease_until_ms -= back;
  next_claim_ms_ = next_late_ms_ = 0;
  asked_ms_ = 0;  // their endpoints know it
  shorten_ = true;
}

void DeliverEngine::shorten_waits() {
  const auto longest = [&](const Manner& m) { return longest_waits_ms(m, asked_ms_); };
  if (Status done = store_.shorten_waits(longest, options_.lease_ms); !done) {
    return store_fails("looking at what waits", done.error());
  }
  shorten_ = false;
  claim_soon_ = true;
}

int64_t DeliverEngine::next_wake() {
  const int64_t time = now();
  int64_t next = !late_.empty() ? next_late_ms_ : stopping_ ? time + kLookAgainMs : next_claim_ms_;
  const bool room = under_way_.size() + waiting_ < static_cast<size_t>(options_.in_flight);
  if (claim_soon_ && !stopping_ && late_.empty() && room) next = time;
  for (Endpoint* e : busy_) {
    if (e->active < e->slots(options_.per_endpoint)) next = std::min(next, e->next_ms(time));
  }
  if (!stopping_) {
    for (Endpoint* e : open_) next = std::min(next, e->probe_ms(time));
  }
  if (!resolving_.empty()) {
    const int64_t left = (resolving_.begin()->first - clock_.monotonic_ns()) / kMs;
    next = std::min(next, time + std::max<int64_t>(left, 1));
  }
  return next;
}

void DeliverEngine::handle(News news) {
  const auto it = under_way_.find(news.job);
  if (it == under_way_.end()) return;  // ended by its deadline
  Job& job = *it->second;
  if (auto* resolved = std::get_if<Resolved>(&news.what)) {
    std::erase_if(resolving_, [&](const auto& r) { return r.second == news.job; });
    if (stale(job)) return take_back(news.job);
    if (!resolved->target) return fail(news.job, resolved->target.error());
    job.target = std::move(*resolved->target);
    return send(job);
  }
  if (auto* sent = std::get_if<Sent>(&news.what)) {
    if (sent->stale) return take_back(news.job);
    if (!sent->target) return fail(news.job, sent->target.error());
    job.target = std::move(*sent->target);
    job.tls = sent->verdict.tls;
    return conclude(news.job, std::move(sent->verdict), "");
  }
  const auto& answer = std::get<Answered>(news.what).response;
  if (!answer) return fail(news.job, answer.error());
  job.answered_from = answer->address;
  job.tls = answer->tls;
  if (job.sink->next != nullptr) return go_on(job, *answer);
  conclude(news.job, job.sink->judge(*answer), response_text(*answer, job.claimed[0].subscription));
}

Result<std::unique_ptr<Deliverer>> Deliverer::start(Store& store, sys::Clock& clock,
                                                    sys::Disk& disk, DeliverOptions options) {
  TRY(check_guard_options(options.guard));
  return std::make_unique<DeliverEngine>(store, clock, disk, std::move(options));
}

}  // namespace pintle::lookout
