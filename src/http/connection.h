// A TCP connection for a protocol that is not HTTP, with TLS over it from the moment its owner asks
// for that (NATS greets in clear first). Linked to OpenSSL, no libcurl. One deadline for all of it.
// One thread at a time.
//
// Errors: kUnavailable (connect, read, write), kDeadlineExceeded, kUnauthenticated (TLS, in Go's
// words: "tls: failed to verify certificate: x509: ..."). After an error it is closed or useless.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/http.h"

namespace pintle::http {

class Wire;

class Connection {
 public:
  // To the first of the numeric addresses that takes it; `until_ns` on the machine's monotonic clock.
  static Result<std::unique_ptr<Connection>> open(std::span<const std::string> addresses, int port,
                                                  int64_t until_ns);
  ~Connection();
  Connection(const Connection&) = delete;

  // The server's certificate must name `host`, or tls.server_name. TLS is 1.2 or newer; without an
  // authority of its own the system's are trusted.
  Status secure(const Tls& tls, const std::string& host);
  Status write(std::string_view bytes);
  std::string tls() const;     // as http::Response's
  Result<std::string> read();  // what came, at most 16 KiB; "" at the stream's end

 private:
  Connection(std::unique_ptr<Wire> wire, int64_t until_ns);

  std::unique_ptr<Wire> wire_;
  int64_t until_ns_;
};

}  // namespace pintle::http
