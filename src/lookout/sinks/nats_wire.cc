#include "lookout/sinks/nats_wire.h"

#include <charconv>

#include "base/strings.h"
#include "sys/clock.h"

namespace pintle::lookout {
namespace {

constexpr size_t kMaxLine = 64 << 10;
constexpr size_t kMaxMessage = 1 << 20;

}  // namespace

// A socket's deadline is the machine's time, not the schedule's.
NatsWire::NatsWire(int64_t timeout_ms)
    : until_ns_(sys::real_clock().monotonic_ns() + timeout_ms * 1'000'000) {}

Status NatsWire::open(std::span<const std::string> addresses, int port) {
  connection_ = TRY(http::Connection::open(addresses, port, until_ns_));
  return ok();
}

Status NatsWire::secure(const http::Tls& tls, const std::string& host) {
  if (!buffer_.empty()) return Error(Code::kUnavailable, "the server went on in clear before TLS");
  return connection_->secure(tls, host);
}

Status NatsWire::fill() {
  const std::string piece = TRY(connection_->read());
  if (piece.empty()) return Error(Code::kUnavailable, "the NATS server closed the connection");
  buffer_ += piece;
  return ok();
}

Result<std::string> NatsWire::line() {
  for (;;) {
    const size_t end = buffer_.find("\r\n");
    if (end != buffer_.npos) {
      std::string out = buffer_.substr(0, end);
      buffer_.erase(0, end + 2);
      return out;
    }
    if (buffer_.size() > kMaxLine) return Error(Code::kUnavailable, "the server is no NATS server");
    TRY(fill());
  }
}

Result<std::string> NatsWire::bytes(size_t n) {
  while (buffer_.size() < n) TRY(fill());
  std::string out = buffer_.substr(0, n);
  buffer_.erase(0, n);
  return out;
}

Result<NatsMessage> NatsWire::message() {
  for (;;) {
    const std::string line = TRY(this->line());
    if (line == "PING") {
      TRY(write("PONG\r\n"));
      continue;
    }
    if (line.starts_with("-ERR"))
      return Error(Code::kUnavailable, cat("the server says ", line.substr(4)));
    const bool headed = line.starts_with("HMSG ");
    if (!headed && !line.starts_with("MSG ")) continue;  // PONG, INFO, +OK
    const auto words = split(line, " ");
    const auto number = [&](std::string_view s) {
      size_t n = kMaxMessage + 1;
      std::from_chars(s.data(), s.data() + s.size(), n);
      return n;
    };
    const size_t total = number(words.back());
    const size_t head = headed ? number(words[words.size() - 2]) : 0;
    if (total > kMaxMessage || head > total)
      return Error(Code::kUnavailable, "the server is no NATS server");
    NatsMessage out;
    out.head = TRY(bytes(head));
    out.body = TRY(bytes(total - head));
    TRY(bytes(2));
    return out;
  }
}

}  // namespace pintle::lookout
