// Inbox: what other threads (the HTTP client's, workers, callers) tell the deliverer's thread.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "base/mutex.h"
#include "http/http.h"
#include "lookout/sinks/sink.h"

namespace pintle::lookout {

// What became of a job.
struct Resolved {
  Result<Target> target;
};
struct Answered {
  Result<http::Response> response;
};
struct Sent {
  Result<Target> target;
  Verdict verdict;     // when there is a target
  bool stale = false;  // its subscription changed: it was not sent
};
struct News {
  uint64_t job;
  std::variant<Resolved, Answered, Sent> what;
};

struct Inbox {
  Mutex mutex;
  Condition changed;
  std::vector<News> news GUARDED_BY(mutex);
  bool woken GUARDED_BY(mutex) = true;
  int changes GUARDED_BY(mutex) = 0;       // that attempts wait for
  bool working GUARDED_BY(mutex) = false;  // the deliverer's thread is: attempts may begin
  bool stop GUARDED_BY(mutex) = false;     // no new message
  bool abandon GUARDED_BY(mutex) = false;  // nor an end of those under way
  bool over GUARDED_BY(mutex) = false;     // nothing is under way
  int sends GUARDED_BY(mutex) = 0;         // workers inside a sink's send

  void put(News n) {
    Lock held(mutex);
    news.push_back(std::move(n));
    changed.notify_all();
  }
};

}  // namespace pintle::lookout
