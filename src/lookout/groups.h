// Groups: warnings about the pods of one release that come close together are one event with a count, so
// that thirty pods that cannot pull an image are one message. Plain and single-threaded; its memory is
// that of what is open, each for `within` at most.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lookout/model.h"

namespace pintle::lookout {

class Groups {
 public:
  explicit Groups(int64_t within_ms) : within_ms_(within_ms) {}  // 0: nothing is grouped

  // Whether it was taken: then it is told, alone or with others, by tick().
  bool take(Event& event, int64_t now_ms);
  // Adds to `out` what is due; with `all` what is open.
  void tick(int64_t now_ms, bool all, std::vector<Event>& out);
  int64_t next_tick_ms() const;  // 0: nothing is open
  int64_t since_ms() const { return open_.empty() ? 0 : next_tick_ms() - within_ms_; }  // the oldest

 private:
  struct Group {
    int64_t due_ms = 0;
    Event first;
    std::map<std::string, std::string> pods;  // uid -> name
  };
  const int64_t within_ms_;
  std::map<std::string, Group> open_;  // by release and type
};

}  // namespace pintle::lookout
