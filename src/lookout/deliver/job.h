// Job: one message on its way, with the claimed deliveries it tells. The deliverer's own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "http/http.h"
#include "lookout/sinks/sink.h"

namespace pintle::lookout {

struct Endpoint;

struct Job {
  void clock_went_back(int64_t by_ms) {
    started_ms -= by_ms;
    for (Claimed& c : claimed) c.delivery.lease_until_ms -= by_ms, c.delivery.due_ms -= by_ms;
  }
  // The oldest version of all subscriptions that what it tells was claimed at.
  int64_t version() const {
    int64_t oldest = INT64_MAX;
    for (const Claimed& c : claimed) oldest = std::min(oldest, c.version);
    return oldest;
  }

  uint64_t id = 0;
  const SinkKind* sink = nullptr;
  Endpoint* endpoint = nullptr;
  Route route;
  std::vector<Claimed> claimed;  // of one subscription, oldest first
  bool alone = false;            // told by itself: together it could not be told
  std::string told;              // whom it goes to, for its attempts
  http::Request request;
  Target target;
  std::string answered_from;     // the address of the last answer
  std::string tls;               // and what it came by
  Mark mark;                     // what its success makes so
  int answers = 0;               // of an attempt that needs several requests
  int64_t started_ms = 0, started_ns = 0, timeout_ms = 0;
  std::unique_ptr<http::Client::Pending> pending;
};

}  // namespace pintle::lookout
