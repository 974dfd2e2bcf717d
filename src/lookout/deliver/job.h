// Job: one message on its way, with the claimed deliveries it tells. The deliverer's own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "http/http.h"
#include "lookout/sinks/sink.h"

namespace pintle::lookout {

struct Endpoint;

struct Job {
  uint64_t id = 0;
  const SinkKind* sink = nullptr;
  Endpoint* endpoint = nullptr;
  Route route;
  std::vector<Claimed> claimed;  // of one subscription, oldest first
  bool alone = false;            // told by itself: together it could not be told
  std::string told;              // whom it goes to, for its attempts
  http::Request request;
  Target target;
  Mark mark;                     // what its success makes so
  int answers = 0;               // of an attempt that needs several requests
  int64_t started_ms = 0, started_ns = 0, timeout_ms = 0;
  std::unique_ptr<http::Client::Pending> pending;
};

}  // namespace pintle::lookout
