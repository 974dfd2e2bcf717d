// Workers: a few threads for calls that block (writing a file, a sink's own protocol; names.h). They start when
// there is work; one that hangs in a resolver is left behind at the end, so a task holds what it
// needs. Thread-safe.
#pragma once

#include <functional>
#include <memory>

namespace pintle::lookout {

class Workers {
 public:
  explicit Workers(int most);
  ~Workers();  // tasks that did not start never will; those that run go on
  Workers(const Workers&) = delete;
  void run(std::function<void()> task);

 private:
  struct Shared;
  static void work(const std::shared_ptr<Shared>& shared);
  std::shared_ptr<Shared> shared_;  // shared: a thread that is left behind still looks at it
};

}  // namespace pintle::lookout
