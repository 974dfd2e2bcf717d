// The HTTP server: a router is the caller's; this is sockets, TLS, framing, limits and back-pressure.
//
// A few I/O threads carry any number of connections; no thread belongs to one. A handler runs on an
// I/O thread and must not block for long; it may keep the Exchange and answer later from any thread.
// Every Exchange method may be called from any thread.
//
// Frames are shared: one encoded watch event goes to thousands of streams without a copy. What a
// slow reader has not taken yet is counted (queued_bytes); who streams decides what is too much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pintle::httpd {

struct Header {
  std::string name, value;
};

struct Request {
  std::string method;  // "GET"
  std::string path;    // as sent, before '?'; still percent-encoded
  std::string query;   // after '?', raw
  std::vector<Header> headers;
  std::string body;
  std::string peer;    // "127.0.0.1:1234"
  std::string_view header(std::string_view name) const;  // any case; "" when absent
};

// shared_ptr: one frame stands in many queues and in the caller's history at once.
using Frame = std::shared_ptr<const std::string>;

struct Response {
  int status = 200;
  std::vector<Header> headers = {};  // Content-Length, Date and Connection are ours
  std::vector<Frame> body = {};      // sent one after the other
};

class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual const Request& request() const = 0;
  // Exactly one of respond and start, once; what comes later is ignored.
  virtual void respond(Response response) = 0;
  // A stream of frames without a length. send says false once the peer is gone or the stream ended.
  virtual void start(int status, std::vector<Header> headers) = 0;
  virtual bool send(Frame frame) = 0;
  virtual size_t queued_bytes() const = 0;
  virtual void finish() = 0;
  virtual void abort() = 0;  // cuts the connection where it stands
  // Called once, on an I/O thread, when the exchange is over for whatever reason; at once if it is.
  virtual void on_close(std::function<void()> f) = 0;
};

// shared_ptr: the handler's owner and the connection both hold an exchange until it is answered.
using Handler = std::function<void(std::shared_ptr<Exchange>)>;

struct Tls {
  std::string certificate_pem, key_pem;  // chain and key; empty certificate: plain HTTP
  // Whoever connects must have a certificate of one of these; "": no certificate is asked for.
  std::string client_ca_pem = {};
};

struct Options {
  std::string address = "127.0.0.1";
  uint16_t port = 0;  // 0: any free one
  Tls tls = {};
  int threads = 2;
  size_t max_header_bytes = 64 << 10;  // more: 431
  size_t max_body_bytes = 3 << 20;     // more: `oversized` below, else 413
  int header_timeout_ms = 10'000;      // from the first byte (and TLS hello) to the end of the head
  int body_timeout_ms = 30'000;
  int idle_timeout_ms = 120'000;       // keep-alive
  int write_timeout_ms = 60'000;       // a peer that takes nothing for so long is cut
  size_t max_connections = 20'000;     // further ones wait in the listen queue
  // The answer to a request that never reaches the handler (400, 408, 413, 431); empty: plain text.
  std::function<Response(int status, std::string_view reason)> refuse = {};
};

class Server {
 public:
  virtual ~Server() = default;  // stop(0)
  // Errors: address in use, bad certificate or key.
  static Result<std::unique_ptr<Server>> start(Options options, Handler handler);
  virtual uint16_t port() const = 0;
  // Closes the listener, ends idle connections, lets answers under way finish for so long, then cuts.
  virtual void stop(int grace_ms) = 0;
};

}  // namespace pintle::httpd
