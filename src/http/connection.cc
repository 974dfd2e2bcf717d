#include "http/connection.h"

#include <cstring>

#include "base/strings.h"
#include "http/certificate.h"
#include "http/wire.h"

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

Result<std::unique_ptr<Connection>> Connection::open(const std::string& address, int port,
                                                     int64_t until_ns) {
  if (!is_address(address)) return Error(Code::kInvalidArgument, cat("no address: ", address));
  auto wire = std::make_unique<Wire>();
  const CURLcode code =
      wire->open(address, std::to_string(port), nullptr, "", {.until_ns = until_ns});
  TRY(outcome("connect", *wire, code));
  return std::unique_ptr<Connection>(new Connection(std::move(wire), until_ns));
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

Result<std::string> Connection::read() {
  std::string out(kPiece, '\0');
  size_t n = 0;
  TRY(outcome("read", *wire_, wire_->read(out.data(), out.size(), n, {.until_ns = until_ns_})));
  out.resize(n);
  return out;
}

}  // namespace pintle::http
