// Inlet: one streamed answer on its way from the connection's thread to a loop.
//
// The connection appends, the loop takes. When kHigh bytes wait, further pieces are refused
// (Flow::kPause) until the loop has taken them: the server is held up, memory is not used. `ready`
// runs on the loop when there is something to take, once for many pieces.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "informer/loop.h"
#include "kube/rest.h"

namespace pintle::informer {

class Inlet {
 public:
  static constexpr size_t kHigh = 64 << 10;

  Inlet(Loop& loop, std::function<void()> ready) : loop_(loop), ready_(std::move(ready)) {}
  ~Inlet();  // on the loop: ends the request; nothing is called afterwards
  void open(kube::Rest& rest, kube::Call call);

  // What has come, appended to `out`; on the loop. False when nothing has.
  bool take(std::string& out);
  // `ready` runs once more, behind what waits on the loop.
  void call_again();
  // Whether it was sent: false while it waits for its turn among many.
  bool begun() const { return !pending_ || pending_->begun(); }
  // Whether the server has answered it, well. `ready` runs for that too.
  bool answered() const;
  // How it ended, when it has and all of it was taken.
  std::optional<Status> ended();

 private:
  // Shared: the connection's callbacks may outlive the inlet by a moment.
  struct Shared {
    Mutex mutex;
    std::string bytes GUARDED_BY(mutex);
    bool told GUARDED_BY(mutex) = false;
    bool paused GUARDED_BY(mutex) = false;
    bool answered GUARDED_BY(mutex) = false;
    bool gone GUARDED_BY(mutex) = false;  // the inlet is no more
    std::optional<Status> end GUARDED_BY(mutex);
  };
  void tell(const std::shared_ptr<Shared>& s) REQUIRES(s->mutex);

  Loop& loop_;
  std::function<void()> ready_;  // the loop's
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<kube::Rest::Pending> pending_;
};

}  // namespace pintle::informer
