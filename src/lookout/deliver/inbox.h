// Inbox: what other threads (the HTTP client's, workers, callers) tell the deliverer's thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <variant>
#include <vector>

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
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<News> news;  // guarded by mutex, as all below
  bool woken = true;
  int changes = 0;       // that attempts wait for
  bool working = false;  // the deliverer's thread is: attempts may begin
  bool stop = false;     // no new message
  bool abandon = false;  // nor an end of those under way
  bool over = false;     // nothing is under way
  int sends = 0;         // workers inside a sink's send

  void put(News n) {
    std::lock_guard held(mutex);
    news.push_back(std::move(n));
    changed.notify_all();
  }
};

}  // namespace pintle::lookout
