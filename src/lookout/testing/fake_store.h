// FakeStore: the deliverer's part of a Store in memory, for tests. Thread-safe. Everything else of
// Store is an error (kUnimplemented).
#pragma once

#include <atomic>
#include <map>
#include <mutex>

#include "lookout/store.h"

namespace pintle::lookout {

class FakeStore final : public Store {
 public:
  explicit FakeStore(sys::Clock& clock) : clock_(clock) {}

  // While set, writes answer kUnavailable.
  std::atomic<bool> away{false};

  // Stores one event and a delivery for each subscription that wants it.
  int64_t add(Event event, std::string region = "eu-1");
  std::vector<Delivery> all();
  std::vector<Attempt> all_attempts();

  Result<Subscription> add_subscription(const Subscription& s) override;
  Status update_subscription(const Subscription& s) override;
  Status remove_subscription(int64_t id) override;
  Result<std::vector<Subscription>> subscriptions() override;

  Result<std::vector<Claimed>> claim(std::string_view owner, int64_t epoch, int64_t lease_ms,
                                     int limit) override;
  Result<std::vector<Claimed>> claim_more(std::string_view owner, int64_t epoch, int64_t lease_ms,
                                          int64_t subscription_id, int limit) override;
  Status hold(int64_t subscription_id, int64_t until_ms) override;
  Result<int64_t> next_due_ms() override;
  Status finish(const Delivery& leased, DeliveryState state, int64_t due_ms,
                std::string_view dead_reason, const Attempt& attempt) override;
  Result<std::vector<Delivery>> deliveries(const DeliveryQuery& query) override;
  Result<std::vector<Attempt>> attempts(int64_t delivery_id) override;
  Status resend(int64_t delivery_id) override;
  Status skip(int64_t delivery_id) override;
  uint64_t statements() const override { return statements_; }

  Result<Region> put_region(const Region&) override { return none(); }
  Result<std::vector<Region>> regions() override { return none(); }
  Status remove_region(std::string_view) override { return none(); }
  Status take_region(int64_t, int64_t) override { return none(); }
  Result<std::vector<Checkpoint>> checkpoints(int64_t) override { return none(); }
  Result<std::vector<std::pair<std::string, int64_t>>> counts(std::string_view,
                                                              std::string_view) override {
    return none();
  }
  Result<Committed> commit(const Batch&) override { return none(); }
  Result<std::vector<StoredEvent>> events(const EventQuery&) override { return none(); }
  Result<StoredEvent> event(int64_t) override { return none(); }
  Result<int64_t> last_sequence() override { return none(); }
  Result<std::vector<StoredGap>> gaps(int64_t, int) override { return none(); }
  Result<int64_t> clean(std::string_view, int64_t, int) override { return none(); }

 private:
  static Error none() { return Error(Code::kUnimplemented, "not in the fake store"); }
  static Error gone() { return Error(Code::kUnavailable, "the database is locked"); }
  int64_t now() { return clock_.now_ns() / 1'000'000; }
  bool waits(const Delivery& d);
  Claimed lease(Delivery& d, std::string_view owner, int64_t epoch, int64_t lease_ms);

  sys::Clock& clock_;
  std::mutex mutex_;
  std::map<int64_t, Subscription> subscriptions_;
  std::vector<StoredEvent> events_;
  std::map<int64_t, Delivery> deliveries_;
  std::multimap<std::pair<int64_t, std::string>, int64_t> unfinished_;  // (subscription, key), id
  std::vector<Attempt> attempts_;
  std::atomic<uint64_t> statements_{0};
};

}  // namespace pintle::lookout
