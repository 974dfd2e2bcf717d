// Faults: what the admin asked to go wrong. A table of rules that the REST front consults once for
// every request before it does anything else; the first rule that matches and fires decides.
// Cheap when the table is empty (one atomic load). Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"

namespace pintle::drydock {

struct Fault {
  // What it matches; an empty field matches everything.
  std::string method;       // "PATCH"
  std::string path_prefix;  // "/api/v1/namespaces/shop/", compared with the path as sent
  std::string user_agent;   // a part of the header: "kubectl/"
  std::optional<bool> watch;  // only watches, or only what is none
  double probability = 1;
  std::optional<uint64_t> count;  // how often it may still fire; none: for ever

  // What happens then.
  enum class Effect : uint8_t {
    kNone,      // only the latency
    kStatus,    // answered with `status` and nothing done
    kCut,       // connection closed before anything is done
    kLost,      // done, but the connection is closed instead of answering
    kHang,      // never answered, connection left open; nothing done
    kSilent,    // a watch is accepted and never sends; ends when its time is up
    kHalfOpen,  // a watch sends what it has, then neither sends nor ends
  };
  Effect effect = Effect::kNone;
  int64_t latency_ms = 0;  // waited before the effect
  int status = 0;          // kStatus: 400 to 599
  int retry_after_seconds = 0;
  std::string message;     // of the Status; "": a usual one

  uint64_t id = 0, fired = 0;  // the table's
};

struct Action {
  Fault::Effect effect = Fault::Effect::kNone;
  int64_t latency_ms = 0;
  int status = 0, retry_after_seconds = 0;
  std::string message;
};

class Faults {
 public:
  // `seed`: the dice of `probability`, for runs that repeat.
  explicit Faults(uint64_t seed = 1) : dice_(seed) {}

  Action decide(std::string_view method, std::string_view path, std::string_view user_agent, bool watch);

  uint64_t add(Fault fault);  // its id
  bool remove(uint64_t id);
  void clear();
  std::vector<Fault> all() const;  // in the order they are tried

 private:
  bool fires(const Fault& fault, std::string_view method, std::string_view path,
             std::string_view user_agent, bool watch) REQUIRES(lock_);

  std::atomic<bool> any_ = false;
  mutable Mutex lock_;
  std::vector<Fault> faults_ GUARDED_BY(lock_);
  uint64_t next_id_ GUARDED_BY(lock_) = 1;
  uint64_t dice_ GUARDED_BY(lock_);
};

}  // namespace pintle::drydock
