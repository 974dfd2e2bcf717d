// The deliverer's thread owns all state; other threads (the HTTP client's, workers) put what
// happened into an inbox and wake it. A delivery goes: claimed -> waits at its endpoint -> resolved
// -> sent -> ended in the store. Cost of a delivery: one claim among up to 64, one finish.
#include "lookout/deliver/deliver.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <unordered_map>
#include <variant>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "lookout/deliver/attempt_text.h"
#include "lookout/deliver/endpoint.h"
#include "lookout/deliver/inbox.h"
#include "lookout/deliver/job.h"
#include "lookout/deliver/recipients.h"
#include "lookout/deliver/tally.h"
#include "lookout/deliver/workers.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int kClaimAtOnce = 64;
constexpr int64_t kLookAgainMs =
    30'000;  // at the store, when nothing calls: other processes write too
constexpr int64_t kStoreRetryMs = 500;
constexpr int64_t kShortWaitMs =
    2'000;  // what is claimed waits here for so long, else in the store
constexpr int64_t kLeaseMarginMs = 3'000;
constexpr int64_t kConnectMs = 3'000;
constexpr size_t kMaxBody = 64 << 10, kMaxHeader = 16 << 10;
constexpr size_t kMaxClients = 32;  // one for each CA or certificate of a subscription's own
constexpr size_t kManyEndpoints = 4'096;
constexpr int kWorkers = 16;
constexpr int64_t kClockStepMs = 2'000;  // what a clock goes back by at once is no slewing
constexpr int64_t kLongestAskedMs = 3'600'000;  // of a Retry-After

// An attempt's end, as the store is told.
struct Ending {
  Delivery delivery;
  DeliveryState state = DeliveryState::kPending;  // it was not tried
  int64_t due_ms = 0;
  std::string reason;
  Attempt attempt;
};

std::string client_key(const http::Tls& tls) {
  return cat(tls.ca_pem, "\n", tls.certificate_pem, "\n", tls.key_pem);
}

class Engine final : public Deliverer {
 public:
  Engine(Store& store, sys::Clock& clock, sys::Disk& disk, DeliverOptions options)
      : store_(store),
        clock_(clock),
        disk_(disk),
        options_(std::move(options)),
        random_(options_.random_seed ? options_.random_seed : crypt::random_below(UINT64_MAX)) {
    options_.timeout_ms = std::clamp<int64_t>(options_.timeout_ms, 1, 30'000);
    ahead_ms_ = now() - clock_.monotonic_ns() / kMs;
    thread_ = std::thread([this] { run(); });
  }
  ~Engine() override { stop(0); }

  void wake() override {
    std::lock_guard held(inbox_->mutex);
    inbox_->woken = true;
    inbox_->changed.notify_all();
  }

  Status set_guard(GuardOptions guard, const std::function<Status()>& with) override;

  void stop(int64_t grace_ms) override;

  DeliverCounters counters() const override {
    DeliverCounters out{attempts_, succeeded_, retried_, dead_, open_breakers_};
    tally_.read(out);
    return out;
  }

 private:
  int64_t now() { return clock_.now_ns() / kMs; }
  void run();
  void look_at_clock();
  void shorten_waits();
  void handle(News news);
  int64_t next_wake();

  void claim();
  void admit(Claimed c);
  void put_back(const Claimed& c, int64_t due_ms);
  void hold(int64_t subscription, int64_t until_ms);
  void pump();
  bool may_start(Endpoint& e);
  void start(Endpoint& e, std::unique_ptr<Job> job);
  void merge(Endpoint& e, Job& job);
  void send(Job& job);
  Result<http::Client*> client_for(const http::Tls& tls);
  void find_whom(Claimed& c);
  int64_t waits_until(const Claimed& c);

  void conclude(uint64_t id, Verdict v, std::string head);
  void fail(uint64_t id, const Error& error);
  bool stale(const Job& job) const { return job.version() < store_.known_version(); }
  void take_back(uint64_t id);
  void tell_alone(std::unique_ptr<Job> job);
  void record(const Job& job, const Claimed& c, const Verdict& v, const std::string& head);
  void poison(const Claimed& c, const Error& error);
  void pass_over(const Claimed& c, std::string_view why);
  bool done_before(const Claimed& c, const Mark& mark);
  void go_on(Job& job, const http::Response& answer);
  void pause(int64_t subscription);
  void end(Ending e);
  bool end_now(const Ending& e);
  void end_late_ones();
  void abandon_waiting();

  Store& store_;
  sys::Clock& clock_;
  sys::Disk& disk_;
  DeliverOptions options_;
  std::mt19937_64 random_;
  std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();  // shared: workers may outlive us
  std::thread thread_;

  // The thread's own.
  std::map<std::string, std::unique_ptr<http::Client>> clients_;  // by CA and certificate
  std::unordered_map<std::string, std::unique_ptr<Endpoint>> endpoints_;
  std::set<Endpoint*> busy_;  // something waits there
  size_t waiting_ = 0;        // jobs that wait
  std::unordered_map<uint64_t, std::unique_ptr<Job>> under_way_;
  std::set<std::pair<int64_t, uint64_t>> resolving_;  // until when (monotonic), job
  std::unordered_map<int64_t, int64_t> held_;         // subscription -> when it was held last
  std::deque<Ending> late_;                           // the store did not take them yet
  int64_t next_claim_ms_ = 0, next_late_ms_ = 0;
  uint64_t last_job_ = 0;
  int64_t ahead_ms_ = 0;  // the wall clock of the monotonic one
  int64_t asked_ms_ = kLongestAskedMs;  // what a receiver may have asked for, when waits are shortened
  bool claim_soon_ = true, shorten_ = true, store_failed_ = false, stopping_ = false;
  Workers workers_{kWorkers};

  std::atomic<uint64_t> attempts_{0}, succeeded_{0}, retried_{0}, dead_{0}, open_breakers_{0};
  Tally tally_;
};

// The deliverer's thread rests meanwhile: it alone reads the guard.
Status Engine::set_guard(GuardOptions guard, const std::function<Status()>& with) {
  TRY(check_guard_options(guard));
  std::unique_lock held(inbox_->mutex);
  ++inbox_->changes;
  inbox_->changed.wait(held, [&] { return !inbox_->working; });
  held.unlock();
  Status done = with ? with() : ok();
  held.lock();
  if (done) options_.guard = std::move(guard);
  --inbox_->changes;
  inbox_->changed.notify_all();
  return done;
}

void Engine::stop(int64_t grace_ms) {
  {
    std::unique_lock held(inbox_->mutex);
    inbox_->stop = true;
    inbox_->changed.notify_all();
    inbox_->changed.wait_for(held, std::chrono::milliseconds(grace_ms),
                             [&] { return inbox_->over; });
    inbox_->abandon = true;
    inbox_->changed.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  std::unique_lock held(inbox_->mutex);  // a send uses the disk and ends by its own deadline
  inbox_->changed.wait(held, [&] { return inbox_->sends == 0; });
}

void Engine::run() {
  for (;;) {
    std::vector<News> news;
    {
      std::unique_lock held(inbox_->mutex);
      inbox_->working = false;
      inbox_->changed.notify_all();
      const auto something = [&] {
        return !inbox_->news.empty() || (inbox_->woken && !stopping_) ||
               inbox_->stop != stopping_ || inbox_->abandon;
      };
      if (stopping_ && under_way_.empty() && late_.empty()) {
        inbox_->over = true;
        inbox_->changed.notify_all();
      }
      const int64_t wait_ms = std::clamp<int64_t>(next_wake() - now(), 0, kLookAgainMs);
      inbox_->changed.wait_for(held, std::chrono::milliseconds(wait_ms), something);
      inbox_->changed.wait(held, [&] { return inbox_->changes == 0; });
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
  }
  abandon_waiting();
  under_way_.clear();  // ends the requests; their leases run out
  clients_.clear();
}

void Engine::look_at_clock() {
  const int64_t ahead = now() - clock_.monotonic_ns() / kMs;
  const int64_t back = std::exchange(ahead_ms_, ahead) - ahead;
  if (back < kClockStepMs) return;
  options_.log("WARN", "the clock went back", {{"seconds", std::to_string(back / 1000)}});
  for (auto& [key, e] : endpoints_) e->clock_went_back(back);
  for (auto& [id, job] : under_way_) job->clock_went_back(back);
  for (Ending& e : late_) e.delivery.lease_until_ms -= back;
  held_.clear();
  next_claim_ms_ = next_late_ms_ = 0;
  asked_ms_ = 0;  // their endpoints know it
  shorten_ = true;
}

void Engine::shorten_waits() {
  const auto longest = [&](const Manner& m) { return longest_waits_ms(m, asked_ms_); };
  if (Status done = store_.shorten_waits(longest, options_.lease_ms); !done) {
    if (!store_failed_)
      options_.log("WARN", "looking at what waits", {{"error", done.error().text()}});
    store_failed_ = true;
    next_claim_ms_ = now() + kStoreRetryMs;
    return;
  }
  shorten_ = false;
  claim_soon_ = true;
}

int64_t Engine::next_wake() {
  const int64_t time = now();
  int64_t next = !late_.empty() ? next_late_ms_ : stopping_ ? time + kLookAgainMs : next_claim_ms_;
  const bool room = under_way_.size() + waiting_ < static_cast<size_t>(options_.in_flight);
  if (claim_soon_ && !stopping_ && late_.empty() && room) next = time;
  for (Endpoint* e : busy_) {
    if (e->active < e->slots(options_.per_endpoint)) next = std::min(next, e->next_ms(time));
  }
  if (!resolving_.empty()) {
    const int64_t left = (resolving_.begin()->first - clock_.monotonic_ns()) / kMs;
    next = std::min(next, time + std::max<int64_t>(left, 1));
  }
  return next;
}

void Engine::handle(News news) {
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
    return conclude(news.job, std::move(sent->verdict), "");
  }
  const auto& answer = std::get<Answered>(news.what).response;
  if (!answer) return fail(news.job, answer.error());
  if (job.sink->next != nullptr) return go_on(job, *answer);
  conclude(news.job, job.sink->judge(*answer), response_text(*answer, job.claimed[0].subscription));
}

// ---- claiming

void Engine::claim() {
  claim_soon_ = false;
  for (;;) {
    const auto used = static_cast<int>(under_way_.size() + waiting_);
    const int room = std::min(options_.in_flight - used, kClaimAtOnce);
    if (room <= 0) {
      claim_soon_ = true;  // when something has ended
      return;
    }
    auto claimed = store_.claim(options_.owner, options_.epoch, options_.lease_ms, room);
    if (!claimed) {
      if (!store_failed_)
        options_.log("WARN", "claiming deliveries", {{"error", claimed.error().text()}});
      store_failed_ = true;
      next_claim_ms_ = now() + kStoreRetryMs;
      return;
    }
    store_failed_ = false;
    for (Claimed& c : *claimed) admit(std::move(c));
    pump();
    if (static_cast<int>(claimed->size()) < room) break;
  }
  const int64_t time = now();
  const auto due = store_.next_due_ms();
  // What is due and was not handed out waits for one before it; that one's end calls again.
  next_claim_ms_ = !due || *due == 0 ? time + kLookAgainMs
                                     : std::clamp(*due, *due <= time ? time + kStoreRetryMs : time,
                                                  time + kLookAgainMs);
}

void Engine::admit(Claimed c) {
  const SinkKind* sink = find_sink(c.subscription.sink_kind);
  if (sink == nullptr) return poison(c, Error(cat("no sink ", c.subscription.sink_kind)));
  if (const int64_t until = waits_until(c); until > 0) return put_back(c, until);
  find_whom(c);
  auto route = sink->route(c.subscription);
  if (!route) return poison(c, route.error());
  auto& slot = endpoints_[route->key];
  if (!slot) slot = std::make_unique<Endpoint>(*sink);
  Endpoint& e = *slot;
  e.together = route->merge > 1;
  const int64_t time = now(), next = e.next_ms(time);
  const int slots = e.slots(options_.per_endpoint);
  if (next > time + kShortWaitMs) {
    e.behind = true;
    hold(c.subscription.id, next);
    return put_back(c, next);
  }
  if (e.waiting.size() >= e.room(slots)) {
    const int64_t due = time + std::max<int64_t>(e.drain_ms(slots) / 2, 20);
    hold(c.subscription.id, due);
    return put_back(c, due);
  }
  auto job = std::make_unique<Job>();
  job->id = ++last_job_;
  job->sink = sink;
  job->endpoint = &e;
  job->route = std::move(*route);
  job->claimed.push_back(std::move(c));
  e.waiting.push_back(std::move(job));
  busy_.insert(&e);
  ++waiting_;
}

// The end of its subscription's quiet hours; 0: it may go.
int64_t Engine::waits_until(const Claimed& c) {
  const QuietHours& quiet = c.subscription.manner.quiet;
  return c.event.event.severity < quiet.but ? quiet_until_ms(quiet, now()) : 0;
}

void Engine::find_whom(Claimed& c) {
  static const Directory kNobody;
  if (c.subscription.manner.whom.empty()) return;
  const auto known = options_.directory ? options_.directory() : nullptr;
  find_recipients(c, known != nullptr ? *known : kNobody, now());
}

void Engine::put_back(const Claimed& c, int64_t due_ms) {
  Ending e;
  e.delivery = c.delivery;
  e.due_ms = due_ms;
  end(std::move(e));
}

// What else waits in the subscription is not worth a claim before then.
void Engine::hold(int64_t subscription, int64_t until_ms) {
  int64_t& last = held_[subscription];
  const int64_t time = now();
  if (last + 200 > time) return;
  last = time;
  if (Status s = store_.hold(subscription, until_ms); !s) {
    options_.log("WARN", "holding a subscription", {{"error", s.error().text()}});
  }
}

// ---- sending

bool Engine::may_start(Endpoint& e) {
  return !e.waiting.empty() && e.active < e.slots(options_.per_endpoint) &&
         e.next_ms(now()) <= now();
}

void Engine::pump() {
  for (auto it = busy_.begin(); it != busy_.end();) {
    Endpoint& e = **it;
    while (may_start(e)) {
      auto job = std::move(e.waiting.front());
      e.waiting.pop_front();
      --waiting_;
      start(e, std::move(job));
    }
    // A limit or a failure came up: the store keeps what cannot go soon.
    const int64_t next = e.next_ms(now());
    if (e.active == 0 && next > now() + kShortWaitMs) {
      e.behind = e.behind || !e.waiting.empty();
      for (; !e.waiting.empty(); e.waiting.pop_front(), --waiting_) {
        for (const Claimed& c : e.waiting.front()->claimed) put_back(c, next);
      }
    }
    it = e.waiting.empty() ? busy_.erase(it) : std::next(it);
  }
  if (endpoints_.size() > kManyEndpoints) {
    std::erase_if(endpoints_, [&](const auto& e) { return e.second->idle(now()); });
  }
}

// More of the same subscription into one message: what waits here, then what waits in the store.
void Engine::merge(Endpoint& e, Job& job) {
  const size_t most = job.route.merge;
  const int64_t subscription = job.claimed[0].subscription.id;
  for (auto it = e.waiting.begin(); it != e.waiting.end() && job.claimed.size() < most;) {
    if ((*it)->alone || (*it)->claimed[0].subscription.id != subscription) {
      ++it;
      continue;
    }
    for (Claimed& c : (*it)->claimed) job.claimed.push_back(std::move(c));
    it = e.waiting.erase(it);
    --waiting_;
  }
  if (job.claimed.size() < most) {
    auto more = store_.claim_more(options_.owner, options_.epoch, options_.lease_ms, subscription,
                                  static_cast<int>(most - job.claimed.size()));
    for (Claimed& c : more.value_or(std::vector<Claimed>())) {
      find_whom(c);
      // What is to go elsewhere (another channel), or not now, is claimed again by itself.
      const auto route = job.sink->route(c.subscription);
      const int64_t until = waits_until(c);
      if (until == 0 && route && route->key == job.route.key) {
        job.claimed.push_back(std::move(c));
      } else {
        put_back(c, std::max(until, now()));
      }
    }
  }
  e.behind = job.claimed.size() == most;
  std::sort(job.claimed.begin(), job.claimed.end(),
            [](const Claimed& a, const Claimed& b) { return a.event.sequence < b.event.sequence; });
}

void Engine::start(Endpoint& e, std::unique_ptr<Job> owned) {
  Job& job = *owned;
  const Manner& manner = job.claimed[0].subscription.manner;
  if (job.route.merge > 1 && !job.alone && (manner.digest_ms > 0 || e.merges(now()))) merge(e, job);
  job.told = told_text(job.claimed);
  const std::vector<Claimed> message =
      manner.whom.empty() ? std::vector<Claimed>() : addressed(job.claimed);
  const std::vector<Claimed>& events = message.empty() ? job.claimed : message;
  const int64_t timeout = job.route.timeout_ms > 0 ? job.route.timeout_ms : options_.timeout_ms;
  int64_t lease = INT64_MAX;
  for (const Claimed& c : job.claimed) lease = std::min(lease, c.delivery.lease_until_ms);
  const bool late =
      now() + timeout + kLeaseMarginMs > lease && options_.lease_ms > timeout + kLeaseMarginMs;
  if (late || stale(job)) {
    for (const Claimed& c : job.claimed) put_back(c, now());
    claim_soon_ = true;
    return;
  }
  if (job.sink->mark != nullptr) {
    auto mark = job.sink->mark(job.claimed[0]);
    if (!mark) return poison(job.claimed[0], mark.error());
    if (done_before(job.claimed[0], *mark)) return pass_over(job.claimed[0], "it was done before");
    job.mark = std::move(*mark);
  }
  if (job.sink->request != nullptr) {
    auto request = job.sink->request(events, now());
    if (!request) {
      if (job.claimed.size() > 1) return tell_alone(std::move(owned));
      return poison(job.claimed[0], request.error());
    }
    if (request->url.empty()) return pass_over(job.claimed[0], "there was nothing to tell");
    job.request = std::move(*request);
    job.request.timeout_ms = job.timeout_ms = timeout;
    job.request.max_body = kMaxBody;
    job.request.max_header = kMaxHeader;
    job.request.take_partial = true;
  }
  for (Window& w : e.windows) w.count(now());
  ++e.active;
  ++attempts_;
  job.started_ms = now();
  job.started_ns = clock_.monotonic_ns();
  const uint64_t id = job.id;
  under_way_.emplace(id, std::move(owned));

  const auto inbox = inbox_;
  if (job.sink->send != nullptr) {
    workers_.run([inbox, id, sink = job.sink, claimed = events, url = job.route.url,
                  version = job.version(), &store = store_, &disk = disk_, guard = options_.guard, resolve = options_.resolve, time = now()] {
      {
        std::lock_guard held(inbox->mutex);
        if (inbox->abandon) return;
        ++inbox->sends;
      }
      Sent sent{Target{}, {}};
      if (!url.empty()) sent.target = check_url(url, guard, resolve);
      sent.stale = version < store.known_version();
      if (sent.target && !sent.stale) sent.verdict = sink->send(claimed, {time, *sent.target, disk, guard, resolve});
      std::lock_guard held(inbox->mutex);
      --inbox->sends;
      inbox->news.push_back({id, std::move(sent)});
      inbox->changed.notify_all();
    });
    return;
  }
  auto form = check_url_form(job.request.url, options_.guard);
  if (!form) return fail(id, form.error());
  if (!form->address.empty()) {
    job.target = std::move(*form);
    return send(job);
  }
  resolving_.emplace(job.started_ns + timeout * kMs, id);
  workers_.run(
      [inbox, id, url = job.request.url, guard = options_.guard, resolve = options_.resolve] {
        inbox->put({id, Resolved{check_url(url, guard, resolve)}});
      });
}

void Engine::send(Job& job) {
  auto client = client_for(job.route.tls);
  if (!client) return fail(job.id, client.error());
  job.request.connect_to = job.target.address;
  job.pending =
      (*client)->start(job.request, [inbox = inbox_, id = job.id](Result<http::Response> r) {
        inbox->put({id, Answered{std::move(r)}});
      });
}

Result<http::Client*> Engine::client_for(const http::Tls& tls) {
  const std::string key = client_key(tls);
  auto it = clients_.find(key);
  if (it == clients_.end()) {
    if (clients_.size() >= kMaxClients) {  // those of certificates that were changed meanwhile go
      std::set<std::string> used;
      for (const auto& [id, job] : under_way_) used.insert(client_key(job->route.tls));
      std::erase_if(clients_, [&](const auto& c) { return !used.contains(c.first); });
    }
    if (clients_.size() >= kMaxClients) {
      return Error(Code::kUnavailable, "too many certificates are in use at once");
    }
    http::Options o;
    o.tls = tls;
    o.connect_timeout_ms = kConnectMs;
    it = clients_.emplace(key, TRY(http::Client::make(std::move(o)))).first;
  }
  return it->second.get();
}

// The same attempt, and the same time for all of it.
void Engine::go_on(Job& job, const http::Response& answer) {
  Step step = job.sink->next(job.claimed, job.request, answer, ++job.answers);
  const int64_t left = job.timeout_ms - (clock_.monotonic_ns() - job.started_ns) / kMs;
  if (step.request.url.empty()) {
    return conclude(job.id, std::move(step.verdict),
                    response_text(answer, job.claimed[0].subscription));
  }
  if (left <= 0) return fail(job.id, Error(Code::kUnavailable, "its requests took too long"));
  http::Request& r = job.request;
  r.method = std::move(step.request.method);
  r.url = std::move(step.request.url);
  r.headers = std::move(step.request.headers);
  r.body = std::move(step.request.body);
  r.timeout_ms = left;
  for (Window& w : job.endpoint->windows) w.count(now());
  send(job);
}

// ---- ends

void Engine::fail(uint64_t id, const Error& error) {
  const auto it = under_way_.find(id);
  if (it == under_way_.end()) return;
  std::erase_if(resolving_, [&](const auto& r) { return r.second == id; });
  Verdict v;
  v.why = error_text(error, it->second->request, it->second->claimed[0].subscription);
  // What the guard refuses, it will refuse again.
  const bool refused = error.code() == Code::kPermissionDenied;
  v.outcome = refused ? Outcome::kDead : Outcome::kRetry;
  v.alive = refused;
  conclude(id, std::move(v), "");
}

// It has not been sent, and is claimed again as it is to go now.
void Engine::take_back(uint64_t id) {
  const auto it = under_way_.find(id);
  const std::unique_ptr<Job> job = std::move(it->second);
  under_way_.erase(it);
  --job->endpoint->active;
  --attempts_;
  for (const Claimed& c : job->claimed) put_back(c, now());
  claim_soon_ = true;
}

void Engine::conclude(uint64_t id, Verdict v, std::string head) {
  const auto it = under_way_.find(id);
  std::unique_ptr<Job> job = std::move(it->second);
  under_way_.erase(it);
  Endpoint& e = *job->endpoint;
  v.why = reason_text(std::move(v.why), job->claimed[0].subscription);
  --e.active;
  e.took((clock_.monotonic_ns() - job->started_ns) / kMs);
  const bool was_open = e.breaker.open();
  if (v.alive) {
    e.breaker.succeeded();
  } else {
    e.breaker.failed(now());
  }
  open_breakers_ += static_cast<uint64_t>(e.breaker.open()) - static_cast<uint64_t>(was_open);
  if (v.outcome == Outcome::kRetry && v.retry_after_ms > 0) {
    e.hold_until_ms = std::max(e.hold_until_ms, now() + v.retry_after_ms);
  }
  if (v.outcome == Outcome::kRetry && job->alone) {  // those of its key that follow wait with it
    std::erase_if(e.waiting, [&](const std::unique_ptr<Job>& other) {
      const bool follows =
          other->alone &&
          other->claimed[0].delivery.order_key == job->claimed[0].delivery.order_key &&
          other->claimed[0].subscription.id == job->claimed[0].subscription.id;
      if (follows) put_back(other->claimed[0], now()), --waiting_;
      return follows;
    });
  }
  if (v.outcome == Outcome::kDead && job->claimed.size() > 1) return tell_alone(std::move(job));
  for (const Claimed& c : job->claimed) record(*job, c, v, head);
  if (v.outcome == Outcome::kDisable) pause(job->claimed[0].subscription.id);
  claim_soon_ = true;  // the next of its keys
}

// One of many cannot be told: which one shows when each is told by itself.
void Engine::tell_alone(std::unique_ptr<Job> job) {
  Endpoint& e = *job->endpoint;
  for (auto c = job->claimed.rbegin(); c != job->claimed.rend(); ++c) {
    auto one = std::make_unique<Job>();
    one->id = ++last_job_;
    one->sink = job->sink;
    one->endpoint = &e;
    one->route = job->route;
    one->alone = true;
    one->claimed.push_back(std::move(*c));
    e.waiting.push_front(std::move(one));
    ++waiting_;
  }
  busy_.insert(&e);
}

void Engine::record(const Job& job, const Claimed& c, const Verdict& v, const std::string& head) {
  Ending e;
  e.delivery = c.delivery;
  Attempt& a = e.attempt;
  a.delivery_id = c.delivery.id;
  a.n = c.delivery.attempts + 1;
  a.started_ms = job.started_ms;
  a.took_ms = (clock_.monotonic_ns() - job.started_ns) / kMs;
  a.status = v.status;
  a.error = v.why;
  a.response_head = head;
  a.told = job.told;
  if (!job.target.address.empty()) a.peer = cat(job.target.address, " port ", job.target.port);
  switch (v.outcome) {
    case Outcome::kSucceeded:
      e.state = DeliveryState::kSucceeded;
      if (!job.mark.key.empty()) {
        Mark mark = job.mark;
        mark.sequence = c.event.sequence;
        (void)store_.put_mark(mark);  // else it is done again, which is harmless
      }
      ++succeeded_;
      break;
    case Outcome::kRetry: {
      const int64_t first =
          c.delivery.first_attempt_ms ? c.delivery.first_attempt_ms : job.started_ms;
      const double jitter = std::uniform_real_distribution<double>(0, 1)(random_);
      e.due_ms = retry_at_ms(c.subscription.manner, a.n, first, now(), jitter, v.retry_after_ms);
      e.state = e.due_ms ? DeliveryState::kRetry : DeliveryState::kDead;
      if (!e.due_ms) e.reason = cat("given up after ", a.n, " attempts: ", v.why);
      ++(e.due_ms ? retried_ : dead_);
      break;
    }
    case Outcome::kDead:
    case Outcome::kDisable:
      e.state = DeliveryState::kDead;
      e.reason = v.why;
      ++dead_;
  }
  tally_.count(c, a, e.state, now());
  end(std::move(e));
}

void Engine::poison(const Claimed& c, const Error& error) {
  Ending e;
  e.delivery = c.delivery;
  e.state = DeliveryState::kDead;
  e.reason = error_text(error, {}, c.subscription);
  e.attempt.delivery_id = c.delivery.id;
  e.attempt.n = c.delivery.attempts + 1;
  e.attempt.started_ms = now();
  e.attempt.error = e.reason;
  ++dead_;
  tally_.count(c, e.attempt, e.state, now());
  end(std::move(e));
  claim_soon_ = true;
}

// By an event that asked for the same, or by a newer one. Who resends one wants it done again.
bool Engine::done_before(const Claimed& c, const Mark& mark) {
  const auto made = mark.key.empty() ? Result<Mark>(Error("")) : store_.mark(mark.key);
  if (!made) return false;
  return made->sequence > c.event.sequence ||
         (made->value == mark.value && c.delivery.generation == 1);
}

// The sink has nothing to tell of it.
void Engine::pass_over(const Claimed& c, std::string_view why) {
  Ending e;
  e.delivery = c.delivery;
  e.state = DeliveryState::kSucceeded;
  e.attempt.delivery_id = c.delivery.id;
  e.attempt.n = c.delivery.attempts + 1;
  e.attempt.started_ms = now();
  e.attempt.response_head = why;
  ++succeeded_;
  tally_.count(c, e.attempt, e.state, now());
  end(std::move(e));
  claim_soon_ = true;
}

void Engine::pause(int64_t id) {
  auto all = store_.subscriptions();
  if (!all) return;
  for (Subscription& s : *all) {
    if (s.id != id || s.paused) continue;
    s.paused = true;
    if (Status done = store_.update_subscription(s); !done) {
      options_.log("WARN", "pausing a subscription whose receiver is gone",
                   {{"subscription", s.name}, {"error", done.error().text()}});
    }
  }
}

void Engine::end(Ending e) {
  if (late_.empty() && end_now(e)) return;
  if (late_.empty()) next_late_ms_ = now() + kStoreRetryMs;
  late_.push_back(std::move(e));
}

// False: the store is away; the end is worth telling it again.
bool Engine::end_now(const Ending& e) {
  Status s = store_.finish(e.delivery, e.state, e.due_ms, e.reason, e.attempt);
  if (s) return true;
  if (s.error().code() == Code::kUnavailable && now() < e.delivery.lease_until_ms) return false;
  // What was put back untried may have been cancelled since.
  if (e.state == DeliveryState::kPending && s.error().code() == Code::kFailedPrecondition) return true;
  options_.log("WARN", "an attempt's end was not stored; the delivery will come again",
               {{"delivery", std::to_string(e.delivery.id)}, {"error", s.error().text()}});
  return true;
}

void Engine::end_late_ones() {
  if (late_.empty() || now() < next_late_ms_) return;
  while (!late_.empty() && end_now(late_.front())) late_.pop_front();
  next_late_ms_ = now() + kStoreRetryMs;
}

// Stopping: what has not been started goes back at once, not when its lease ends.
void Engine::abandon_waiting() {
  for (Endpoint* e : busy_) {
    for (const auto& job : e->waiting) {
      for (const Claimed& c : job->claimed) put_back(c, now());
    }
    e->waiting.clear();
  }
  busy_.clear();
  waiting_ = 0;
}

}  // namespace

Result<std::unique_ptr<Deliverer>> Deliverer::start(Store& store, sys::Clock& clock,
                                                    sys::Disk& disk, DeliverOptions options) {
  TRY(check_guard_options(options.guard));
  return std::make_unique<Engine>(store, clock, disk, std::move(options));
}

}  // namespace pintle::lookout
