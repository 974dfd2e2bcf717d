// DeliverEngine: what Deliverer::start makes. Its thread owns all state; other threads (the HTTP
// client's, workers) put what happened into an inbox and wake it. A delivery goes: claimed
// (claiming.cc) -> waits at its endpoint -> resolved -> sent (sending.cc) -> ended in the store
// (ending.cc). Cost of a delivery: one claim among up to 64, one finish. Inside this folder only.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "crypt/crypt.h"
#include "lookout/deliver/deliver.h"
#include "lookout/deliver/endpoint.h"
#include "lookout/deliver/inbox.h"
#include "lookout/deliver/job.h"
#include "lookout/deliver/names.h"
#include "lookout/deliver/tally.h"
#include "lookout/deliver/workers.h"

namespace pintle::lookout {

// An attempt's end, as the store is told.
struct Ending {
  Delivery delivery;
  DeliveryState state = DeliveryState::kPending;  // it was not tried
  int64_t due_ms = 0;
  std::string reason;
  Attempt attempt;
};

class DeliverEngine final : public Deliverer {
 public:
  DeliverEngine(Store& store, sys::Clock& clock, sys::Disk& disk, DeliverOptions options)
      : store_(store),
        clock_(clock),
        disk_(disk),
        options_(std::move(options)),
        random_(options_.random_seed ? options_.random_seed : crypt::random_below(UINT64_MAX)) {
    options_.timeout_ms = std::clamp<int64_t>(options_.timeout_ms, 1, 30'000);
    ahead_ms_ = now() - clock_.monotonic_ns() / kMs;
    thread_ = std::thread([this] { run(); });
  }
  ~DeliverEngine() override { stop(0); }

  void wake() override {
    Lock held(inbox_->mutex);
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
  static constexpr int64_t kMs = 1'000'000;  // of nanoseconds
  static constexpr int64_t kStoreRetryMs = 500;
  static constexpr int64_t kShortWaitMs = 2'000;  // what is claimed waits here for so long, else in the store
  static constexpr int64_t kLookAgainMs = 30'000;  // at the store, when nothing calls: other processes write too
  static constexpr int64_t kLongestAskedMs = 3'600'000;  // of a Retry-After
  static constexpr int kWorkers = 64, kNameWorkers = 64;  // threads, each begun when it is wanted

  int64_t now() { return clock_.now_ns() / kMs; }
  void run();
  void look_at_clock();
  void shorten_waits();
  void handle(News news);
  int64_t next_wake();

  void claim();
  void store_fails(std::string_view at, const Error& error);
  void divide_limits();
  std::vector<int64_t> what_crowds();
  void admit(Claimed c);
  void put_back(const Claimed& c, int64_t due_ms);
  void put_back_from(const Endpoint& e, const Claimed& c, int64_t due_ms);
  Status try_what_failed();
  void probe();
  void hold(int64_t subscription, int64_t until_ms);
  void pump();
  bool may_start(Endpoint& e);
  void start(Endpoint& e, std::unique_ptr<Job> job);
  void merge(Endpoint& e, Job& job);
  void send(Job& job);
  void send_itself(Job& job);
  Result<http::Client*> client_for(const http::Tls& tls);
  void find_whom(Claimed& c);
  int64_t waits_until(const Claimed& c);

  void conclude(uint64_t id, Verdict v, std::string head);
  void fail(uint64_t id, const Error& error);
  bool stale(const Job& job) const { return job.version() < store_.known_version(); }
  void take_back(uint64_t id, int64_t later_ms = 0);
  void tell_alone(std::unique_ptr<Job> job);
  void record(const Job& job, const Claimed& c, const Verdict& v, const std::string& head);
  void poison(const Claimed& c, const Error& error);
  void pass_over(const Claimed& c, std::string_view why);
  void end_unsent(const Claimed& c, Ending e);
  bool done_before(const Claimed& c, const Mark& mark);
  void go_on(Job& job, const http::Response& answer);
  void pause(const Subscription& s);
  void disable_failing(const Subscription& s);
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
  std::unordered_map<int64_t, int64_t> held_;  // subscription -> when it may be held again (monotonic)
  std::set<Endpoint*> open_;                          // their breakers are
  std::set<int64_t> back_{0};  // subscriptions whose endpoint may answer again; 0: any, at a start
  std::deque<Ending> late_;                           // the store did not take them yet
  int processes_ = 1;
  int64_t crowding_version_ = 0;  // of the subscriptions, when it was found out what crowds
  int64_t next_claim_ms_ = 0, next_late_ms_ = 0;
  uint64_t last_job_ = 0;
  int64_t ahead_ms_ = 0;  // the wall clock of the monotonic one
  int64_t asked_ms_ = kLongestAskedMs;  // what a receiver may have asked for, when waits are shortened
  bool claim_soon_ = true, shorten_ = true, store_failed_ = false, stopping_ = false;
  Workers workers_{kWorkers};
  Names names_{kNameWorkers};

  std::atomic<uint64_t> attempts_{0}, succeeded_{0}, retried_{0}, dead_{0}, open_breakers_{0};
  Tally tally_;
};

}  // namespace pintle::lookout
