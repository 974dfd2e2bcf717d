// AnswerWatch: breaks the connection of a session whose server has not answered in time, so that the
// call which waits for the answer ends. Inside the room only.
//
// One thread for all sessions that are watched, which looks once a second and ends with the last of
// them; so a limit is kept within a second. A call costs two locks that nobody else wants.
#pragma once

#include <cstdint>
#include <memory>

namespace pintle::db {

class AnswerWatch {
 public:
  // Of a connected socket, which must stay open as long as this lives.
  AnswerWatch(int socket, int64_t limit_ms);
  ~AnswerWatch();

  // Around each call; not nested. ended(): whether the connection was broken, now or before.
  void begin();
  bool ended();

 private:
  struct Watched;
  class Watcher;
  std::shared_ptr<Watcher> watcher_;
  std::shared_ptr<Watched> watched_;
};

}  // namespace pintle::db
