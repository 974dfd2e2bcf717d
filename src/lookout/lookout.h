// Lookout: the whole service: regions, store, deliverer, cleaner, API.
//
//   region (informers) -> observe -> writer (one transaction every few ms) -> deliver -> sinks
//
// Several may share one PostgreSQL: then region/share.h divides the regions, and any of them delivers.
//
// Back-pressure: a region hands its batches to the writer through a queue bounded in bytes; while it
// is full the region's informers hold up the server, and nothing is dropped.
#pragma once

#include <memory>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "lookout/config/config.h"
#include "sys/clock.h"
#include "sys/disk.h"
#include "sys/environ.h"

namespace pintle::lookout {

struct LookoutOptions {
  Config config;
  Log log = {};
};

class Lookout {
 public:
  // Errors: the database, the listener, a region whose kubeconfig cannot be read (a cluster that
  // cannot be reached is no error: it is tried again and shown).
  static Result<std::unique_ptr<Lookout>> start(LookoutOptions options, sys::Disk& disk,
                                                const sys::Environ& environ);
  virtual ~Lookout() = default;  // stop(0)
  virtual std::string url() const = 0;  // of its API: "http://127.0.0.1:8090"
  // Takes a new configuration, live. Error: nothing changed. What is read at the start only (listen,
  // database, secret_key_file, share) stays as it was, is logged, and shown by a metric.
  virtual Status reload(Config config) = 0;
  virtual void stop(int64_t grace_ms) = 0;
};

}  // namespace pintle::lookout
