#include "http/errors.h"

#include <cctype>
#include <cstring>

#include "base/gotext.h"
#include "base/strings.h"
#include "base/url.h"
#include "sys/disk.h"

namespace pintle::http {
namespace {

std::string errno_text(int code) {
  const char* known = strerrordesc_np(code);
  std::string text = known ? known : "unknown error";
  text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string host_of(const Request& request) {
  const auto url = parse_url(request.url);
  return url ? url->hostname() : std::string();
}

// " on ADDRESS:53", the name server asked, which Go names.
std::string name_server() {
  const auto text = sys::real_disk().read_file("/etc/resolv.conf", 1 << 20);
  if (!text) return "";
  for (std::string_view line : split(*text, "\n")) {
    if (!line.starts_with("nameserver ")) continue;
    const std::string_view address = trim_space(line.substr(11));
    const bool v6 = address.find(':') != std::string_view::npos;
    return cat(" on ", v6 ? "[" : "", address, v6 ? "]:53" : ":53");
  }
  return "";
}

bool says(const Failure& f, std::string_view part) {
  return f.detail.find(part) != std::string::npos;
}

std::string certificate_cause(const Request& request, const Failure& f) {
  const auto refused = [](std::string_view why) {
    return cat("tls: failed to verify certificate: x509: ", why);
  };
  switch (f.verify_result) {  // X509_V_ERR_*
    case 10:  // CERT_HAS_EXPIRED
    case 9:   // CERT_NOT_YET_VALID
      return refused("certificate has expired or is not yet valid");
    case 23:  // CERT_REVOKED
      return refused("certificate is revoked");
    case 0:
    case 1:  // UNSPECIFIED: libcurl looked at the name before it asked for the result
      if (says(f, "subject name") || says(f, "common name")) {
        return refused(cat("certificate is not valid for ",
                           f.server_name.empty() ? host_of(request) : f.server_name));
      }
      [[fallthrough]];
    default: return refused("certificate signed by unknown authority");
  }
}

std::string tls_cause(const Failure& f) {
  if (says(f, "wrong version number") || says(f, "packet length too long") ||
      says(f, "http request")) {
    return "http: server gave HTTP response to HTTPS client";
  }
  if (says(f, "certificate required")) return "remote error: tls: certificate required";
  if (says(f, "bad certificate")) return "remote error: tls: bad certificate";
  if (says(f, "unknown ca")) return "remote error: tls: unknown certificate authority";
  if (says(f, "handshake failure")) return "remote error: tls: handshake failure";
  if (f.system_error != 0) return errno_text(f.system_error);
  if (says(f, "SSL_ERROR_SYSCALL") || says(f, "unexpected eof")) return "EOF";
  return "tls: " + f.detail;
}

}  // namespace

Error request_error(const Request& request, Code code, std::string_view cause) {
  std::string verb = request.method;
  for (size_t i = 1; i < verb.size(); ++i) {
    verb[i] = static_cast<char>(std::tolower(static_cast<unsigned char>(verb[i])));
  }
  return Error(code, cat(verb, " ", quote(request.url), ": ", cause));
}

Error failure_error(const Request& request, const Failure& f) {
  const auto fail = [&](Code code, std::string_view cause) {
    return f.answered ? Error(code, std::string(cause)) : request_error(request, code, cause);
  };
  if (f.unheard) return fail(Code::kUnavailable, "http2: client connection lost");
  switch (f.code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return fail(Code::kUnavailable, cat("dial tcp: lookup ", host_of(request), name_server(),
                                          ": no such host"));
    case CURLE_COULDNT_RESOLVE_PROXY:
      return fail(Code::kUnavailable, "proxyconnect tcp: dial tcp: lookup: no such host");
    case CURLE_COULDNT_CONNECT:
      return fail(Code::kUnavailable,
                  cat("dial tcp ", f.address, ": connect: ",
                      f.system_error ? errno_text(f.system_error) : "connection refused"));
    case CURLE_OPERATION_TIMEDOUT:
      if (!f.connected && !f.address.empty() && request.timeout_ms == 0) {
        return fail(Code::kUnavailable, cat("dial tcp ", f.address, ": i/o timeout"));
      }
      return fail(Code::kDeadlineExceeded, request.timeout_ms > 0 ? "context deadline exceeded"
                                                                  : "http2: client connection lost");
    case CURLE_PEER_FAILED_VERIFICATION:
      return fail(Code::kUnauthenticated, certificate_cause(request, f));
    case CURLE_SSL_CONNECT_ERROR: return fail(Code::kUnauthenticated, tls_cause(f));
    case CURLE_SSL_CERTPROBLEM:
      return fail(Code::kUnauthenticated, "tls: failed to find any PEM data in certificate input");
    case CURLE_SSL_CACERT_BADFILE:
      return fail(Code::kUnauthenticated, "unable to load root certificates: unable to parse bytes as PEM block");
    case CURLE_GOT_NOTHING: return fail(Code::kUnavailable, "EOF");
    case CURLE_PARTIAL_FILE: return fail(Code::kDataLoss, "unexpected EOF");
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
      if (says(f, "alert") || says(f, "error:")) return fail(Code::kUnauthenticated, tls_cause(f));
      if (says(f, "Connection timed out")) {  // nothing was acknowledged any more
        return fail(Code::kUnavailable, cat("read tcp ", f.address, ": read: connection timed out"));
      }
      if (f.answered) return fail(Code::kDataLoss, "unexpected EOF");
      return fail(Code::kUnavailable,
                  f.system_error ? cat(f.code == CURLE_RECV_ERROR ? "read tcp " : "write tcp ", f.address,
                                       f.code == CURLE_RECV_ERROR ? ": read: " : ": write: ",
                                       errno_text(f.system_error))
                                 : std::string("EOF"));
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return fail(f.answered ? Code::kDataLoss : Code::kUnavailable,
                  f.answered ? "unexpected EOF" : "http2: server sent GOAWAY and closed the connection");
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL: {
      const std::string_view url = request.url;
      return fail(Code::kInvalidArgument,
                  cat("unsupported protocol scheme ", quote(url.substr(0, url.find("://")))));
    }
    case CURLE_WEIRD_SERVER_REPLY:
      return fail(Code::kUnavailable, "net/http: HTTP/1.x transport connection broken: malformed HTTP response");
    default: return fail(Code::kUnavailable, f.detail);
  }
}

}  // namespace pintle::http
