#include "http/plain.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "http/answer.h"
#include "http/errors.h"
#include "http/proxy.h"
#include "sys/clock.h"
#include "sys/gzip.h"

namespace pintle::http {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr size_t kPiece = 64 << 10;
// What a Go server reads after it has answered. It does not take more, and closes the connection;
// who is still writing then may lose the answer.
constexpr size_t kMaxBody = 256 << 10;

bool has_controls(std::string_view s) {
  return std::any_of(s.begin(), s.end(), [](unsigned char c) { return c < ' ' && c != '\t'; });
}

bool takes_body(const Request& r) {
  return !r.body.empty() || r.method == "POST" || r.method == "PUT" || r.method == "PATCH";
}

std::string wire_form(const Request& r, std::string_view authority, std::string_view path) {
  std::string out = cat(r.method, " ", path, " HTTP/1.1\r\nHost: ", authority, "\r\n");
  for (const auto& [name, value] : r.headers) append(out, {name, ": ", value, "\r\n"});
  out += "Accept-Encoding: gzip\r\n";
  if (takes_body(r)) append(out, {"Content-Length: ", std::to_string(r.body.size()), "\r\n"});
  append(out, {"\r\n", r.body});
  return out;
}

Error too_long(const Request& request) {
  return request_error(request, Code::kResourceExhausted,
                       cat("http: answer larger than ", request.max_body, " bytes"));
}

Result<Response> unpacked(const Request& request, Response response) {
  const std::string_view encoding = response.header("content-encoding");
  if (encoding.empty() || encoding == "identity" || response.body.empty()) return response;
  if (encoding != "gzip") {
    return request_error(request, Code::kUnavailable, cat("unknown content encoding ", quote(encoding)));
  }
  auto body = sys::gunzip(response.body, request.max_body);
  if (!body) {
    if (body.error().code() == Code::kResourceExhausted) return too_long(request);
    return Error(Code::kDataLoss, body.error().text());
  }
  response.body = std::move(*body);
  return response;
}

}  // namespace

std::optional<Plain::Target> Plain::target(const Request& r, const Options& options) {
  Target t;
  if (!r.connect_to.empty() || r.take_partial || r.mail) return std::nullopt;
  std::string_view rest = r.url;
  if (rest.starts_with("https://")) {
    t.tls = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return std::nullopt;
  }
  const bool strange = std::any_of(r.url.begin(), r.url.end(), [](unsigned char c) { return c <= ' ' || c > '~'; });
  if (strange || r.body.size() > kMaxBody) return std::nullopt;
  for (const auto& [name, value] : r.headers) {
    if (has_controls(name) || has_controls(value)) return std::nullopt;
  }
  const bool roots = options.tls.insecure || !options.tls.ca_pem.empty();
  if ((t.tls && !roots) || !options.proxy.empty()) return std::nullopt;
  if (options.proxy_environ && !proxy_for(r.url, *options.proxy_environ).empty()) return std::nullopt;

  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  rest.remove_prefix(authority.size());
  rest = rest.substr(0, rest.find('#'));
  if (authority.find('@') != std::string_view::npos) return std::nullopt;
  t.authority = authority;
  t.path = cat(rest.starts_with('/') ? "" : "/", rest);
  size_t end = authority.size();
  if (authority.starts_with('[')) {
    end = authority.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    t.host = authority.substr(1, end - 1);
    ++end;
  } else {
    end = std::min(end, authority.find(':'));
    t.host = authority.substr(0, end);
  }
  const std::string_view port = authority.substr(end);
  if (port.empty()) {
    t.port = t.tls ? "443" : "80";
  } else {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    t.port = port.substr(1);
    if (port[0] != ':' || t.port.empty() || t.port.size() > 5 ||
        !std::all_of(t.port.begin(), t.port.end(), digit)) {
      return std::nullopt;
    }
  }
  if (t.host.empty()) return std::nullopt;
  return t;
}

CURLcode Plain::connect(const Target& target, const Patience& patience) {
  const std::string origin = cat(target.tls ? "https://" : "http://", target.authority);
  reused_ = wire_.is_open() && origin == origin_ && wire_.idle_alive();
  if (reused_) return CURLE_OK;
  if (target.tls && !tls_) {
    tls_ = TlsContext::make(options_.tls);
    if (!tls_) return CURLE_SSL_CONNECT_ERROR;
  }
  origin_ = origin;
  Patience p = patience;
  if (const int64_t ms = options_.connect_timeout_ms; ms > 0) {
    const int64_t until = sys::real_clock().monotonic_ns() + ms * kMs;
    p.until_ns = p.until_ns == 0 ? until : std::min(p.until_ns, until);
  }
  const std::string& other_name = options_.tls.server_name;
  return wire_.open(target.host, target.port, target.tls ? tls_.get() : nullptr,
                    other_name.empty() ? target.host : other_name, p);
}

Error Plain::failure(const Request& request, CURLcode code, bool answered) const {
  if (code == CURLE_ABORTED_BY_CALLBACK) {
    return request_error(request, Code::kCancelled, "context canceled");
  }
  const bool shaking = wire_.reached == Wire::Reached::kServer && tls_;
  if (code == CURLE_OPERATION_TIMEDOUT && shaking && request.timeout_ms == 0) {
    return request_error(request, Code::kUnavailable, "net/http: TLS handshake timeout");
  }
  Failure f;
  f.code = code;
  f.system_error = wire_.system_error;
  f.connected = wire_.reached != Wire::Reached::kNothing;
  f.answered = answered;
  f.address = wire_.address;
  return failure_error(request, f);
}

std::optional<Result<Response>> Plain::exchange(const Request& request, const Target& target,
                                                const std::string& bytes, const Patience& patience) {
  CURLcode code = connect(target, patience);
  if (!wire_.refusal.empty()) return request_error(request, Code::kUnauthenticated, wire_.refusal);
  if (code == CURLE_SSL_CONNECT_ERROR || code == CURLE_COULDNT_RESOLVE_HOST) return std::nullopt;
  if (code != CURLE_OK) return failure(request, code, false);

  using State = AnswerReader::State;
  AnswerReader reader(request.method == "HEAD", request.max_body);
  State state = State::kMore;
  std::string piece(kPiece, '\0');
  code = wire_.write(bytes, patience);
  while (code == CURLE_OK && state == State::kMore) {
    size_t n = 0;
    code = wire_.read(piece.data(), piece.size(), n, patience);
    if (code != CURLE_OK) break;
    state = n > 0 ? reader.feed(std::string_view(piece).substr(0, n)) : reader.end();
  }
  if (code == CURLE_OK && state == State::kDone) {
    if (!reader.reusable()) wire_.close();
    return unpacked(request, reader.take());
  }
  const bool lost = !reader.begun() && (code != CURLE_OK || state == State::kCut) &&
                    code != CURLE_ABORTED_BY_CALLBACK && code != CURLE_OPERATION_TIMEDOUT;
  const bool replayable = request.method == "GET" || request.method == "HEAD";
  const bool reused = reused_;
  std::optional<Result<Response>> out;
  if (lost && reused && replayable) {  // the server had given the idle connection up
    wire_.close();
    return exchange(request, target, bytes, patience);
  }
  if (lost && !wire_.refusal.empty()) {  // TLS 1.3 tells only now that our certificate was refused
    out = request_error(request, Code::kUnauthenticated, wire_.refusal);
  } else if (state == State::kTooLong) {
    out = too_long(request);
  } else if (state == State::kBroken) {
    out = failure(request, CURLE_WEIRD_SERVER_REPLY, reader.answered());
  } else if (state == State::kCut || code == CURLE_GOT_NOTHING || code == CURLE_SSL_CONNECT_ERROR) {
    out = failure(request, reader.begun() ? CURLE_PARTIAL_FILE : CURLE_GOT_NOTHING, reader.begun());
  } else {
    out = failure(request, code, reader.answered());
  }
  wire_.close();
  return out;
}

std::optional<Result<Response>> Plain::send(const Request& request) {
  const auto to = target(request, options_);
  if (!to) return std::nullopt;
  Patience patience;
  patience.cancel = request.cancel;
  if (request.timeout_ms > 0) {
    patience.until_ns = sys::real_clock().monotonic_ns() + request.timeout_ms * kMs;
  } else {
    patience.silent_ms = kSilentSeconds * 1000;
  }
  return exchange(request, *to, wire_form(request, to->authority, to->path), patience);
}

}  // namespace pintle::http
