// One request on its way through libcurl: its easy handle, and what has come of its answer so far.
// Shared by the I/O thread and the caller's handle, because either may let go first. Bodies are
// collected up to max_body, or handed to `data`, where refusing a piece pauses that transfer, and the
// HTTP/2 connection that it shares: libcurl reads on only when the piece that is in the way is taken.
// Inside this room only.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "http/curl.h"
#include "http/http.h"

namespace pintle::http {

struct Exchange {
  static constexpr size_t kNowhere = SIZE_MAX;

  std::shared_ptr<const Options> options;  // its client's
  Request request;
  Client::Done done;
  Client::Data data;
  Response response;
  size_t header_bytes = 0;
  std::string address;
  char detail[CURL_ERROR_SIZE] = {};
  const Curl* curl = nullptr;
  CURL* easy = nullptr;  // this and what follows: the I/O thread's
  curl_slist* headers = nullptr;
  curl_slist* connect_to = nullptr;
  curl_slist* resolved = nullptr;
  curl_slist* mail_to = nullptr;
  size_t mail_sent = 0;     // bytes of the body
  bool head_done = false;   // of the final answer
  bool stopped = false;     // `data` said stop: success
  bool too_long = false;
  bool paused = false;
  bool multiplexed = false;  // its answer comes by HTTP/2
  int socket = -1;           // of its connection, once the engine has asked, if multiplexed
  bool unheard = false;      // the peer left a PING unanswered
  size_t place = kNowhere;  // among those under way
  size_t* unanswered = nullptr;  // where it counts until the head of its answer comes
  std::atomic<bool> begun{false};
  std::atomic<bool> dropped{false};
  std::atomic<bool> wants_resume{false};
  Mutex calling;            // held while done or data runs, so that dropping waits for them
};

// The head of its answer has come, or never will.
inline void count_off(Exchange& x) {
  if (x.unanswered != nullptr) --*x.unanswered;
  x.unanswered = nullptr;
}

// Makes the easy handle. release() frees it.
void prepare(const Curl& curl, Exchange& x);
void release(const Curl& curl, Exchange& x);
// Tells `done` how it ended, unless its handle was dropped.
void finish(const Curl& curl, Exchange& x, CURLcode code);
void cancel(Exchange& x);

}  // namespace pintle::http
