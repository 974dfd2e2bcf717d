// The admin endpoint, /drydock/...: how a test makes the server fail and finds out what was true.
// Requests and answers are JSON; docs/guide.md lists them. Needs its own bearer token, and no
// Kubernetes role gives it. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "drydock/faults.h"
#include "drydock/truth_log.h"
#include "httpd/httpd.h"

namespace pintle::drydock {

// Which open watches; an empty field matches everything.
struct WatchFilter {
  std::string resource;    // plural: "pods"
  std::string ns;          // of the request's path
  std::string user_agent;  // a part of the header
};

enum class WatchFault : uint8_t {
  kCut,       // the connection is closed where it stands
  kSilence,   // sends nothing more; ends when its time is up
  kHalfOpen,  // sends nothing more and does not end
};

// What the endpoint does to the running server. Called on any thread, without the machinery's lock.
class AdminTarget {
 public:
  virtual ~AdminTarget() = default;
  virtual size_t fault_watches(const WatchFilter& filter, WatchFault fault) = 0;  // how many
  // Forgets the history that watches and continue tokens go back to. The version it now starts at.
  virtual uint64_t compact() = 0;
  virtual Status step_clock(int64_t ns) = 0;  // forward only; kInvalidArgument otherwise
  virtual std::string now() = 0;              // RFC 3339
  // As if the process had ended and come up again: every connection is cut, the state kept.
  virtual void restart() = 0;
  // Numbers worth knowing: {"resourceVersion", 12}, {"objects", 3}, {"watches", 0} ...
  virtual std::vector<std::pair<std::string, int64_t>> facts() = 0;
};

struct Admin {
  std::string token;
  Faults& faults;
  const TruthLog& truth;
  AdminTarget& target;
};

inline bool is_admin_path(std::string_view path) { return path.starts_with("/drydock/"); }
// Answers any request whose path is_admin_path.
void serve_admin(const std::shared_ptr<httpd::Exchange>& exchange, const Admin& admin);

}  // namespace pintle::drydock
