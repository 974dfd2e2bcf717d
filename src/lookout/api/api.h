// Api: lookout over HTTP: JSON for programs (spec events-informers §4.9), one page for people.
//
// Routes (cursor pages: `after`, `limit` <= 1000; errors {"error": "..."}):
//   GET  /                        status page (HTML)
//   GET  /events ?after&type&region&ns&kind&name&reason&release&from&to&limit&newest GET
//   /events/stream           server-sent events from ?after or Last-Event-ID on; same filters GET
//   /events/{sequence} GET, POST /subscriptions; GET, PUT, DELETE /subscriptions/{id}; POST
//   /subscriptions/{id}/pause
//        and /resume              secrets go in and never come out
//   GET  /deliveries              ?subscription&state&after&limit; GET /deliveries/{id}: its
//   attempts POST /deliveries/{id}/resend, /deliveries/{id}/skip GET  /rules; POST /rules:dryrun
//   {"rule": "TOML", "from": MS, "to": MS} GET  /regions, /releases, /gaps, /supportevents,
//   /metrics, /healthz, /readyz
//
// Who may: with tokens configured every route but /healthz and /readyz wants `Authorization:
// Bearer` (or HTTP Basic, whose password is the token: for browsers). "read" may GET, "operate" may
// also resend, skip, pause and resume, "admin" all. Without tokens all may, and lookout listens on
// loopback only; then a Host that is no loopback name is refused (DNS rebinding).
// Handlers run on the server's I/O threads and wait for the database there; streams have one thread
// for all, which reads the store when something was committed. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lookout/deliver/deliver.h"
#include "lookout/region.h"
#include "lookout/store.h"
#include "lookout/writer.h"
#include "sys/clock.h"

namespace pintle::lookout {

// What the API shows and does, besides the store.
struct ApiHooks {
  std::function<std::vector<RegionStatus>()> regions;
  struct NamedRelease {
    std::string region;
    Tracker::Release release;
  };
  std::function<std::vector<NamedRelease>()> releases;
  std::function<std::shared_ptr<const Rules>()> rules;
  std::function<Writer::Counters()> written;
  std::function<DeliverCounters()> delivered;
  std::function<void()> wake;  // deliveries may be due
};

class Api {
 public:
  // Error: the address cannot be listened on.
  static Result<std::unique_ptr<Api>> start(const std::string& listen,
                                            std::vector<TokenConfig> tokens, Store& store,
                                            sys::Clock& clock, ApiHooks hooks);
  virtual ~Api() = default;  // stop(0)
  virtual std::string url() const = 0;
  virtual void set_tokens(std::vector<TokenConfig> tokens) = 0;
  virtual void committed() = 0;  // streams have something to read
  virtual void stop(int64_t grace_ms) = 0;
};

}  // namespace pintle::lookout
