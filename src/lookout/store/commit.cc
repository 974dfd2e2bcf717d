// The one transaction that stores what a region saw.
//
//   region's epoch -> observations (new ones?) -> told keys (new ones?) -> events that are new
//   -> their numbers -> the deliveries they are due, and their lanes -> checkpoints, gaps
//
// "New" is what INSERT ... ON CONFLICT DO NOTHING RETURNING gives back, so a unique index decides,
// also between processes. Numbers are taken from the ledger only for what is stored: the sequence
// has no holes but those of cleaning, and a relist of known states writes no row.
// Cost: on SQLite some 4 us for a known state, 50 us for a new one with its event and delivery.
#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "crypt/crypt.h"
#include "lookout/store/sql_store.h"
#include "lookout/store/text.h"

namespace pintle::lookout {

namespace {

using Keys = std::unordered_set<std::string>;

constexpr size_t kDigestPart = 12;
constexpr std::string_view kOwn = "lookout";  // the region and cluster of what no region tells

// What `subscription.order_by` makes of an event. The subscription and the region lead: equal names
// elsewhere are other keys. What waits for the end of quiet hours has a key of its own, so that
// nothing severe waits behind it.
std::string order_key(const Subscription& s, const Batch& batch, const Event& e) {
  std::string key = std::to_string(s.id) + "/";
  if (s.manner.quiet.set() && e.severity < s.manner.quiet.but) key += "quiet/";
  if (s.order_by == "subscription") return key;
  key += batch.region;
  if (s.order_by == "region") return index_key(key);
  const Subject& on = e.subject;
  if (s.order_by == "release" && !e.release.empty()) {
    key += "/release/" + e.release_namespace + "/" + e.release;
  } else {
    key += "/" + on.group + "/" + on.kind + "/" + on.name_space + "/" + on.name;
  }
  return index_key(key);
}

// The end of the span in which it is to be told with others.
int64_t due_of(const Manner& m, int64_t now_ms) {
  return m.digest_ms > 0 ? (now_ms / m.digest_ms + 1) * m.digest_ms : now_ms;
}

// One commit under way: the batch with what the database has said of it.
class Commit {
 public:
  Commit(db::Session& session, const Batch& batch, int64_t now_ms)
      : session_(session), batch_(batch), now_ms_(now_ms), cluster_(index_key(batch.cluster_uid)) {}

  Status check_region() {
    std::string sql = "select epoch, environment from region where id = ?";
    sql += session_.on_postgres(" for share");
    int64_t epoch = -1;
    TRY(session_.query(sql, "nt",
                       [&](const db::Row& row) {
                         epoch = row.number(0);
                         environment_ = row.text(1);
                       },
                       batch_.region_id));
    if (epoch < 0) {
      return Error(Code::kNotFound, "no region " + std::to_string(batch_.region_id));
    }
    if (epoch > batch_.epoch) {
      return Error(Code::kFailedPrecondition,
                   "region " + batch_.region + " was taken with epoch " + std::to_string(epoch) +
                       ", after " + std::to_string(batch_.epoch));
    }
    return ok();
  }

  Status store_observations() {
    new_state_.assign(batch_.observations.size(), false);
    if (batch_.observations.empty()) return ok();
    keys_.clear();
    params_.clear();
    for (const Observation& o : batch_.observations) {
      keys_.push_back({index_key(o.resource), index_key(o.uid), index_key(o.version)});
    }
    TRY(tell_reused_apart());
    for (size_t i = 0; i < keys_.size(); ++i) {
      const Observation& o = batch_.observations[i];
      add(cluster_, keys_[i].resource, keys_[i].uid, keys_[i].version,
          static_cast<int64_t>(o.change), o.subject.group, o.subject.version, o.subject.kind,
          o.subject.name_space, o.subject.name, o.subject.uid, o.digest, o.received_ms, o.count,
          o.count_delta);
    }
    std::unordered_map<std::string, int> stored;
    TRY(session_.insert(
        "insert into observation (cluster_uid, resource, uid, version, change, subject_group, "
        "subject_version, subject_kind, subject_namespace, subject_name, subject_uid, digest, "
        "received_ms, count, count_delta)",
        15, "on conflict do nothing returning resource, uid, version", "ttt", params_,
        [&](const db::Row& row) { ++stored[state_key(row.text(0), row.text(1), row.text(2))]; }));
    if (stored.empty()) return ok();
    for (size_t i = 0; i < keys_.size(); ++i) {
      const StateKey& k = keys_[i];
      auto found = stored.find(state_key(k.resource, k.uid, k.version));
      if (found == stored.end() || found->second == 0) continue;
      found->second = 0;  // the same state twice in a batch: the first is the one
      new_state_[i] = true;
      ++done_.observations;
    }
    return store_objects();
  }

  // Which events are stored: those with a key not told before, and those of a new state.
  Status choose_events() {
    done_.sequences.assign(batch_.events.size(), 0);
    told_.assign(batch_.events.size(), "");
    params_.clear();
    std::vector<std::string> wanted;
    for (size_t i = 0; i < batch_.events.size(); ++i) {
      const Event& e = batch_.events[i];
      if (e.observation >= static_cast<int>(batch_.observations.size())) {
        return Error(Code::kInvalidArgument, "an event names an observation not in its batch");
      }
      if (!e.dedup_key.empty()) {
        told_[i] = index_key(e.dedup_key);
      } else if (e.observation < 0) {
        told_[i] = own_key(e);
      }
    }
    for (const std::string& key : told_) {
      if (!key.empty()) add(key, now_ms_);
    }
    std::deque<std::string> also;  // the parameters look at them
    for (const Event& e : batch_.events) {
      for (const std::string& key : e.also_keys) add(also.emplace_back(index_key(key)), now_ms_);
    }
    Keys fresh;
    TRY(session_.insert("insert into told (key, told_ms)", 2,
                        "on conflict do nothing returning key", "t", params_,
                        [&](const db::Row& row) { fresh.insert(row.text(0)); }));
    for (size_t i = 0; i < batch_.events.size(); ++i) {
      bool stored = told_[i].empty() ? new_state_[static_cast<size_t>(batch_.events[i].observation)]
                                     : fresh.erase(told_[i]) > 0;
      for (const std::string& key : batch_.events[i].also_keys) {
        stored = fresh.erase(index_key(key)) > 0 || stored;
      }
      if (stored) new_events_.push_back(i);
    }
    return mark_told();
  }

  // After the events: one of this batch may have such a key and is told.
  Status mark_told() {
    params_.clear();
    std::deque<std::string> keys;  // the parameters look at them
    for (const std::string& key : batch_.told) add(keys.emplace_back(index_key(key)), now_ms_);
    if (params_.empty()) return ok();
    return session_.insert("insert into told (key, told_ms)", 2, "on conflict do nothing", "", params_, {});
  }

  bool has_events() const { return !new_events_.empty(); }

  // Numbers for the new events. Whoever else stores events waits here until this commit has ended.
  // The answer: the version of the subscriptions.
  Result<int64_t> take_sequences() {
    auto n = static_cast<int64_t>(new_events_.size());
    int64_t last = 0, version = 0;
    TRY(session_.query("update ledger set event_seq = event_seq + ? where one = 1 "
                       "returning event_seq, subscriptions",
                       "nn",
                       [&](const db::Row& row) {
                         last = row.number(0);
                         version = row.number(1);
                       },
                       n));
    for (size_t i : new_events_) done_.sequences[i] = last - --n;
    return version;
  }

  Status store_events() {
    params_.clear();
    for (size_t i : new_events_) {
      const Event& e = batch_.events[i];
      static const StateKey kNone;
      const StateKey& state = e.observation < 0 ? kNone : keys_[static_cast<size_t>(e.observation)];
      add(done_.sequences[i], now_ms_, e.type, static_cast<int64_t>(e.severity), batch_.region,
          batch_.cluster_uid, e.subject.group, e.subject.version, e.subject.kind,
          e.subject.name_space, e.subject.name, e.subject.uid, e.release, e.release_namespace,
          e.revision, e.reason, e.message, e.time_ms, keep(labels_json(e.labels)), e.data,
          e.dedup_key, state.resource, state.uid, state.version);
    }
    return session_.insert(
        "insert into event (seq, stored_ms, type, severity, region, cluster_uid, subject_group, "
        "subject_version, subject_kind, subject_namespace, subject_name, subject_uid, release, "
        "release_namespace, revision, reason, message, time_ms, labels, data, dedup_key, "
        "observation_resource, observation_uid, observation_version)",
        24, "", "", params_, {});
  }

  Status store_deliveries(const std::vector<Subscription>& subscriptions) {
    struct Due {
      int64_t sequence;
      const Subscription* to;
      std::string key;
      std::string once;  // told to this subscription with this key: once
    };
    std::vector<Due> due;
    for (size_t i : new_events_) {
      const Event& e = batch_.events[i];
      for (const Subscription& s : subscriptions) {
        if (!matches(s.filter, e, batch_.region, environment_)) continue;
        due.push_back({done_.sequences[i], &s, order_key(s, batch_, e),
                       once_key(s.manner, s.id, e, batch_.region, batch_.cluster_uid)});
      }
    }
    TRY(leave_out_told(due, [](const Due& d) -> const std::string& { return d.once; }));
    if (due.empty()) return ok();
    int64_t last = TRY(session_.number(
        "update ledger set delivery_id = delivery_id + ? where one = 1 returning delivery_id", 0,
        static_cast<int64_t>(due.size())));
    int64_t id = last - static_cast<int64_t>(due.size());
    struct Lane {
      const Subscription* to;
      int64_t oldest;
    };
    std::map<std::string_view, Lane> lanes;  // by key
    params_.clear();
    for (const Due& d : due) {
      add(++id, d.sequence, d.to->id, 1, d.key, 0, due_of(d.to->manner, now_ms_), 0, 0, "", 0, 0,
          "");
      lanes.emplace(d.key, Lane{d.to, id});
    }
    TRY(session_.insert("insert into delivery (id, event_seq, subscription_id, generation, "
                        "order_key, state, due_ms, attempts, first_attempt_ms, lease_owner, "
                        "lease_epoch, lease_until_ms, dead_reason)",
                        13, "", "", params_, {}));
    params_.clear();
    for (const auto& [key, lane] : lanes) {
      add(key, lane.to->id, lane.oldest, due_of(lane.to->manner, now_ms_));
    }
    done_.deliveries = due.size();
    // On PostgreSQL the row of a lane that is there is taken: its last delivery may be ending right
    // now, and then the lane must be made anew.
    return session_.insert("insert into lane (order_key, subscription_id, head, due_ms)", 4,
                           session_.dialect() == db::Dialect::kPostgres
                               ? "on conflict (order_key) do update set head = lane.head"
                               : "on conflict (order_key) do nothing",
                           "", params_, {});
  }

  Status store_progress() {
    for (const Checkpoint& c : batch_.checkpoints) {
      TRY(session_.run("insert into checkpoint (region_id, resource, version, observed_ms, state) "
                       "values (?, ?, ?, ?, ?) on conflict (region_id, resource) do update set "
                       "version = excluded.version, observed_ms = excluded.observed_ms, "
                       "state = excluded.state",
                       batch_.region_id, c.resource, c.version, c.observed_ms, c.state));
    }
    for (const Gap& g : batch_.gaps) {
      TRY(session_.run("insert into gap (id, region_id, region, resource, from_ms, to_ms, "
                       "from_version, cause) values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
                       TRY(next_id(session_)), batch_.region_id, batch_.region, g.resource, g.from_ms,
                       g.to_ms, g.from_version, g.cause));
    }
    return ok();
  }

  Committed take() { return std::move(done_); }

 private:
  struct StateKey {
    std::string resource, uid, version;
  };
  static std::string state_key(std::string_view resource, std::string_view uid,
                               std::string_view version) {
    std::string key(resource);
    key.append("\n").append(uid).append("\n").append(version);
    return key;
  }

  // What has the version of a state that is stored, and another digest, gets a key of its own.
  Status tell_reused_apart() {
    for (size_t i = 0; i < keys_.size(); ++i) {
      const Observation& o = batch_.observations[i];
      if (!o.reused) continue;
      std::string known = o.digest;
      TRY(session_.query(
          "select digest from observation where cluster_uid = ? and resource = ? and uid = ? "
          "and version = ?",
          "t", [&](const db::Row& row) { known = row.text(0); }, cluster_, keys_[i].resource,
          keys_[i].uid, keys_[i].version));
      if (known != o.digest) {
        keys_[i].version = index_key(o.version + "~" + o.digest.substr(0, kDigestPart));
      }
    }
    return ok();
  }

  // The newest state of each object, for counts() and the cleaner.
  Status store_objects() {
    std::map<std::pair<std::string_view, std::string_view>, size_t> newest;
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (new_state_[i]) newest[{keys_[i].resource, keys_[i].uid}] = i;
    }
    params_.clear();
    for (const auto& [object, i] : newest) {
      const Observation& o = batch_.observations[i];
      if (o.change == Change::kDeleted) {
        TRY(session_.run("delete from object where cluster_uid = ? and resource = ? and uid = ?",
                         cluster_, object.first, object.second));
        continue;
      }
      add(cluster_, object.first, object.second, keys_[i].version, o.count, o.received_ms);
    }
    return session_.insert(
        "insert into object (cluster_uid, resource, uid, version, count, seen_ms)", 6,
        "on conflict (cluster_uid, resource, uid) do update set version = excluded.version, "
        "count = excluded.count, seen_ms = excluded.seen_ms",
        "", params_, {});
  }

  // Leaves out what has a key that was told before, and the second of a key in this batch.
  template <typename List, typename Key>
  Status leave_out_told(List& list, Key key_of) {
    params_.clear();
    for (const auto& item : list) {
      if (!key_of(item).empty()) add(key_of(item), now_ms_);
    }
    if (params_.empty()) return ok();
    Keys fresh;
    TRY(session_.insert("insert into told (key, told_ms)", 2,
                        "on conflict do nothing returning key", "t", params_,
                        [&](const db::Row& row) { fresh.insert(row.text(0)); }));
    std::erase_if(list, [&](const auto& item) {
      return !key_of(item).empty() && fresh.erase(key_of(item)) == 0;
    });
    return ok();
  }

  // For an event without a key and without a state: what it says. So doing a commit again does not
  // store it again.
  std::string own_key(const Event& e) const {
    std::string all;
    for (const std::string& part :
         {batch_.region, e.type, e.subject.group, e.subject.kind, e.subject.name_space,
          e.subject.name, e.subject.uid, e.release, e.release_namespace, std::to_string(e.revision),
          e.reason, e.message, std::to_string(e.time_ms), e.data}) {
      all += std::to_string(part.size()) + ":" + part;
    }
    return "says:" + crypt::hex(crypt::sha256(all));
  }

  template <typename... P>
  void add(const P&... params) {
    (params_.push_back(db::param(params)), ...);
  }
  std::string_view keep(std::string text) {
    return text == "{}" ? std::string_view("{}") : kept_.emplace_back(std::move(text));
  }

  db::Session& session_;
  const Batch& batch_;
  int64_t now_ms_;
  std::string cluster_, environment_;
  std::vector<db::Param> params_;  // views of the batch, of keys_, told_ and kept_
  std::deque<std::string> kept_;
  std::vector<StateKey> keys_;      // by observation
  std::vector<bool> new_state_;     // by observation
  std::vector<std::string> told_;   // by event: the key that decides; "": its state does
  std::vector<size_t> new_events_;  // in the batch's order
  Committed done_;
};

}  // namespace

Result<Committed> SqlStore::tell_own(db::Session& session, std::vector<Event> events) {
  Batch batch;
  batch.region = batch.cluster_uid = kOwn;
  batch.events = std::move(events);
  Commit work(session, batch, now_ms());
  TRY(work.choose_events());
  if (work.has_events()) {
    TRY(refresh_subscriptions(session, TRY(work.take_sequences())));
    TRY(work.store_events());
    TRY(work.store_deliveries(active_));
  }
  return work.take();
}

Result<Committed> SqlStore::tell(const std::vector<Event>& events) {
  Committed done;
  TRY(change(writer_, [&](db::Session& session) REQUIRES(writer_.lock) -> Status {
    done = TRY(tell_own(session, events));
    return ok();
  }));
  return done;
}

Result<Committed> SqlStore::commit(const Batch& batch) {
  Committed done;
  TRY(change(writer_, [&](db::Session& session) REQUIRES(writer_.lock) -> Status {
    Commit work(session, batch, now_ms());
    TRY(work.check_region());
    TRY(work.store_observations());
    TRY(work.choose_events());
    if (work.has_events()) {
      int64_t version = TRY(work.take_sequences());
      TRY(refresh_subscriptions(session, version));
      TRY(work.store_events());
      TRY(work.store_deliveries(active_));
    }
    TRY(work.store_progress());
    done = work.take();
    return ok();
  }));
  return done;
}

}  // namespace pintle::lookout
