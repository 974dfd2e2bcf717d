// One connection to a NATS server: lines and messages, with one deadline for all of it. Inside the
// sinks only. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pintle::lookout {

struct NatsMessage {
  std::string head;  // "NATS/1.0 503..." with its headers; "" when it has none
  std::string body;
};

class NatsWire {
 public:
  explicit NatsWire(int64_t timeout_ms);
  ~NatsWire();
  NatsWire(const NatsWire&) = delete;

  Status open(const std::string& address, int port);
  Status write(std::string_view bytes);
  Result<std::string> line();  // without its end; at most 64 KiB
  // The next message; answers the server's pings meanwhile. Error: what the server complains of.
  Result<NatsMessage> message();

 private:
  Status wait(short events);
  Status fill();
  Result<std::string> bytes(size_t n);

  int64_t until_ns_;
  int socket_ = -1;
  std::string buffer_;
};

}  // namespace pintle::lookout
