// Store: lookout's tables behind plain functions, over SQLite or PostgreSQL (room db).
//
// Guarantees
// - commit() is one transaction: observations, events, the deliveries their subscriptions are due,
//   checkpoints and gaps. A state stored before is not stored again (a unique index says so, not a
//   query), and brings no event without a dedup_key. Doing a commit again is harmless.
// - Events have one gap-free-to-readers sequence: a reader that has seen seq n never sees a smaller
//   one later (writers of a shared database take turns at it).
// - A commit with an epoch older than the region's is refused (kFailedPrecondition): whoever took a
//   region first and was paused since cannot write any more.
// - Secrets (a subscription's key and its sink's options, which may hold tokens) are stored encrypted
//   (AES-256-GCM with the key given at open). What is read without secrets has options with what is
//   secret masked (sinks/masking.h).
// Errors: kUnavailable when the database is locked, gone or full (worth trying again; the outcome of
// a commit may then be unknown), kInvalidArgument, kNotFound, kAlreadyExists, kFailedPrecondition.
// Thread-safe: one writer connection and a few readers, each behind a lock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lookout/audit.h"
#include "lookout/clean/policy.h"
#include "lookout/filter.h"
#include "lookout/manner.h"
#include "lookout/model.h"
#include "lookout/people.h"
#include "sys/clock.h"

namespace pintle::lookout {

struct StoreOptions {
  std::string url;         // "sqlite:PATH", "sqlite::memory:", "postgresql://..."
  std::string secret_key;  // 32 bytes
  int readers = 2;
};

struct Committed {
  size_t observations = 0;  // new ones
  std::vector<int64_t> sequences;  // by event of the batch; 0: was there already, or its state was
  size_t deliveries = 0;
  // It was tried before, and may have been done then: all that is new may have been new then.
  bool again = false;
};

struct Region {
  int64_t id = 0;
  std::string name, cluster_uid, environment;
  bool enabled = true;
  int64_t epoch = 0;
  std::string owner = {};  // who took it last
};

struct StoredEvent {
  int64_t sequence = 0;
  int64_t stored_ms = 0;
  std::string region, cluster_uid;
  Event event;
  std::string environment = {};  // the region's, as it is now
  // The object's state that told it; empty: none did.
  std::string observation_uid = {}, observation_version = {};
};

struct EventQuery {
  int64_t after = 0;          // sequences greater than this, ascending
  bool newest_first = false;  // then: smaller than `after` (0: from the end), descending
  std::string type, region, name_space, kind, name, reason, release;
  int64_t from_ms = 0, to_ms = 0;  // 0: open
  int limit = 100;                 // at most 1000
};

// A stretch of the events.
struct EventPage {
  std::vector<StoredEvent> events;
  int64_t looked = 0;  // everything up to this sequence was looked at, in the query's direction
  bool more = false;   // behind it there may be more
};

// Where and how a subscription's events go.
struct Subscription {
  int64_t id = 0;
  std::string name;
  Filter filter;
  std::string sink_kind;    // "webhook", "slack", "dingtalk", "file", ...
  std::string options;      // the sink's own, a JSON object: url, template, format, ...
  std::string secret;       // write-only: "" when read through the API's way
  Manner manner;
  // "key" of delivery order, of {subject, release, region, subscription}.
  std::string order_by = "release";
  bool enabled = true;   // the configuration's word
  bool paused = false;   // an operator's word, or lookout's own:
  std::string paused_why = {};  // its receiver is gone (410), or all has failed for too long
  int64_t generation = 1;
  bool active() const { return enabled && !paused; }
};

enum class DeliveryState : uint8_t { kPending, kLeased, kSucceeded, kRetry, kDead, kCancelled };

struct Delivery {
  int64_t id = 0, event_sequence = 0, subscription_id = 0, generation = 1;
  std::string order_key;
  DeliveryState state = DeliveryState::kPending;
  int64_t due_ms = 0;
  int attempts = 0;
  int64_t first_attempt_ms = 0;
  std::string lease_owner;
  int64_t lease_epoch = 0, lease_until_ms = 0;
  std::string dead_reason;
};

struct Attempt {
  int64_t delivery_id = 0;
  int n = 0;
  int64_t started_ms = 0, took_ms = 0;
  int status = 0;           // HTTP's; 0: no answer
  std::string error;        // "" on success
  std::string peer, response_head;  // at most 4 KiB, clean
  std::string told = {};  // whom it went to, where that was found when it was sent
  // How it ended: outcome_name(), or "unknown" of one whose lease ran out. "": it is older than this word.
  std::string result = {};
  std::string tls = {};  // http::Response's
};

// A claimed delivery with all that sending it needs.
struct Claimed {
  Delivery delivery;
  StoredEvent event;
  Subscription subscription;  // with its secrets, current at the time of the claim
  int64_t version = 0;        // of all subscriptions then
  bool early = false;         // by try_early(): delivery.due_ms is to come
  Recipients to = {};         // found by who sends it
};

// Deliveries that are not done with, by state.
struct OutboxDepth {
  int64_t pending = 0, retry = 0, leased = 0, dead = 0;
};
// By kind of sink, of each that a subscription has; "gone": their subscription is.
using OutboxDepths = std::map<std::string, OutboxDepth>;

struct DeliveryQuery {
  int64_t subscription_id = 0;  // 0: any
  std::optional<DeliveryState> state;
  int64_t after = 0;  // ids greater than this
  int limit = 100;
  int64_t event_sequence = 0;      // 0: any
  int64_t from_ms = 0, to_ms = 0;  // of its event's storing; 0: open
  bool latest = false;             // only those that were not sent again
  bool newest_first = false;       // then: ids smaller than `after` (0: from the end), descending
};

// A stretch of the deliveries.
struct DeliveryPage {
  std::vector<Delivery> deliveries;
  int64_t looked = 0;  // with `more`: everything up to this id was looked at, in the query's direction
  bool more = false;   // behind it there may be more
};

// How it fares. The counts are of what is still stored; times are true to the minute.
struct SubscriptionStatistics {
  int64_t delivered = 0, dead = 0;
  int64_t failed = 0;   // those that wait for another try
  int64_t waiting = 0;  // for their first, or on their way
  int64_t last_success_ms = 0, last_failure_ms = 0;
  int64_t failing_since_ms = 0;  // the first failure since the last success; 0: it is not failing
  std::string last_error = {};
};

// What the API has made beside the configuration's file (config/settings.h).
struct Setting {
  std::string kind, name;
  std::string value;   // JSON
  std::string secret;  // encrypted at rest
};

// What a delivery has made so beyond itself: `key` stands at `value` since the event of that
// sequence (sinks/sink.h).
struct Mark {
  std::string key, value;
  int64_t sequence = 0;
};

// Rows by table.
struct RowCounts {
  int64_t events = 0, deliveries = 0, attempts = 0, observations = 0, gaps = 0, audit = 0;
  int64_t sum() const { return events + deliveries + attempts + observations + gaps + audit; }
  void add(const RowCounts& more) {
    events += more.events;
    deliveries += more.deliveries;
    attempts += more.attempts;
    observations += more.observations;
    gaps += more.gaps;
    audit += more.audit;
  }
};

struct StoredGap {
  int64_t id = 0;
  std::string region;
  Gap gap;
};

struct Cleaned {
  RowCounts rows;
  bool more = false;
  std::string archive_error;  // the last; "": none
};

// Since the start.
struct CleaningCounters {
  RowCounts rows;
  uint64_t failures = 0, archive_failures = 0;
};

// What is about to go by one policy, whole: all of one table, and what goes with it.
struct GoingRows {
  const CleaningPolicy* policy = nullptr;
  std::string_view table;  // "event", or one of kTables
  std::vector<StoredEvent> events;
  std::vector<Delivery> deliveries;
  std::vector<Attempt> attempts;
  std::vector<std::pair<std::string, Observation>> observations;  // with their cluster_uid
  std::vector<StoredGap> gaps;
  std::vector<AuditEntry> audit;
};
using Archive = std::function<Status(const GoingRows& rows)>;

class Store {
 public:
  // Opens or makes the database and brings its schema up to date. Errors name the database.
  static Result<std::unique_ptr<Store>> open(StoreOptions options, sys::Clock& clock);
  virtual ~Store() = default;

  // Regions. A known name with another cluster_uid is a rebuilt cluster: its checkpoints go. One whose
  // cluster was watched under a name that was removed takes those checkpoints over, if they are newer.
  virtual Result<Region> put_region(const Region& region) = 0;  // by name; id is given back
  virtual Result<std::vector<Region>> regions() = 0;
  virtual Status remove_region(std::string_view name) = 0;  // its rows stay, checkpoints too
  // Takes a region; the answer is the epoch to commit with. 0: the one after the last. Else it must
  // be newer than the last, or the owner's own (kFailedPrecondition).
  virtual Result<int64_t> take_region(int64_t id, std::string_view owner, int64_t epoch) = 0;
  virtual Result<std::vector<Checkpoint>> checkpoints(int64_t region_id) = 0;
  // The count stored last for an object, to tell missed repeats: uid -> count, for a resource.
  virtual Result<std::vector<std::pair<std::string, int64_t>>> counts(std::string_view cluster_uid,
                                                                      std::string_view resource) = 0;
  // The newest of a resource's objects' versions; "": none is known.
  virtual Result<std::string> newest_version(std::string_view cluster_uid,
                                             std::string_view resource) = 0;

  // Says that `owner` is there. How many are that said so in the last for_ms, it included; by the
  // database's clock. One on SQLite: a file is one process's. leave: it is gone at once.
  virtual Result<int> meet(std::string_view owner, int64_t for_ms) = 0;
  virtual Status leave(std::string_view owner) = 0;

  virtual Result<Committed> commit(const Batch& batch) = 0;
  // Events that no region tells, each with a key: they are of the region "lookout".
  virtual Result<Committed> tell(const std::vector<Event>& events) = 0;

  virtual Result<std::vector<StoredEvent>> events(const EventQuery& query) = 0;
  // As events(), but no more than `rows` of those that fit the query's most selective text, or of
  // all when it has none of name, release and type, are looked at: few that fit cost no more.
  virtual Result<EventPage> look(const EventQuery& query, int rows) = 0;
  virtual Result<StoredEvent> event(int64_t sequence) = 0;
  virtual Result<int64_t> last_sequence() = 0;
  // The state that told an event. kNotFound: none did, or it is gone.
  virtual Result<Observation> observation(int64_t sequence) = 0;
  virtual Result<std::vector<StoredGap>> gaps(int64_t after, int limit) = 0;

  // Subscriptions. One that is disabled or paused is due no new deliveries, and those it has are
  // held. Changing where one sends takes effect for what it has waiting, too; then, and when it is
  // resumed, what waits for another try is due now, as by try_early().
  // What changes a subscription or a setting stands in the audit by the same transaction.
  virtual Result<Subscription> add_subscription(const Subscription& s, const Author& by = {}) = 0;
  // Kept: the secret when it is "", the options when they are what subscriptions() gave, and always
  // whether it is paused.
  virtual Status update_subscription(const Subscription& s, const Author& by = {}) = 0;
  // `why` is lookout's own reason, which leaves one alone that is paused already; resumed, a
  // subscription's failures so far are no longer held against it.
  virtual Status pause_subscription(int64_t id, bool paused, std::string_view why = {},
                                    const Author& by = {}) = 0;
  // Its waiting deliveries: cancelled.
  virtual Status remove_subscription(int64_t id, const Author& by = {}) = 0;
  virtual Result<std::vector<Subscription>> subscriptions() = 0;  // without secrets
  virtual Result<Subscription> whole_subscription(int64_t id) = 0;  // with its secrets

  virtual Result<SubscriptionStatistics> statistics(int64_t subscription_id) = 0;
  // Pauses one whose every attempt has failed for as long as its manner's disable_after, and tells
  // subscription.disabled, by one transaction. True: this call did it.
  virtual Result<bool> disable_failing(int64_t subscription_id) = 0;

  // Settings: by kind and name, with their secrets. The version grows with every change of one, or
  // of a subscription, by whichever process.
  virtual Status put_setting(const Setting& s, const Author& by = {}) = 0;
  virtual Status remove_setting(std::string_view kind, std::string_view name,
                                const Author& by = {}) = 0;
  virtual Result<std::vector<Setting>> settings() = 0;
  virtual Result<int64_t> settings_version() = 0;
  // The newest of those versions that this process knows to be stored: by its own changes when they
  // return, by those of others at the next commit, claim or settings_version(). Asks nobody.
  virtual int64_t known_version() const = 0;

  // The audit: changes of what is not in this database, and what is written of all.
  virtual Status note_changes(const Author& by, const std::vector<AuditChange>& changes) = 0;
  virtual Result<std::vector<AuditEntry>> audit(const AuditQuery& query) = 0;

  // Deliveries. claim: up to `limit` that are due, at most one for each order key and only its
  // oldest unfinished one, for `lease_ms`; expired leases come again. None of the subscriptions
  // `but`; what is due of those is walked past. SKIP LOCKED on PostgreSQL.
  virtual Result<std::vector<Claimed>> claim(std::string_view owner, int64_t epoch, int64_t lease_ms,
                                             int limit, std::span<const int64_t> but = {}) = 0;
  // When the next delivery becomes due (0: none waits): nobody polls in between.
  virtual Result<int64_t> next_due_ms() = 0;
  // Ends an attempt: `attempts` becomes attempt.n, the first sets first_attempt_ms. The state kPending
  // (with an attempt.n of 0) means that none was made: it is put back as it was, and comes again then.
  // Refused when the lease was lost meanwhile (kFailedPrecondition).
  virtual Status finish(const Delivery& leased, DeliveryState state, int64_t due_ms,
                        std::string_view dead_reason, const Attempt& attempt) = 0;
  // More of one subscription that are due, oldest first and whatever their keys, for a message that
  // tells many at once; none while another owner has one of its deliveries leased.
  virtual Result<std::vector<Claimed>> claim_more(std::string_view owner, int64_t epoch,
                                                  int64_t lease_ms, int64_t subscription_id,
                                                  int limit) {
    (void)owner, (void)epoch, (void)lease_ms, (void)subscription_id, (void)limit;
    return std::vector<Claimed>{};
  }
  // Up to `limit` of this subscription (0: of any) that wait for another try are due now, by chance
  // which, and what the schedule says of them stays (Claimed::early). How many there were.
  virtual Result<int64_t> try_early(int64_t subscription_id, int limit) {
    (void)subscription_id, (void)limit;
    return int64_t{0};
  }
  // Nothing that waits in this subscription is due before then: its endpoint does not answer.
  virtual Status hold(int64_t subscription_id, int64_t until_ms) {
    (void)subscription_id, (void)until_ms;
    return ok();
  }
  // Nothing unfinished waits for longer from now on than `longest` says of its subscription's manner
  // and its attempts: [n] after n of them, the last for all beyond; and no lease lasts for longer
  // than lease_ms. For a clock that went back; doing it again is harmless, whoever does it.
  using LongestWaits = std::function<std::vector<int64_t>(const Manner&)>;
  virtual Status shorten_waits(const LongestWaits& longest, int64_t lease_ms) {
    (void)longest, (void)lease_ms;
    return ok();
  }
  // Marks are kept for 30 days. mark: kNotFound: there is none. A mark of an older event than the
  // one that is there changes nothing.
  virtual Result<Mark> mark(std::string_view key) {
    return Error(Code::kNotFound, "no mark " + std::string(key));
  }
  virtual Status put_mark(const Mark& mark) {
    (void)mark;
    return ok();
  }
  virtual Result<std::vector<Delivery>> deliveries(const DeliveryQuery& query) = 0;
  // As deliveries(), but no more than `rows` of those that an index finds (by subscription, by event, what
  // is given up and what waits), or of all, are looked at: few that fit cost no more.
  virtual Result<DeliveryPage> look(const DeliveryQuery& query, int rows) = 0;
  virtual Result<std::vector<Attempt>> attempts(int64_t delivery_id) = 0;
  virtual Status resend(int64_t delivery_id) = 0;  // due now, next generation, same webhook-id
  virtual Status skip(int64_t delivery_id) = 0;    // cancelled, so that its key goes on

  // Removes what the policies say may go (clean/policy.h), some `limit` rows of it, in a round over all
  // tables that the next call takes up; `more`: the round is not over. Other policies begin another
  // one. An event goes with its deliveries and their attempts.
  // What goes by a policy with `archive` is handed to `archive` first, whole; what that refuses
  // stays, with its error, and the rest goes on.
  virtual Result<Cleaned> clean(const std::vector<CleaningPolicy>& policies, int limit,
                                const Archive& archive = {}) = 0;
  // What would go now by the policy of that name among these, up to `limit` rows of each table;
  // `more`: there are more than that.
  virtual Result<Cleaned> try_cleaning(const std::vector<CleaningPolicy>& policies,
                                       std::string_view name, int limit) = 0;

  // As it was a few seconds ago, or longer where counting takes longer: it costs a row for each of
  // them, none for what is done, and at most a fiftieth of the time.
  virtual Result<OutboxDepths> outbox_depth() = 0;

  virtual uint64_t statements() const = 0;  // sent so far, for the metrics
};

}  // namespace pintle::lookout
