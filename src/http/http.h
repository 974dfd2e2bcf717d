// The HTTP client: requests, streams, TLS, proxies, cancellation. One request after another to a
// server whose CA is given takes an HTTP/1.1 connection of our own; everything else goes through
// libcurl, which is opened with dlopen then, so a command that sends nothing or little does not pay
// for loading it (docs/adr/0009-plain-http.md).
//
// A Client keeps its connections; libcurl's (HTTP/2 multiplexed where the server has it) on one I/O
// thread of their own. Thread-safe. Retrying is the caller's policy.
//
// A peer that is gone without a word ends the streams of its connections within 45 s: it stops
// acknowledging TCP's keep-alive (30 s of silence, then every 5 s). On HTTP/2 a peer that
// acknowledges but does not answer is gone too (a PING after 30 s of silence, 15 s for its answer).
// On HTTP/1.1 nothing tells such a one from a stream that has nothing to say.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sys/environ.h"

namespace pintle::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

// Cancelled from any thread (a signal watcher, a deadline); requests under way end with kCancelled.
class Cancel {
 public:
  void cancel() { on_.store(true, std::memory_order_release); }
  bool cancelled() const { return on_.load(std::memory_order_acquire); }

 private:
  std::atomic<bool> on_{false};
};

struct Mail {
  std::string from;
  std::vector<std::string> to;
  std::string user, password;  // "": no login
  bool plain = false;          // no STARTTLS
};

// What a user's interrupts (SIGINT, SIGTERM) mean to the requests of a command that tidies up.
struct Interrupts {
  Cancel asked;    // the first: work ends, what it leaves behind is put in order
  Cancel overdue;  // some seconds later, or the second: what was being stored since then is given up
  Cancel again;    // the second: everything ends
};

struct Request {
  std::string method = "GET";
  std::string url;
  Headers headers;
  std::string body;
  int64_t timeout_ms = 0;          // whole exchange; 0: none
  const Cancel* cancel = nullptr;  // looked at at least every 100 ms
  // Of `start`: runs once the head of a 2xx answer has come, like `data`, and before it.
  std::function<void()> answered = {};
  size_t max_body = 256 << 20;     // a longer answer is an error
  size_t max_header = 1 << 20;     // likewise; all lines of its heads together
  // Once the head of an answer has come it is an answer, with as much of its body as came: what is
  // too long is cut, and so is what is not there in time. The connection is dropped.
  bool take_partial = false;
  // The addresses to connect to ("192.0.2.1", "2001:db8::1"), the first that takes the connection,
  // instead of what the URL's host resolves to; Host, SNI and verification stay the URL's.
  std::vector<std::string> connect_to;
  // Of `start`: on a connection of its own, from its beginning to its end. For a stream whose reader
  // may hold it up for long while others are waited for.
  bool alone = false;
  // A message to a mail server (smtp, smtps): `body` is sent to it with these, method and headers
  // are not used, and Response::status is the server's last reply code.
  std::optional<Mail> mail;
};

struct Response {
  int status = 0;
  Headers headers;  // names lower-cased
  std::string body;
  // Of what `start` began: the numeric address it came from, and by which TLS, as "TLSv1.3
  // TLS_AES_128_GCM_SHA256"; "": in clear.
  std::string address = {}, tls = {};
  std::string_view header(std::string_view lower_name) const;  // "" when absent
};

struct Tls {
  std::string ca_pem;                        // "": the system's
  std::string certificate_pem, key_pem;      // client certificate; "": none
  bool insecure = false;
  std::string server_name;                   // SNI and verification; "": the URL's host
};

// One I/O thread, and what several clients may share: their connections and their streams run on it.
// It ends with the last client that holds it. Without one, a client has its own. Thousands of streams
// asked for at once begin as their servers answer, dozens at a time.
class Engine;
std::shared_ptr<Engine> make_engine();

struct Options {
  Tls tls = {};
  std::string proxy;                          // "http://host:port"; "": see the next
  const sys::Environ* proxy_environ = nullptr;  // HTTPS_PROXY, HTTP_PROXY, NO_PROXY; null: direct
  int64_t connect_timeout_ms = 30'000;
  size_t max_connections = 0;  // per host; 0: the library's choice; of an engine of its own only
  std::shared_ptr<Engine> engine = nullptr;
};

class Client {
 public:
  virtual ~Client() = default;
  // Error: libcurl is missing, a PEM text is broken.
  static Result<std::unique_ptr<Client>> make(Options options);

  // Any status is an answer, not an error. Errors name method and URL as Go's net/http does
  // (`Get "https://...": dial tcp 127.0.0.1:1: connect: connection refused`), with codes
  // kUnavailable (connect), kDeadlineExceeded, kCancelled, kUnauthenticated (TLS), kDataLoss (cut body).
  virtual Result<Response> send(const Request& request) = 0;

  // Streams an answer: `head` once, then `data` for each piece as it comes, both on this thread.
  // Either may say false to stop, which is success. Returns the status.
  virtual Result<int> stream(const Request& request, const std::function<bool(const Response& head)>& head,
                             const std::function<bool(std::string_view piece)>& data) = 0;

  // Starts a request and returns; `done` and `data` run on the client's I/O thread and must be
  // short. With `data` the body of a 2xx answer is streamed to it instead of collected; kPause
  // refuses the piece, which comes again after `resume` (back-pressure: the server is held up). What
  // shares an HTTP/2 connection with it is held up as well, once libcurl's buffer of it is full; so
  // nobody may wait for another before he resumes, unless his request is `alone`.
  // Destroying the handle ends the request; neither function runs after that.
  enum class Flow : uint8_t { kContinue, kPause, kStop };
  class Pending {
   public:
    virtual ~Pending() = default;
    virtual void resume() = 0;
    virtual bool begun() const { return true; }  // false: nothing was sent, it waits for its turn
  };
  using Done = std::function<void(Result<Response>)>;
  using Data = std::function<Flow(std::string_view piece)>;
  virtual std::unique_ptr<Pending> start(Request request, Done done, Data data = {}) = 0;
};

}  // namespace pintle::http
