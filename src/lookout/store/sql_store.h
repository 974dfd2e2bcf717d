// SqlStore: lookout::Store over db. This header is for the files of this folder, one for each
// meaning: commit, events, regions, subscriptions, settings, audit, standing,
// deliveries, marks, cleaning.
//
// Order of row locks (PostgreSQL), so that no two transactions wait for each other in a ring:
// region, observation, told, ledger, lanes in the order of their keys, subscription, delivery,
// standing.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/mutex.h"
#include "db/db.h"
#include "lookout/store.h"
#include "lookout/store/cleaning.h"

namespace pintle::lookout {

// A subscription's row.
struct StoredSubscription {
  Subscription it;  // its options masked, its secret as stored
  std::string sealed_options;
};

class SqlStore : public Store {
 public:
  SqlStore(StoreOptions options, sys::Clock& clock);
  Status start();

  Result<Region> put_region(const Region& region) override;
  Result<std::vector<Region>> regions() override;
  Status remove_region(std::string_view name) override;
  Result<int64_t> take_region(int64_t id, std::string_view owner, int64_t epoch) override;
  Result<int> meet(std::string_view owner, int64_t for_ms) override;
  Status leave(std::string_view owner) override;
  Result<std::vector<Checkpoint>> checkpoints(int64_t region_id) override;
  Result<std::vector<std::pair<std::string, int64_t>>> counts(std::string_view cluster_uid,
                                                              std::string_view resource) override;
  Result<std::string> newest_version(std::string_view cluster_uid,
                                     std::string_view resource) override;
  Result<Committed> commit(const Batch& batch) override;
  Result<Committed> tell(const std::vector<Event>& events) override;
  Result<std::vector<StoredEvent>> events(const EventQuery& query) override;
  Result<EventPage> look(const EventQuery& query, int rows) override;
  Result<StoredEvent> event(int64_t sequence) override;
  Result<int64_t> last_sequence() override;
  Result<Observation> observation(int64_t sequence) override;
  Result<std::vector<StoredGap>> gaps(int64_t after, int limit) override;
  Result<Subscription> add_subscription(const Subscription& s, const Author& by = {}) override;
  Status update_subscription(const Subscription& s, const Author& by = {}) override;
  Status pause_subscription(int64_t id, bool paused, std::string_view why = {},
                            const Author& by = {}) override;
  Status remove_subscription(int64_t id, const Author& by = {}) override;
  Result<std::vector<Subscription>> subscriptions() override;
  Result<Subscription> whole_subscription(int64_t id) override;
  Result<SubscriptionStatistics> statistics(int64_t subscription_id) override;
  Result<bool> disable_failing(int64_t subscription_id) override;
  Status put_setting(const Setting& s, const Author& by = {}) override;
  Status remove_setting(std::string_view kind, std::string_view name,
                        const Author& by = {}) override;
  Status note_changes(const Author& by, const std::vector<AuditChange>& changes) override;
  Result<std::vector<AuditEntry>> audit(const AuditQuery& query) override;
  Result<std::vector<Setting>> settings() override;
  Result<int64_t> settings_version() override;
  int64_t known_version() const override { return known_version_; }
  Result<std::vector<Claimed>> claim(std::string_view owner, int64_t epoch, int64_t lease_ms,
                                     int limit, std::span<const int64_t> but = {}) override;
  Result<std::vector<Claimed>> claim_more(std::string_view owner, int64_t epoch, int64_t lease_ms,
                                          int64_t subscription_id, int limit) override;
  Result<int64_t> try_early(int64_t subscription_id, int limit) override;
  Status hold(int64_t subscription_id, int64_t until_ms) override;
  Status shorten_waits(const LongestWaits& longest, int64_t lease_ms) override;
  Result<int64_t> next_due_ms() override;
  Status finish(const Delivery& leased, DeliveryState state, int64_t due_ms,
                std::string_view dead_reason, const Attempt& attempt) override;
  Result<Mark> mark(std::string_view key) override;
  Status put_mark(const Mark& mark) override;
  Result<std::vector<Delivery>> deliveries(const DeliveryQuery& query) override;
  Result<DeliveryPage> look(const DeliveryQuery& query, int rows) override;
  Result<std::vector<Attempt>> attempts(int64_t delivery_id) override;
  Status resend(int64_t delivery_id) override;
  Status skip(int64_t delivery_id) override;
  Result<Cleaned> clean(const std::vector<CleaningPolicy>& policies, int limit,
                        const Archive& archive) override;
  Result<Cleaned> try_cleaning(const std::vector<CleaningPolicy>& policies, std::string_view name,
                               int limit) override;
  Result<OutboxDepths> outbox_depth() override;
  uint64_t statements() const override;

 private:
  struct Door {
    Mutex lock;  // of what the session does, but for statements(); it is opened by start()
    std::unique_ptr<db::Session> session;
  };
  struct Lease {
    std::string_view owner;
    int64_t epoch, until_ms, now_ms, version;
  };

  int64_t now_ms() { return clock_.now_ns() / 1'000'000; }
  template <typename Body>
  auto alone(Door& door, Body body) {
    Lock hold(door.lock);
    return body(*door.session);
  }
  // Reads on any connection that is for reading; in memory there is only one.
  template <typename Body>
  auto read(Body body) {
    if (readers_.empty()) return alone(writer_, body);
    return alone(*readers_[next_reader_++ % readers_.size()], body);
  }
  Door& outbox() { return outbox_.session == nullptr ? writer_ : outbox_; }
  // One transaction of `body`, on the connection of writers or of the outbox.
  Status change(Door& door, const std::function<Status(db::Session&)>& body);

  // Whether it is to be written, and that it was (standing.cc).
  bool outcome_is_news(int64_t subscription, bool succeeded, int64_t now);
  void know_outcome(int64_t subscription, bool succeeded, int64_t now);
  // In a transaction that has touched the subscriptions. Gives what it was before.
  Result<Subscription> write_pause(db::Session& session, int64_t id, bool paused, std::string_view why,
                                   const Author& by);
  Result<int64_t> failing_too_long(db::Session& session, int64_t id, std::string& error);
  // Events that no region has, with the deliveries they are due (commit.cc).
  Result<Committed> tell_own(db::Session& session, std::vector<Event> events) REQUIRES(writer_.lock);

  Status end_leases(db::Session& session);
  Status check_key(db::Session& session);
  Status seal_options(db::Session& session);
  // `place`: what the text belongs to; of no use anywhere else.
  std::string sealed(std::string_view text, const std::string& place) const;
  Result<std::string> unsealed(std::string_view stored, const std::string& place) const;
  // The setting there is, with its secret; nullopt: none.
  Result<std::optional<Setting>> stored_setting(db::Session& session, std::string_view kind,
                                                std::string_view name) const;
  Result<Subscription> stored_subscription(db::Session& session, int64_t id) const;  // whole
  // With what is secret in it.
  Subscription whole(StoredSubscription stored) const;
  // The new version of all subscriptions, and with it the ledger's row held.
  static Result<int64_t> touch_subscriptions(db::Session& session);
  void know_version(int64_t version);  // it is stored
  // The version, for a lease; `known` is what was known before the transaction.
  Result<int64_t> lease_version(db::Session& session, int64_t known);
  Status refresh_subscriptions(db::Session& session, int64_t version) REQUIRES(writer_.lock);
  Result<bool> claim_one(db::Session& session, const std::string& order_key, int64_t id,
                         const Lease& lease, std::vector<Claimed>& out);
  // What is found by walking all of a table holds up nobody who reads.
  Door& sweeper() { return sweeper_.session == nullptr ? writer_ : sweeper_; }
  Result<Cleaned> clean_some(int limit, const Archive& archive) REQUIRES(cleaning_);
  Status archive_old(const CleaningStep& step, std::vector<OldRow>& old, const Archive& archive,
                     std::string& error);
  Status remove_old(const CleaningStep& step, const std::vector<OldRow>& old, RowCounts& rows);

  StoreOptions options_;
  sys::Clock& clock_;
  Door writer_, outbox_;  // SQLite has one writer: there the outbox uses it too
  Door sweeper_;
  std::vector<std::unique_ptr<Door>> readers_;
  std::atomic<size_t> next_reader_ = 0;
  // The enabled ones, as of a version.
  std::vector<Subscription> active_ GUARDED_BY(writer_.lock);
  int64_t active_version_ GUARDED_BY(writer_.lock) = -1;
  std::atomic<int64_t> known_version_ = 0;
  Mutex depth_mutex_;
  OutboxDepths depth_ GUARDED_BY(depth_mutex_);
  int64_t depth_due_ns_ GUARDED_BY(depth_mutex_) = 0;  // monotonic; 0: it was never counted
  Mutex cleaning_;
  struct Outcomes {
    int64_t success_ms = 0, failure_ms = 0;  // as they were written
  };
  Mutex outcomes_mutex_;
  std::map<int64_t, Outcomes> outcomes_ GUARDED_BY(outcomes_mutex_);  // by subscription
  std::unique_ptr<CleaningRound> round_ GUARDED_BY(cleaning_);
};

// Where a subscription's secrets belong.
std::string secret_place(int64_t subscription);
std::string options_place(int64_t subscription);

// What several files ask of a session.
Result<int64_t> next_id(db::Session& session);
// Takes all lanes of a subscription until the transaction ends.
Status hold_lanes(db::Session& session, int64_t subscription);
// What try_early() does, in a transaction.
Result<int64_t> try_lanes_early(db::Session& session, int64_t subscription, int64_t now_ms,
                                int limit);
// Takes the lane's row until the transaction ends. Its head; 0: there is no such lane.
Result<int64_t> hold_lane(db::Session& session, std::string_view order_key);
// The oldest unfinished delivery becomes the lane's head; without one the lane goes.
Status advance_lane(db::Session& session, std::string_view order_key);

// The columns of an event in the order that read_event reads them, from `at` on.
Result<StoredEvent> find_event(db::Session& session, int64_t sequence);
std::string_view event_columns();
std::string_view event_letters();
StoredEvent read_event(const db::Row& row, size_t at = 0);
inline constexpr std::string_view kStateLetters = "tttntttttttnnn";
Observation read_state(const db::Row& row);
inline constexpr std::string_view kGapLetters = "nttnntt";
StoredGap read_gap(const db::Row& row);
inline constexpr std::string_view kGapById =
    "select id, region, resource, from_ms, to_ms, from_version, cause from gap where id = ?";
Result<Delivery> find_delivery(db::Session& session, int64_t id);
// A page of deliveries up to an id, or of events up to a sequence (0: to their end), as it is asked for.
// What the parameters say stays the query's.
struct Selection {
  std::string sql;
  std::vector<db::Param> params;
};
Selection deliveries_selection(const DeliveryQuery& query, int64_t until, db::Dialect dialect);
Selection events_selection(const EventQuery& query, int64_t until, db::Dialect dialect);
Result<std::vector<Attempt>> attempts_of(db::Session& session, int64_t delivery_id);
// In the transaction of the change; nullopt: nothing has changed.
Status add_audit(db::Session& session, int64_t now_ms, const Author& by,
                 const std::optional<AuditChange>& change);
Result<AuditEntry> find_audit(db::Session& session, int64_t id);
AuditPiece piece_of(const Subscription& s);  // whole, with its secrets
AuditPiece piece_of(const Setting& s);       // likewise

Status note_outcome(db::Session& session, int64_t subscription, bool succeeded, int64_t now,
                    std::string_view error);

// Likewise of a subscription.
std::string_view subscription_columns();
std::string_view subscription_letters();
// What cannot be read of it is left out, and it is paused for that (unreadable).
StoredSubscription read_subscription(const db::Row& row, size_t at = 0);
void unreadable(Subscription& s, const Error& why);
Status keep_paused(db::Session& session, const Subscription& s);

}  // namespace pintle::lookout
