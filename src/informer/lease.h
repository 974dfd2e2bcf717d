// Elector: leadership by a coordination.k8s.io/v1 Lease (client-go's leaderelection), event-driven
// on a Loop: no thread.
//
// Guarantees
// - A holder's claim is judged by local time since its record last changed: clocks of different
//   machines need not agree.
// - The epoch (leaseTransitions) grows with every change of holder. It is no fence by itself:
//   writers put it into what they write, and the database refuses an older one.
// - A leader that has not renewed within `renew_deadline` stops leading, before its lease can be
//   taken: on_stopped runs first. One that cannot reach the server stops likewise.
// - A conflict or an error is a failed try, never fatal.
// - stop() ends leading, tells so, and, with release_on_stop, gives the lease back.
// - A Lease that was deleted counts its transitions from 0 again; at_least() keeps the epoch growing.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "informer/backoff.h"
#include "informer/inlet.h"
#include "informer/loop.h"
#include "kube/rest.h"

namespace pintle::informer {

// What a Lease says. Texts of times are kept as they are: they are only written, never compared.
struct LeaseRecord {
  std::string holder, acquire_time, renew_time;
  int64_t duration_seconds = 0, transitions = 0;
  bool operator==(const LeaseRecord&) const = default;
};

struct ElectorOptions {
  std::string name_space, name, identity;
  int64_t lease_ns = 15 * kSecond;
  int64_t renew_deadline_ns = 10 * kSecond;
  int64_t retry_ns = 2 * kSecond;
  bool release_on_stop = false;
  std::function<bool()> wants;  // asked before it takes what nobody holds; empty: always
  std::function<void(int64_t epoch)> on_started;             // again when the epoch grew meanwhile
  std::function<void()> on_stopped;                          // also when it never led
  std::function<void(const std::string& holder)> on_holder;  // each new one, itself too
  std::function<void(const Status&)> on_try;  // how each try ended; a lost race is no error
};

class Elector {
 public:
  // Error: not lease > renew deadline > 1.2 retry, or a name is missing.
  static Result<std::unique_ptr<Elector>> make(Loop& loop, kube::Rest& rest, Random random,
                                               ElectorOptions options);
  ~Elector();
  void start();  // on the loop, like all below
  void stop();
  bool busy() const { return step_ != Step::kIdle; }  // a request is under way, stop's also
  // What it takes or renews from now on has no smaller epoch.
  void at_least(int64_t epoch) { least_epoch_ = std::max(least_epoch_, epoch); }
  bool leader() const { return leading_; }
  int64_t epoch() const { return record_.transitions; }
  const LeaseRecord& record() const { return record_; }
  // An error when it leads and has not renewed for lease + tolerance: a stuck process.
  Status healthy(int64_t tolerance_ns) const;

 private:
  enum class Step : uint8_t { kIdle, kGet, kCreate, kUpdate, kRelease, kReread };
  Elector(Loop& loop, kube::Rest& rest, Random random, ElectorOptions options);
  void attempt();
  void send(Step step, const LeaseRecord* record);
  void ready();
  void answered(Step step, Status status, std::string body);
  void remember(std::string body);
  void try_take();
  void give_back();
  bool may_take() const { return leading_ || !options_.wants || options_.wants(); }
  void tried(const Status& status);
  void finish(bool won);
  void lose();
  LeaseRecord wanted() const;

  Loop& loop_;
  kube::Rest& rest_;
  Random random_;
  const ElectorOptions options_;
  bool running_ = false, leading_ = false;
  Step step_ = Step::kIdle;
  std::unique_ptr<Inlet> inlet_;
  std::string body_, sent_;
  Loop::Timer timer_ = 0, deadline_ = 0;
  std::string object_;  // the Lease as last read, "" when unknown
  LeaseRecord record_;  // of it
  std::string told_;    // the holder last told of
  int64_t least_epoch_ = 0, told_epoch_ = 0;
  int64_t observed_ns_ = 0, renewed_ns_ = 0, sent_ns_ = 0;
};

}  // namespace pintle::informer
