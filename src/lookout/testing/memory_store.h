// MemoryStore: the real store on a database in memory, which can be away, with what tests ask of it.
#pragma once

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lookout/store/sql_store.h"

namespace pintle::lookout {

class MemoryStore final : public SqlStore {
 public:
  explicit MemoryStore(sys::Clock& clock)
      : SqlStore({.url = "sqlite::memory:", .secret_key = std::string(32, 'k')}, clock) {
    EXPECT_TRUE(start());
    batch_.region = "eu-1";
    batch_.cluster_uid = "cluster-1";
    batch_.region_id = put_region({0, batch_.region, batch_.cluster_uid, "production"})->id;
  }

  std::atomic<bool> away{false};  // while set, what the deliverer asks and says is kUnavailable

  std::atomic<int> put_back{0};  // deliveries that were claimed for nothing

  int versions_left = 1000, counts_left = 1000;  // of newest_version(), counts(), then it is kUnavailable

  // Stores one event, with the deliveries it is due.
  void add(Event event) {
    Batch batch = batch_;
    event.dedup_key = std::to_string(++added_);
    batch.events.push_back(std::move(event));
    EXPECT_TRUE(commit(batch));
  }
  std::vector<Delivery> all() {
    std::vector<Delivery> out;
    DeliveryQuery query;
    query.limit = 1000;
    for (size_t had = 0, last = 1; last > 0; had = out.size()) {
      const auto page = deliveries(query);
      EXPECT_TRUE(page);
      out.insert(out.end(), page->begin(), page->end());
      last = out.size() - had;
      if (last > 0) query.after = out.back().id;
    }
    return out;
  }
  std::vector<Attempt> all_attempts() {  // as they were made
    std::vector<Attempt> out;
    for (const Delivery& d : all()) {
      const auto made = attempts(d.id);
      EXPECT_TRUE(made);
      out.insert(out.end(), made->begin(), made->end());
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.started_ms < b.started_ms; });
    return out;
  }

  Result<std::string> newest_version(std::string_view uid, std::string_view resource) override {
    if (versions_left-- <= 0) return gone();
    return SqlStore::newest_version(uid, resource);
  }
  Result<std::vector<std::pair<std::string, int64_t>>> counts(std::string_view uid,
                                                              std::string_view resource) override {
    if (counts_left-- <= 0) return gone();
    return SqlStore::counts(uid, resource);
  }
  Result<int64_t> last_sequence() override {
    if (away) return gone();
    return SqlStore::last_sequence();
  }
  Result<std::vector<Claimed>> claim(std::string_view owner, int64_t epoch, int64_t lease_ms,
                                     int limit, std::span<const int64_t> but = {}) override {
    if (away) return gone();
    return SqlStore::claim(owner, epoch, lease_ms, limit, but);
  }
  Result<std::vector<Claimed>> claim_more(std::string_view owner, int64_t epoch, int64_t lease_ms,
                                          int64_t subscription_id, int limit) override {
    if (away) return gone();
    return SqlStore::claim_more(owner, epoch, lease_ms, subscription_id, limit);
  }
  Result<int64_t> try_early(int64_t subscription_id, int limit) override {
    if (away) return gone();
    return SqlStore::try_early(subscription_id, limit);
  }
  Status hold(int64_t subscription_id, int64_t until_ms) override {
    if (away) return gone();
    return SqlStore::hold(subscription_id, until_ms);
  }
  Status finish(const Delivery& leased, DeliveryState state, int64_t due_ms,
                std::string_view dead_reason, const Attempt& attempt) override {
    if (away) return gone();
    if (state == DeliveryState::kPending) ++put_back;
    return SqlStore::finish(leased, state, due_ms, dead_reason, attempt);
  }

 private:
  static Error gone() { return Error(Code::kUnavailable, "the database is locked"); }
  Batch batch_;
  std::atomic<int> added_{0};
};

}  // namespace pintle::lookout
