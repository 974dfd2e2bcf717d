// An embedded Kubernetes API server with simulated controllers, for trial and tests.
//
// Idea: the store keeps each object as the JSON text it is served as, plus the few facts that select
// it; a list joins texts, a watch shares them. One lock orders all writes; TLS, HTTP and text parsing
// happen outside it. Real kubectl, Helm and client-go work against it unmodified.
// Limits: one process, loopback unless told otherwise, no webhooks, no aggregation.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "sys/clock.h"

namespace pintle::drydock {

struct Token {
  std::string value, user;
  enum class Role : uint8_t { kAdmin, kEdit, kView } role = Role::kAdmin;
};

struct Options {
  std::string address = "127.0.0.1";
  uint16_t port = 0;
  bool allow_remote = false;  // needed for an address that is not loopback
  std::string data_file;      // SQLite; "": memory
  std::vector<Token> tokens;  // empty: one random admin token
  std::string admin_token;    // for /drydock/ (faults); "": random
  bool controllers = true;
  int64_t pod_start_ms = 300;  // Scheduled to Ready
  int event_ttl_seconds = 3600;
  size_t history = 100'000;   // changes kept for watches; older: 410
  int threads = 2;
  sys::Clock* clock = nullptr;  // null: the real one
};

class Drydock {
 public:
  virtual ~Drydock() = default;  // stops
  static Result<std::unique_ptr<Drydock>> start(Options options);
  virtual std::string url() const = 0;         // https://127.0.0.1:PORT
  virtual std::string kubeconfig() const = 0;  // YAML, CA inside, first token
  virtual std::string admin_token() const = 0;
  virtual void stop(int grace_ms) = 0;
};

}  // namespace pintle::drydock
