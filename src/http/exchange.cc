#include "http/exchange.h"

#include <algorithm>

#include <arpa/inet.h>
#include <netinet/tcp.h>

#include "base/strings.h"
#include "http/errors.h"
#include "http/session.h"
#include "http/proxy.h"
#include "http/wire.h"

#undef curl_easy_setopt
#undef curl_easy_getinfo

namespace pintle::http {
namespace {

constexpr long kStreamBuffer = 4 << 10;  // held as long as the stream lasts, however quiet it is
// A stream's peer that acknowledges nothing is gone: asked after half a minute, then every few
// seconds. The limit ends it at the first question after it, where the kernel would count to nine.
constexpr long kIdleSeconds = 30, kAskSeconds = 5;
constexpr unsigned kLostMs = 40'000;

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return out;
}

std::string_view trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\r' || s.back() == '\n')) s.remove_suffix(1);
  return s;
}

size_t on_header(char* p, size_t, size_t n, void* user) {
  auto& x = *static_cast<Exchange*>(user);
  const std::string_view line(p, n);
  if (x.request.mail) {  // a reply of the mail server; what it says to QUIT is not about the mail
    const bool refused = !x.response.body.empty() && x.response.body[0] >= '4';
    if (!refused) x.response.body = trim(line);
    if (x.response.tls.empty()) x.response.tls = tls_of(*x.curl, x.easy);
    return n;
  }
  x.header_bytes += n;
  if (x.header_bytes > x.request.max_header) {
    x.head_done = x.response.status >= 200;
    return 0;
  }
  if (line == "\r\n" || line == "\n") {
    x.head_done = x.response.status >= 200;
    if (x.head_done) x.response.tls = tls_of(*x.curl, x.easy);
    if (x.head_done && x.response.status < 300 && x.request.answered) {
      Lock held(x.calling);
      if (!x.dropped) x.request.answered();
    }
  }
  if (x.response.status >= 200) count_off(x);
  if (line.starts_with("HTTP/")) {  // a new head: after 100 Continue or a proxy's CONNECT
    x.response.headers.clear();
    const size_t space = line.find(' ');
    x.response.status = space == std::string_view::npos ? 0 : std::atoi(line.data() + space + 1);
    x.multiplexed = line.starts_with("HTTP/2");
    return n;
  }
  const size_t colon = line.find(':');
  if (colon != std::string_view::npos) {
    x.response.headers.emplace_back(lower(line.substr(0, colon)), trim(line.substr(colon + 1)));
  }
  return n;
}

size_t on_body(char* p, size_t, size_t n, void* user) {
  auto& x = *static_cast<Exchange*>(user);
  const bool good = x.response.status >= 200 && x.response.status < 300;
  if (x.data && good) {
    Lock held(x.calling);
    if (x.dropped) return 0;
    switch (x.data({p, n})) {
      case Client::Flow::kContinue: return n;
      case Client::Flow::kPause: x.paused = true; return CURL_WRITEFUNC_PAUSE;
      case Client::Flow::kStop: x.stopped = true; return 0;
    }
  }
  if (x.response.body.size() + n > x.request.max_body) {
    x.too_long = true;
    if (x.request.take_partial) x.response.body.append(p, x.request.max_body - x.response.body.size());
    return 0;
  }
  x.response.body.append(p, n);
  return n;
}

size_t on_mail(char* p, size_t, size_t n, void* user) {
  auto& x = *static_cast<Exchange*>(user);
  const size_t sent = x.request.body.copy(p, n, x.mail_sent);
  x.mail_sent += sent;
  return sent;
}

curl_socket_t on_open_socket(void* user, curlsocktype, curl_sockaddr* a) {
  auto& x = *static_cast<Exchange*>(user);
  if (x.address.empty()) {  // the first address tried is the one Go reports
    char text[INET6_ADDRSTRLEN] = "";
    if (a->family == AF_INET) {
      const auto* in = reinterpret_cast<const sockaddr_in*>(&a->addr);
      inet_ntop(AF_INET, &in->sin_addr, text, sizeof text);
      x.address = cat(text, ":", ntohs(in->sin_port));
    } else if (a->family == AF_INET6) {
      const auto* in = reinterpret_cast<const sockaddr_in6*>(&a->addr);
      inet_ntop(AF_INET6, &in->sin6_addr, text, sizeof text);
      x.address = cat("[", text, "]:", ntohs(in->sin6_port));
    }
  }
  const int fd = ::socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
  if (fd >= 0 && x.data) ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &kLostMs, sizeof kLostMs);
  return fd;
}

void set_tls(const Curl& curl, CURL* easy, const Tls& tls) {
  const auto blob = [&](CURLoption option, const std::string& pem) {
    if (pem.empty()) return;
    curl_blob b{const_cast<char*>(pem.data()), pem.size(), CURL_BLOB_NOCOPY};
    curl.easy_setopt(easy, option, &b);
  };
  curl.easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));  // or newer
  blob(CURLOPT_CAINFO_BLOB, tls.ca_pem);
  blob(CURLOPT_SSLCERT_BLOB, tls.certificate_pem);
  blob(CURLOPT_SSLKEY_BLOB, tls.key_pem);
  if (!tls.certificate_pem.empty()) {
    curl.easy_setopt(easy, CURLOPT_SSLCERTTYPE, "PEM");
    curl.easy_setopt(easy, CURLOPT_SSLKEYTYPE, "PEM");
    curl.easy_setopt(easy, CURLOPT_KEYPASSWD, "");  // else OpenSSL asks the terminal
  }
  if (tls.insecure) {
    curl.easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl.easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
}

void set_mail(const Curl& curl, Exchange& x) {
  const Mail& mail = *x.request.mail;
  const auto set = [&](CURLoption option, auto value) { curl.easy_setopt(x.easy, option, value); };
  for (const std::string& to : mail.to) x.mail_to = curl.slist_append(x.mail_to, to.c_str());
  set(CURLOPT_MAIL_FROM, mail.from.c_str());
  set(CURLOPT_MAIL_RCPT, x.mail_to);
  if (!mail.user.empty()) {
    set(CURLOPT_USERNAME, mail.user.c_str());
    set(CURLOPT_PASSWORD, mail.password.c_str());
  }
  set(CURLOPT_USE_SSL, static_cast<long>(mail.plain ? CURLUSESSL_NONE : CURLUSESSL_ALL));
  set(CURLOPT_UPLOAD, 1L);
  set(CURLOPT_READFUNCTION, on_mail);
  set(CURLOPT_READDATA, &x);
  set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(x.request.body.size()));
}

// Of "HOST:PORT"; "" where no port is written.
std::pair<std::string, std::string> host_and_port(const std::string& authority) {
  const size_t colon = authority.rfind(':');
  if (colon == authority.npos || authority.find(']', colon) != authority.npos) return {authority, ""};
  return {authority.substr(0, colon), authority.substr(colon + 1)};
}

std::string port_of(const std::string& url) {
  const size_t from = url.find("://") + 3;
  const std::string port = host_and_port(url.substr(from, url.find_first_of("/?#", from) - from)).second;
  if (!port.empty()) return port;
  return url.starts_with("https:") ? "443" : url.starts_with("smtps:") ? "465" : url.starts_with("smtp:") ? "25" : "80";
}

// Whatever the URL's host and port: to the addresses that were asked for, and the same port. Several go
// by a name that is made of them, so that what resolves it here resolves nothing else.
void pin(const Curl& curl, Exchange& x) {
  const Request& r = x.request;
  std::vector<std::string> to;
  for (const std::string& address : r.connect_to) {
    to.push_back(address.find(':') != std::string::npos ? cat("[", address, "]") : address);
  }
  std::string place = to.front();
  if (to.size() > 1) {
    place = cat(join(r.connect_to, "-and-"), ".invalid");
    std::replace(place.begin(), place.end(), ':', '-');
    x.resolved = curl.slist_append(nullptr, cat("+", place, ":", port_of(r.url), ":", join(to, ",")).c_str());
  }
  x.connect_to = curl.slist_append(x.connect_to, cat("::", place, ":").c_str());
}

void report(Exchange& x, Result<Response> result) {
  Lock held(x.calling);
  if (!x.dropped && x.done) x.done(std::move(result));
}

}  // namespace

void finish(const Curl& curl, Exchange& x, CURLcode code) {
  if (x.request.mail) {
    long reply = 0;
    curl.easy_getinfo(x.easy, CURLINFO_RESPONSE_CODE, &reply);
    x.response.status = static_cast<int>(reply);
    x.head_done = reply >= 400;  // a refusal is an answer too
  }
  if (const char* from = nullptr;
      curl.easy_getinfo(x.easy, CURLINFO_PRIMARY_IP, &from) == CURLE_OK && from != nullptr) {
    x.response.address = from;
  }
  const bool partial = x.request.take_partial && x.head_done;
  if (x.stopped || partial || code == CURLE_OK) return report(x, std::move(x.response));
  if (x.header_bytes > x.request.max_header) {
    return report(x, request_error(x.request, Code::kResourceExhausted,
                                   cat("net/http: server response headers exceeded ",
                                       x.request.max_header, " bytes; aborted")));
  }
  if (x.too_long) {
    return report(x, request_error(x.request, Code::kResourceExhausted,
                                   cat("http: answer larger than ", x.request.max_body, " bytes")));
  }
  Failure f;
  f.code = code;
  long number = 0;
  if (curl.easy_getinfo(x.easy, CURLINFO_OS_ERRNO, &number) == CURLE_OK) {
    f.system_error = static_cast<int>(number);
  }
  curl.easy_getinfo(x.easy, CURLINFO_SSL_VERIFYRESULT, &f.verify_result);
  curl_off_t connected = 0;
  curl.easy_getinfo(x.easy, CURLINFO_CONNECT_TIME_T, &connected);
  f.connected = connected > 0;
  f.answered = x.response.status != 0;
  f.unheard = x.unheard;
  f.address = x.address;
  f.server_name = x.options->tls.server_name;
  f.detail = x.detail[0] ? x.detail : curl.easy_strerror(code);
  report(x, failure_error(x.request, f));
}

void prepare(const Curl& curl, Exchange& x) {
  const Options& options = *x.options;
  const Request& r = x.request;
  CURL* easy = x.easy = curl.easy_init();
  x.curl = &curl;
  const auto set = [&](CURLoption option, auto value) { curl.easy_setopt(easy, option, value); };
  std::string url = r.url;
  if (const std::string& name = options.tls.server_name; !name.empty()) {
    // The name to verify stands in the URL; the connection goes to the address asked for.
    if (const size_t at = url.find("://"); at != std::string::npos) {
      const size_t from = at + 3;
      const size_t to = std::min(url.find_first_of("/?", from), url.size());
      const auto [host, port] = host_and_port(url.substr(from, to - from));
      const std::string number = port.empty() ? "443" : port;
      url = cat(url.substr(0, from), name, ":", number, url.substr(to));
      x.connect_to =
          curl.slist_append(nullptr, cat(name, ":", number, ":", host, ":", number).c_str());
    }
  }
  if (!r.connect_to.empty()) pin(curl, x);
  if (x.connect_to) set(CURLOPT_CONNECT_TO, x.connect_to);
  if (x.resolved) set(CURLOPT_RESOLVE, x.resolved);
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, r.mail ? "smtp,smtps" : "http,https");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_PRIVATE, &x);
  set(CURLOPT_ERRORBUFFER, x.detail);
  set(CURLOPT_HTTP_VERSION, static_cast<long>(r.alone ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS));
  set(CURLOPT_FRESH_CONNECT, r.alone ? 1L : 0L);
  set(CURLOPT_FORBID_REUSE, r.alone ? 1L : 0L);
  // Waiting for the first connection to show whether it is multiplexed ends with its TLS handshake.
  // Without TLS it would mean waiting for its whole answer; and others at the address of a pinned
  // receiver, which may never answer, shall not wait with it.
  set(CURLOPT_PIPEWAIT, r.connect_to.empty() && !r.alone && r.url.starts_with("https:") ? 1L : 0L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_TCP_KEEPIDLE, kIdleSeconds);
  set(CURLOPT_TCP_KEEPINTVL, kAskSeconds);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout_ms));
  if (r.timeout_ms > 0) set(CURLOPT_TIMEOUT_MS, static_cast<long>(r.timeout_ms));
  if (x.data) set(CURLOPT_BUFFERSIZE, kStreamBuffer);
  if (r.timeout_ms == 0 && !x.data) {
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(kSilentSeconds));
  }
  set(CURLOPT_HEADERFUNCTION, on_header);
  set(CURLOPT_HEADERDATA, &x);
  set(CURLOPT_WRITEFUNCTION, on_body);
  set(CURLOPT_WRITEDATA, &x);
  set(CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
  set(CURLOPT_OPENSOCKETDATA, &x);
  set(CURLOPT_ACCEPT_ENCODING, x.data ? nullptr : "");
  std::string proxy = options.proxy;
  if (proxy.empty() && options.proxy_environ) proxy = proxy_for(r.url, *options.proxy_environ);
  set(CURLOPT_PROXY, proxy.c_str());  // "" also keeps libcurl from the environment
  set(CURLOPT_NOPROXY, "");
  if (r.mail) {
    set_mail(curl, x);
    set_tls(curl, easy, options.tls);
    return;
  }
  if (r.method == "HEAD") set(CURLOPT_NOBODY, 1L);
  set(CURLOPT_CUSTOMREQUEST, r.method.c_str());
  if (!r.body.empty() || r.method == "POST" || r.method == "PUT" || r.method == "PATCH") {
    set(CURLOPT_POSTFIELDS, r.body.data());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(r.body.size()));
  }
  x.headers = curl.slist_append(nullptr, "Expect:");
  bool typed = false;
  for (const auto& [name, value] : r.headers) {
    typed = typed || lower(name) == "content-type";
    x.headers = curl.slist_append(x.headers, cat(name, value.empty() ? ";" : ": ", value).c_str());
  }
  if (!typed) x.headers = curl.slist_append(x.headers, "Content-Type:");
  set(CURLOPT_HTTPHEADER, x.headers);
  set_tls(curl, easy, options.tls);
}

void release(const Curl& curl, Exchange& x) {
  curl.easy_cleanup(x.easy);
  curl.slist_free_all(x.headers);
  curl.slist_free_all(x.connect_to);
  curl.slist_free_all(x.resolved);
  curl.slist_free_all(x.mail_to);
  x.easy = nullptr;
  x.headers = x.connect_to = x.resolved = x.mail_to = nullptr;
}

void cancel(Exchange& x) {
  report(x, request_error(x.request, Code::kCancelled, "context canceled"));
}

}  // namespace pintle::http
