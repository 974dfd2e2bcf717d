// How a subscription fares: its statistics, and pausing one whose every attempt has failed for long.
//
// When it last succeeded and failed is kept beside it in a row of its own, written when that changes
// and at most once a minute (a failure: each 10 s) while it does not, by each process: deliveries
// cost no write more, and who looks reads one row. So what is told is true to the minute. The rest is
// counted in indexes when it is asked for, from the deliveries that are still stored.
#include "base/strings.h"
#include "lookout/fields.h"
#include "lookout/sinks/body.h"
#include "lookout/store/sql_store.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kSuccessEveryMs = 60'000, kFailureEveryMs = 10'000;

}  // namespace

bool SqlStore::outcome_is_news(int64_t subscription, bool succeeded, int64_t now) {
  Lock held(outcomes_mutex_);
  const Outcomes& o = outcomes_[subscription];
  const int64_t last = succeeded ? o.success_ms : o.failure_ms;
  const int64_t other = succeeded ? o.failure_ms : o.success_ms;
  const int64_t every = succeeded ? kSuccessEveryMs : kFailureEveryMs;
  return last <= other || now < last || now - last >= every;
}

void SqlStore::know_outcome(int64_t subscription, bool succeeded, int64_t now) {
  Lock held(outcomes_mutex_);
  Outcomes& o = outcomes_[subscription];
  (succeeded ? o.success_ms : o.failure_ms) = now;
}

Status note_outcome(db::Session& session, int64_t subscription, bool succeeded, int64_t now,
                    std::string_view error) {
  if (succeeded) {
    TRY(session.run("insert into standing (subscription_id, success_ms, failure_ms, "
                    "failing_since_ms, failure) values (?, ?, 0, 0, '') "
                    "on conflict (subscription_id) do update set success_ms = excluded.success_ms, "
                    "failing_since_ms = 0",
                    subscription, now));
    return ok();
  }
  TRY(session.run("insert into standing (subscription_id, success_ms, failure_ms, failing_since_ms, "
                  "failure) values (?, 0, ?, ?, ?) on conflict (subscription_id) do update set "
                  "failure_ms = excluded.failure_ms, failure = excluded.failure, "
                  "failing_since_ms = case when standing.failing_since_ms = 0 "
                  "then excluded.failing_since_ms else standing.failing_since_ms end",
                  subscription, now, now, error));
  return ok();
}

Result<SubscriptionStatistics> SqlStore::statistics(int64_t id) {
  return read([&](db::Session& session) -> Result<SubscriptionStatistics> {
    SubscriptionStatistics out;
    TRY(session.query("select success_ms, failure_ms, failing_since_ms, failure from standing "
                      "where subscription_id = ?",
                      "nnnt",
                      [&](const db::Row& row) {
                        out.last_success_ms = row.number(0);
                        out.last_failure_ms = row.number(1);
                        out.failing_since_ms = row.number(2);
                        out.last_error = row.text(3);
                      },
                      id));
    // The conditions of the indexes, word for word. What is neither unfinished nor ended badly
    // has succeeded, so those, which are most, are counted by an index that has no states.
    int64_t unfinished = 0, ended_badly = 0;
    TRY(session.query("select state, count(*) from delivery where state in (0, 1, 3) and "
                      "order_key in (select order_key from lane where subscription_id = ?) "
                      "group by state",
                      "nn",
                      [&](const db::Row& row) {
                        unfinished += row.number(1);
                        (row.number(0) == 3 ? out.failed : out.waiting) += row.number(1);
                      },
                      id));
    TRY(session.query("select state, count(*) from delivery where subscription_id = ? and "
                      "state in (4, 5) group by state",
                      "nn",
                      [&](const db::Row& row) {
                        ended_badly += row.number(1);
                        if (row.number(0) == 4) out.dead = row.number(1);
                      },
                      id));
    const int64_t all = TRY(session.number(
        "select count(*) from delivery where subscription_id = ?", 0, id));
    out.delivered = std::max<int64_t>(0, all - unfinished - ended_badly);
    return out;
  });
}

// Since when it has been failing, where that is too long now; 0: it is not.
Result<int64_t> SqlStore::failing_too_long(db::Session& session, int64_t id, std::string& error) {
  int64_t since = 0, last = 0;
  std::string manner;
  TRY(session.query("select s.manner, t.failing_since_ms, t.failure_ms, t.failure "
                    "from subscription s join standing t on t.subscription_id = s.id "
                    "where s.id = ? and s.enabled = 1 and s.paused = 0",
                    "tnnt",
                    [&](const db::Row& row) {
                      manner = row.text(0);
                      since = row.number(1);
                      last = row.number(2);
                      error = row.text(3);
                    },
                    id));
  if (since == 0) return 0;
  const int64_t after = TRY(read_manner(manner)).disable_after_ms;
  return after > 0 && last >= since && now_ms() - since >= after ? since : 0;
}

Result<bool> SqlStore::disable_failing(int64_t id) {
  std::string error;
  if (TRY(read([&](db::Session& s) { return failing_too_long(s, id, error); })) == 0) return false;
  bool done = false;
  int64_t version = 0;
  TRY(change(writer_, [&](db::Session& session) REQUIRES(writer_.lock) -> Status {
    done = false;
    version = TRY(touch_subscriptions(session));  // of several processes one at a time comes here
    const int64_t since = TRY(failing_too_long(session, id, error));
    if (since == 0) return ok();
    const std::string why = cat("every attempt has failed since ", time_text(since), ": ", error);
    const Subscription before = TRY(write_pause(session, id, true, why, {}));
    Event e;
    e.type = "subscription.disabled";
    e.severity = Severity::kError;
    e.subject.version = "v1";
    e.subject.kind = "Subscription";
    e.subject.name = before.name;
    e.reason = "Failing";
    e.message = clean_text(why);
    e.time_ms = now_ms();
    e.data = Data()
                 .number("subscription", id)
                 .number("failing_since_ms", since)
                 .text("error", clean_text(error))
                 .take();
    e.dedup_key = cat("subscription/", id, "/disabled/", since);
    TRY(tell_own(session, {std::move(e)}));
    active_version_ = -1;  // it is this transaction's, which may not be stored
    done = true;
    return ok();
  }));
  know_version(version);
  return done;
}

}  // namespace pintle::lookout
