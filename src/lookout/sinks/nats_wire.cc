#include "lookout/sinks/nats_wire.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/strings.h"
#include "sys/clock.h"

namespace pintle::lookout {
namespace {

constexpr size_t kMaxLine = 64 << 10;
constexpr size_t kMaxMessage = 1 << 20;

Error failed(std::string_view what, int code) {
  return Error(Code::kUnavailable, cat(what, ": ", strerrordesc_np(code)));
}

}  // namespace

// A socket's deadline is the machine's time, not the schedule's.
NatsWire::NatsWire(int64_t timeout_ms)
    : until_ns_(sys::real_clock().monotonic_ns() + timeout_ms * 1'000'000) {}

NatsWire::~NatsWire() {
  if (socket_ >= 0) ::close(socket_);
}

Status NatsWire::wait(short events) {
  const int64_t left_ms = (until_ns_ - sys::real_clock().monotonic_ns()) / 1'000'000;
  pollfd p{socket_, events, 0};
  const int n = left_ms > 0 ? ::poll(&p, 1, static_cast<int>(left_ms)) : 0;
  if (n < 0 && errno != EINTR) return failed("poll", errno);
  if (n == 0) return Error(Code::kDeadlineExceeded, "the NATS server did not answer in time");
  return ok();
}

Status NatsWire::open(const std::string& address, int port) {
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  const sockaddr* to = reinterpret_cast<const sockaddr*>(&v4);
  socklen_t size = sizeof v4;
  v4.sin_family = AF_INET;
  v6.sin6_family = AF_INET6;
  v4.sin_port = v6.sin6_port = htons(static_cast<uint16_t>(port));
  if (::inet_pton(AF_INET, address.c_str(), &v4.sin_addr) != 1) {
    if (::inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) != 1) {
      return Error(Code::kInvalidArgument, cat("no address: ", address));
    }
    to = reinterpret_cast<const sockaddr*>(&v6);
    size = sizeof v6;
  }
  socket_ = ::socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ < 0) return failed("socket", errno);
  if (::connect(socket_, to, size) != 0 && errno != EINPROGRESS) return failed("connect", errno);
  TRY(wait(POLLOUT));
  int code = 0;
  socklen_t length = sizeof code;
  ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &code, &length);
  return code == 0 ? ok() : failed("connect", code);
}

Status NatsWire::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n > 0) {
      bytes.remove_prefix(static_cast<size_t>(n));
    } else if (errno == EAGAIN) {
      TRY(wait(POLLOUT));
    } else if (errno != EINTR) {
      return failed("write", errno);
    }
  }
  return ok();
}

Status NatsWire::fill() {
  char piece[16 << 10];
  for (;;) {
    const ssize_t n = ::recv(socket_, piece, sizeof piece, 0);
    if (n > 0) {
      buffer_.append(piece, static_cast<size_t>(n));
      return ok();
    }
    if (n == 0) return Error(Code::kUnavailable, "the NATS server closed the connection");
    if (errno == EAGAIN) {
      TRY(wait(POLLIN));
    } else if (errno != EINTR) {
      return failed("read", errno);
    }
  }
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
