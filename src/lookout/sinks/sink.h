// Sink: how an event leaves. A sink is a plain function from (events, subscription) to one HTTP or
// mail request, or for those that are neither its own send; one file each, one sorted table.
//
// Outcome rules (spec §4.4 rows 11, 12): network errors, timeouts, 408, 425, 429, 5xx are tried
// again; other 4xx are dead at once, 410 disables the subscription; a 3xx is a failure and never
// followed. Chat robots answer 200 with an error code inside: the sink judges the body.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/http.h"
#include "lookout/deliver/guard.h"
#include "lookout/store.h"
#include "sys/disk.h"

namespace pintle::lookout {

enum class Outcome : uint8_t { kSucceeded, kRetry, kDead, kDisable };
std::string_view outcome_name(Outcome o);  // "ok", "retry", "dead", "gone"

struct Verdict {
  Outcome outcome = Outcome::kSucceeded;
  std::string why;             // for the attempt; "" on success
  int64_t retry_after_ms = 0;  // 0: the schedule's; else nothing goes to this endpoint before
  bool alive = true;           // the endpoint itself works; false counts for its breaker
  int status = 0;              // of those that answer with one
  std::string tls = {};        // http::Response's, of those that send themselves
};

// Where a subscription's messages go.
struct Route {
  std::string key;          // the endpoint, its credential with it: breaker and limits count by it
  std::string url = {};     // what the guard checks; "": it stays here, or the sink asks the guard
  http::Tls tls = {};       // its own authority, and our certificate
  int64_t timeout_ms = 0;   // 0: the deliverer's
  size_t merge = 1;         // so many waiting events may be told by one message
};

// At most that many messages in any such span; what is beyond waits and is told together.
struct Limit {
  int messages = 0;  // 0: no limit
  int64_t span_ms = 0;
};

// What a sink that sends itself is given.
struct Sending {
  int64_t now_ms = 0;
  const Target& target;  // passed the guard; empty when the route has no URL
  sys::Disk& disk;
  const GuardOptions& guard;  // for those that find their way to others on their own
  const Resolve& resolve;
};

// What an answer leads to: another request of the same attempt, or, without a URL, its end.
struct Step {
  http::Request request = {};
  Verdict verdict = {};
};

struct SinkKind {
  std::string_view name;
  // Checks a subscription's options and secret when it is made or changed: unknown keys, bad
  // URLs and templates. Errors name the key.
  Status (*check)(const Subscription& s);
  Result<Route> (*route)(const Subscription& s);
  // The request that tells these events (one subscription's, 1 to Route::merge) now, signed with
  // this time. Error: they cannot be told (poison): dead. Without a URL: there is nothing to tell.
  Result<http::Request> (*request)(std::span<const Claimed> events, int64_t now_ms) = nullptr;
  Verdict (*judge)(const http::Response& response) = nullptr;
  // For sinks that are no HTTP (file, kafka, nats, stdout): sends itself, on a worker thread.
  Verdict (*send)(std::span<const Claimed> events, const Sending& sending) = nullptr;
  // What it says of an event and what goes with that, for people to read; of those that send themselves.
  Result<std::string> (*text)(const Claimed& c) = nullptr;
  std::array<Limit, 2> limits = {};
  // For those that need several requests: what follows the n-th answer (from 1 on) to `last`. Such a
  // sink's judge is for a single request.
  Step (*next)(std::span<const Claimed> events, const http::Request& last,
               const http::Response& answer, int n) = nullptr;
  // What a success makes so. Of events that ask for the same, one is told; one that is older than
  // the event that made a key so is not told any more. An empty key: nothing of that kind.
  Result<Mark> (*mark)(const Claimed& c) = nullptr;
  const ContactKind* contacts = nullptr;  // null: it calls nobody, and takes no `whom`
  // The secret with a fresh key that signs from now on, and the ones before for a while beside it.
  // null: the receiver makes its secrets, and an old one is of no use.
  std::string (*rotated)(const Subscription& s, std::string_view fresh_key, int64_t until_ms,
                         int64_t now_ms) = nullptr;
};

// null: no such sink. Sorted: for messages.
const SinkKind* find_sink(std::string_view name);
std::vector<std::string_view> sink_names();

// The default judgement by status code, with Retry-After (seconds or a date; at most an hour).
Verdict judge_status(const http::Response& response);

// The event as CloudEvents 1.0 JSON and as the flat JSON that templates see.
std::string cloud_event(const StoredEvent& e);
std::string plain_event(const StoredEvent& e);
// The stable id of a message, for the receiver to know repeats by: the same in every attempt and every
// resend of what it tells, also when a database that was set back stores it once more; another as soon
// as it tells anything else.
std::string webhook_id(std::span<const Claimed> told);
inline std::string webhook_id(const Claimed& c) { return webhook_id({&c, 1}); }

}  // namespace pintle::lookout
