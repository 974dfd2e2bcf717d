// Api: lookout over HTTP: JSON for programs (spec events-informers §4.9), one page for people.
//
// routes.cc lists what there is, with the role each wants; GET /openapi.json tells it to programs.
// Pages go on at `next`; errors are {"error": "..."} and name the key or parameter that is wrong.
//
// Who may: with tokens configured every route but /healthz and /readyz wants `Authorization:
// Bearer` (or HTTP Basic, whose password is the token: for browsers). "read" may look, "operate"
// may also resend, skip, pause, resume and test, "admin" all, and sees what receivers answered;
// "inlet" may hand in CloudEvents and nothing else.
// Without tokens all may, and lookout listens on loopback only; then a Host that is no loopback
// name is refused (DNS rebinding). Secrets go in and never come out, but for a new one, once.
// Who asks for the database waits on a few threads for that, and what asks others, or reads much, on
// a few others; the server's I/O threads wait for neither, so /healthz does not. Streams have one
// thread for all, which reads the store when something was committed. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lookout/config/config.h"
#include "lookout/deliver/deliver.h"
#include "lookout/deliver/trial.h"
#include "lookout/region/region.h"
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
  std::function<std::shared_ptr<const Config>()> config;  // what is in force
  // The settings in the store have changed, among them this region ("": none), and are to be taken.
  // Error: they are not. Another region's trouble is no error: that is told, and shown of it.
  std::function<Status(std::string_view region)> changed;
  std::function<Attempt(const Claimed&)> attempt;  // one outside the outbox; blocks
  std::function<Writer::Counters()> written;
  std::function<DeliverCounters()> delivered;
  std::function<CleaningCounters()> cleaned;
  // Why it is not known which regions are this process's; "": it is.
  std::function<std::string()> leader_unknown;
  std::function<void()> wake;  // deliveries may be due
  // Keys of the configuration that changed and are read at the start only.
  std::function<std::vector<std::string>()> restart_wanted;
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
  virtual void committed() = 0;       // streams have something to read
  virtual bool stopping() const = 0;  // what runs for long is to end
  virtual void stop(int64_t grace_ms) = 0;
};

}  // namespace pintle::lookout
