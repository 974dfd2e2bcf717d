// One connection to a NATS server: lines and messages, with one deadline for all of it; TLS from where
// the server has greeted. Inside the sinks only. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/connection.h"

namespace pintle::lookout {

struct NatsMessage {
  std::string head;  // "NATS/1.0 503..." with its headers; "" when it has none
  std::string body;
};

class NatsWire {
 public:
  explicit NatsWire(int64_t timeout_ms);

  Status open(std::span<const std::string> addresses, int port);
  // Between two lines of the server's. Error also when it went on in clear.
  Status secure(const http::Tls& tls, const std::string& host);
  std::string tls() const { return connection_->tls(); }
  Status write(std::string_view bytes) { return connection_->write(bytes); }
  Result<std::string> line();  // without its end; at most 64 KiB
  // The next message; answers the server's pings meanwhile. Error: what the server complains of.
  Result<NatsMessage> message();

 private:
  Status fill();
  Result<std::string> bytes(size_t n);

  int64_t until_ns_;
  std::unique_ptr<http::Connection> connection_;
  std::string buffer_;
};

}  // namespace pintle::lookout
