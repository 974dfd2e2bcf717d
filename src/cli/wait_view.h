// WaitView: while a command waits on a terminal, what is not ready and why. Told by the wait; asks
// the server for reasons every other second on a thread of its own, so that the wait never stops
// for it. Draws nothing in the first moments: what is quick needs no picture.
#pragma once

#include <memory>
#include <vector>

#include "cli/env.h"
#include "kube/cluster.h"
#include "kube/rest.h"

namespace pintle::cli {

class WaitView {
 public:
  // `env.draw` must be set; both outlive the view.
  WaitView(const Env& env, kube::Rest& rest);
  ~WaitView();
  WaitView(const WaitView&) = delete;
  WaitView& operator=(const WaitView&) = delete;

  // What is waited for now; empty: nothing, and the picture goes.
  void waiting_for(const std::vector<kube::NotReady>& not_ready);

 private:
  struct Painter;
  std::unique_ptr<Painter> painter_;  // from the first wait on
  const Env& env_;
  kube::Rest& rest_;
};

}  // namespace pintle::cli
