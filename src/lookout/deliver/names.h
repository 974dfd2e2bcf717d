// Names: finds hosts' addresses on threads of its own, each host once at a time: who asks for one that
// is being looked for gets the same answer. So a name whose servers hang holds one thread, however many
// messages go there, and neither they nor what else blocks (workers.h) hold up other names.
// Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "lookout/deliver/guard.h"
#include "lookout/deliver/workers.h"

namespace pintle::lookout {

class Names {
 public:
  using Addresses = Result<std::vector<std::string>>;
  using Done = std::function<void(const Addresses&)>;

  explicit Names(int most);  // threads
  ~Names();                  // who still waits is not told, or by a thread that is left behind
  // `done` runs on another thread, and holds what it needs. resolve: as check_url's.
  void find(const std::string& host, const Resolve& resolve, Done done);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;  // shared: a thread that is left behind still looks at it
  Workers workers_;
};

}  // namespace pintle::lookout
