#include "http/connection.h"

#include <algorithm>
#include <cstring>

#include "base/strings.h"
#include "http/certificate.h"
#include "http/wire.h"
#include "sys/clock.h"

namespace pintle::http {
namespace {

constexpr size_t kPiece = 16 << 10;

Status outcome(std::string_view what, const Wire& wire, CURLcode code) {
  if (code == CURLE_OK) return ok();
  if (code == CURLE_OPERATION_TIMEDOUT) {
    return Error(Code::kDeadlineExceeded, cat(what, ": the server did not answer in time"));
  }
  if (!wire.refusal.empty()) return Error(Code::kUnauthenticated, wire.refusal);
  if (wire.system_error != 0) {
    return Error(Code::kUnavailable, cat(what, ": ", strerrordesc_np(wire.system_error)));
  }
  if (code == CURLE_SSL_CONNECT_ERROR) {
    return Error(Code::kUnauthenticated, "the TLS handshake failed");
  }
  return Error(Code::kUnavailable, cat(what, ": the connection was cut"));
}

}  // namespace

Connection::Connection(std::unique_ptr<Wire> wire, int64_t until_ns)
    : wire_(std::move(wire)), until_ns_(until_ns) {}
Connection::~Connection() = default;

Result<std::unique_ptr<Connection>> Connection::open(std::span<const std::string> addresses, int port,
                                                     int64_t until_ns) {
  Status first = Error(Code::kInvalidArgument, "connect: there is no address");
  for (const std::string& address : addresses) {
    if (!is_address(address)) return Error(Code::kInvalidArgument, cat("no address: ", address));
    auto wire = std::make_unique<Wire>();
    const int64_t left = until_ns - sys::real_clock().monotonic_ns();
    const int64_t silent_ms = &address == &addresses.back() ? 0 : std::max<int64_t>(1, left / 2'000'000);
    const CURLcode code = wire->open(address, std::to_string(port), nullptr, "",
                                     {.until_ns = until_ns, .silent_ms = silent_ms});
    Status connected = outcome("connect", *wire, code);
    if (connected) return std::unique_ptr<Connection>(new Connection(std::move(wire), until_ns));
    if (&address == &addresses.front()) first = std::move(connected);
  }
  return first.error();
}

Status Connection::secure(const Tls& tls, const std::string& host) {
  const auto context = TlsContext::make(tls, TlsContext::Use::kOther);
  if (!context) return Error(Code::kUnauthenticated, "tls: the certificates cannot be read");
  const std::string& name = tls.server_name.empty() ? host : tls.server_name;
  return outcome("TLS handshake", *wire_, wire_->secure(*context, name, {.until_ns = until_ns_}));
}

Status Connection::write(std::string_view bytes) {
  return outcome("write", *wire_, wire_->write(bytes, {.until_ns = until_ns_}));
}

std::string Connection::tls() const { return wire_->tls(); }

Result<std::string> Connection::read() {
  std::string out(kPiece, '\0');
  size_t n = 0;
  TRY(outcome("read", *wire_, wire_->read(out.data(), out.size(), n, {.until_ns = until_ns_})));
  out.resize(n);
  return out;
}

}  // namespace pintle::http
