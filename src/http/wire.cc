// Sockets do not block; whoever waits, waits in `wait`, in slices, so that a Cancel set by another
// thread is seen soon and one set by a signal at once. Names are looked up on a thread that is left
// behind when nobody waits for it any longer: getaddrinfo cannot be stopped.
#include "http/wire.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/strings.h"
#include "http/certificate.h"
#include "sys/clock.h"

namespace pintle::http {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kSliceMs = 100;
constexpr int64_t kHandshakeMs = 10'000;  // as Go
constexpr int64_t kFirstAddressMs = 250;  // with more than one, libcurl's race between them is better

int64_t now() { return sys::real_clock().monotonic_ns(); }

bool over(const Patience& p) { return p.until_ns != 0 && now() >= p.until_ns; }

// A socket's BIO that never raises SIGPIPE; OpenSSL's own does.
int bio_write(BIO* bio, const char* data, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t n = ::send(static_cast<int>(reinterpret_cast<intptr_t>(BIO_get_data(bio))), data,
                           static_cast<size_t>(size), MSG_NOSIGNAL);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(n);
}

int bio_read(BIO* bio, char* data, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t n = ::recv(static_cast<int>(reinterpret_cast<intptr_t>(BIO_get_data(bio))), data,
                           static_cast<size_t>(size), 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  return static_cast<int>(n);
}

long bio_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO* socket_bio(int socket) {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    BIO_meth_set_write(m, bio_write);
    BIO_meth_set_read(m, bio_read);
    BIO_meth_set_ctrl(m, bio_control);
    return m;
  }();
  BIO* bio = BIO_new(method);
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<intptr_t>(socket)));
  BIO_set_init(bio, 1);
  return bio;
}

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  std::string text() const {
    char out[INET6_ADDRSTRLEN] = "";
    if (bytes.ss_family == AF_INET) {
      const auto& in = reinterpret_cast<const sockaddr_in&>(bytes);
      inet_ntop(AF_INET, &in.sin_addr, out, sizeof out);
      return cat(out, ":", ntohs(in.sin_port));
    }
    const auto& in = reinterpret_cast<const sockaddr_in6&>(bytes);
    inet_ntop(AF_INET6, &in.sin6_addr, out, sizeof out);
    return cat("[", out, "]:", ntohs(in.sin6_port));
  }
};

std::vector<Address> look_up(const std::string& host, const std::string& port, int flags) {
  std::vector<Address> out;
  addrinfo hints{}, *list = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &list) != 0) return out;
  for (const addrinfo* a = list; a; a = a->ai_next) {
    if (a->ai_family != AF_INET && a->ai_family != AF_INET6) continue;
    Address& to = out.emplace_back();
    std::copy_n(reinterpret_cast<const char*>(a->ai_addr), a->ai_addrlen,
                reinterpret_cast<char*>(&to.bytes));
    to.size = a->ai_addrlen;
  }
  ::freeaddrinfo(list);
  return out;
}

// Nothing when cancelled or late.
std::optional<std::vector<Address>> resolve(const std::string& host, const std::string& port,
                                            const Patience& patience) {
  auto literal = look_up(host, port, AI_NUMERICHOST | AI_NUMERICSERV);
  if (!literal.empty()) return literal;
  struct Shared {
    Mutex mutex;
    Condition found;
    std::optional<std::vector<Address>> addresses GUARDED_BY(mutex);
  };
  auto shared = std::make_shared<Shared>();
  std::thread([shared, host, port] {
    auto addresses = look_up(host, port, AI_ADDRCONFIG | AI_NUMERICSERV);
    Lock held(shared->mutex);
    shared->addresses = std::move(addresses);
    shared->found.notify_all();
  }).detach();
  Lock held(shared->mutex);
  while (!shared->addresses) {
    if ((patience.cancel && patience.cancel->cancelled()) || over(patience)) return std::nullopt;
    shared->found.wait_for(shared->mutex, std::chrono::milliseconds(kSliceMs));
  }
  return std::move(shared->addresses);
}

bool use_roots(SSL_CTX* context, const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  int count = 0;
  while (X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr)) {
    count += X509_STORE_add_cert(store, certificate);
    X509_free(certificate);
  }
  BIO_free(bio);
  // A certificate in the list is trusted although it may not be its own issuer, as Go trusts it.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  return count > 0;
}

bool use_certificate(SSL_CTX* context, const std::string& certificate, const std::string& key) {
  const auto no_password = [](char*, int, int, void*) { return 0; };
  BIO* bio = BIO_new_mem_buf(certificate.data(), static_cast<int>(certificate.size()));
  bool good = false;
  for (bool first = true; X509* one = PEM_read_bio_X509(bio, nullptr, no_password, nullptr); first = false) {
    good = first ? SSL_CTX_use_certificate(context, one) == 1
                 : good && SSL_CTX_add1_chain_cert(context, one) == 1;
    X509_free(one);
  }
  BIO_free(bio);
  bio = BIO_new_mem_buf(key.data(), static_cast<int>(key.size()));
  EVP_PKEY* private_key = PEM_read_bio_PrivateKey(bio, nullptr, no_password, nullptr);
  good = good && private_key && SSL_CTX_use_PrivateKey(context, private_key) == 1;
  EVP_PKEY_free(private_key);
  BIO_free(bio);
  return good;
}

}  // namespace

std::shared_ptr<const TlsContext> TlsContext::make(const Tls& tls, Use use) {
  const bool http = use == Use::kHttp, system = tls.ca_pem.empty() && !tls.insecure;
  if (system && http) return nullptr;  // the system's list: libcurl knows where
  OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT |
                       OPENSSL_INIT_NO_LOAD_SSL_STRINGS | OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS,
                   nullptr);
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  if (!context) return nullptr;
  std::shared_ptr<const TlsContext> out(new TlsContext(context, tls.insecure));
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_verify(context, tls.insecure ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
  static constexpr unsigned char kProtocols[] = "\x08http/1.1";
  bool good = !http || SSL_CTX_set_alpn_protos(context, kProtocols, sizeof kProtocols - 1) == 0;
  if (system) good = good && SSL_CTX_set_default_verify_paths(context) == 1;
  if (!tls.ca_pem.empty()) good = good && use_roots(context, tls.ca_pem);
  if (!tls.certificate_pem.empty()) good = good && use_certificate(context, tls.certificate_pem, tls.key_pem);
  ERR_clear_error();
  return good ? out : nullptr;
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

void Wire::close() {
  if (ssl_) {
    SSL_shutdown(ssl_);
    ERR_clear_error();
    SSL_free(ssl_);
  }
  if (socket_ >= 0) ::close(socket_);
  ssl_ = nullptr;
  socket_ = -1;
}

CURLcode Wire::wait(short events, int64_t since_ns, const Patience& patience) {
  for (;;) {
    if (patience.cancel && patience.cancel->cancelled()) return CURLE_ABORTED_BY_CALLBACK;
    const int64_t at = now();
    int64_t until = patience.until_ns;
    if (patience.silent_ms > 0) {
      const int64_t silent = since_ns + patience.silent_ms * kMs;
      until = until == 0 ? silent : std::min(until, silent);
    }
    if (until != 0 && at >= until) return CURLE_OPERATION_TIMEDOUT;
    int64_t slice = kSliceMs;
    if (until != 0) slice = std::min(slice, (until - at) / kMs + 1);
    pollfd p{socket_, events, 0};
    if (::poll(&p, 1, static_cast<int>(slice)) > 0) return CURLE_OK;
  }
}

CURLcode Wire::dial(const std::string& host, const std::string& port, const Patience& patience) {
  const auto addresses = resolve(host, port, patience);
  if (!addresses) {
    return over(patience) ? CURLE_OPERATION_TIMEDOUT : CURLE_ABORTED_BY_CALLBACK;
  }
  if (addresses->empty()) return CURLE_COULDNT_RESOLVE_HOST;
  int first_error = 0;
  for (const Address& a : *addresses) {
    if (address.empty()) address = a.text();
    const auto* to = reinterpret_cast<const sockaddr*>(&a.bytes);
    socket_ = ::socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int error = 0;
    if (socket_ < 0 || (::connect(socket_, to, a.size) != 0 && errno != EINPROGRESS)) {
      error = errno;
    } else {
      Patience p = patience;
      const bool more = addresses->size() > 1;
      if (more) p.silent_ms = kFirstAddressMs;
      const CURLcode code = wait(POLLOUT, now(), p);
      if (code == CURLE_OPERATION_TIMEDOUT && more) return CURLE_COULDNT_RESOLVE_HOST;
      if (code != CURLE_OK) return code;
      socklen_t size = sizeof error;
      ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error == 0) {
      const int on = 1, idle = 30, interval = 15;
      ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      ::setsockopt(socket_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
      ::setsockopt(socket_, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
      ::setsockopt(socket_, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
      return CURLE_OK;
    }
    if (first_error == 0) first_error = error;
    close();
  }
  system_error = first_error;
  return CURLE_COULDNT_CONNECT;
}

// What OpenSSL's queue and the session tell of a failure; empties the queue.
CURLcode Wire::refused() {
  const unsigned long error = ERR_peek_last_error();
  const int alert = ERR_GET_LIB(error) == ERR_LIB_SSL ? ERR_GET_REASON(error) - SSL_AD_REASON_OFFSET : -1;
  ERR_clear_error();
  if (alert >= 0) refusal = cat("remote error: tls: ", alert_text(alert));
  return CURLE_SSL_CONNECT_ERROR;
}

// The certificate is at hand only here.
int Wire::on_verified(int good, X509_STORE_CTX* context) {
  if (good == 1) return 1;
  const auto* ssl = static_cast<SSL*>(
      X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto& wire = *static_cast<Wire*>(SSL_get_app_data(ssl));
  const int64_t today = sys::real_clock().now_ns();
  wire.refusal = cat("tls: failed to verify certificate: ",
                     certificate_refusal(X509_STORE_CTX_get0_cert(context), wire.name_,
                                         today / 1'000'000'000, sys::local_offset_seconds(today)));
  return 0;
}

CURLcode Wire::shake_hands(const TlsContext& tls, const std::string& name, const Patience& patience) {
  ssl_ = SSL_new(tls.get());
  if (!ssl_) return CURLE_SSL_CONNECT_ERROR;
  BIO* bio = socket_bio(socket_);
  SSL_set_bio(ssl_, bio, bio);
  const bool numbers = is_address(name);
  if (!numbers) SSL_set_tlsext_host_name(ssl_, name.c_str());
  if (!tls.insecure()) {
    name_ = name;
    SSL_set_app_data(ssl_, this);
    SSL_set_verify(ssl_, SSL_VERIFY_PEER, on_verified);
    X509_VERIFY_PARAM* verify = SSL_get0_param(ssl_);
    X509_VERIFY_PARAM_set_hostflags(verify, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS |
                                                X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    const int set = numbers ? X509_VERIFY_PARAM_set1_ip_asc(verify, name.c_str())
                            : X509_VERIFY_PARAM_set1_host(verify, name.data(), name.size());
    if (set != 1) return CURLE_SSL_CONNECT_ERROR;
  }
  const int64_t since = now();
  Patience hurried = patience;
  hurried.silent_ms = kHandshakeMs;  // counted from here
  for (;;) {
    ERR_clear_error();
    const int r = SSL_connect(ssl_);
    if (r == 1) return CURLE_OK;
    const int why = SSL_get_error(ssl_, r);
    if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) {
      if (refusal.empty()) return refused();
      ERR_clear_error();
      return CURLE_PEER_FAILED_VERIFICATION;
    }
    const CURLcode code = wait(why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, since, hurried);
    if (code != CURLE_OK) return code;
  }
}

std::string Wire::tls() const {
  return ssl_ ? cat(SSL_get_version(ssl_), " ", SSL_get_cipher_name(ssl_)) : "";
}

CURLcode Wire::open(const std::string& host, const std::string& port, const TlsContext* tls,
                    const std::string& name, const Patience& patience) {
  close();
  refusal.clear();
  CURLcode code = dial(host, port, patience);
  reached = code == CURLE_OK ? Reached::kServer : Reached::kNothing;
  if (code == CURLE_OK && tls) code = shake_hands(*tls, name, patience);
  if (code == CURLE_OK) reached = Reached::kSession;
  if (code != CURLE_OK) drop();
  return code;
}

// A handshake that failed says no goodbye.
void Wire::drop() {
  if (ssl_) SSL_free(ssl_);
  ssl_ = nullptr;
  close();
}

CURLcode Wire::secure(const TlsContext& tls, const std::string& name, const Patience& patience) {
  const CURLcode code = shake_hands(tls, name, patience);
  if (code != CURLE_OK) drop();
  return code;
}

CURLcode Wire::write(std::string_view bytes, const Patience& patience) {
  int64_t since = now();
  while (!bytes.empty()) {
    ssize_t n = 0;
    short events = POLLOUT;
    bool again = false;
    errno = 0;
    if (ssl_) {
      ERR_clear_error();
      size_t written = 0;
      const int r = SSL_write_ex(ssl_, bytes.data(), bytes.size(), &written);
      const int why = r == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl_, r);
      again = why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
      if (why == SSL_ERROR_WANT_READ) events = POLLIN;
      n = r == 1 ? static_cast<ssize_t>(written) : -1;
    } else {
      n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      again = n < 0 && (errno == EAGAIN || errno == EINTR);
    }
    if (n > 0) {
      bytes.remove_prefix(static_cast<size_t>(n));
      since = now();
      continue;
    }
    if (!again) {
      system_error = errno;
      ERR_clear_error();
      char byte;
      size_t none = 0;
      // Who closes while we are writing may have said why.
      if (ssl_ && SSL_peek_ex(ssl_, &byte, 1, &none) != 1) (void)refused();
      return refusal.empty() ? CURLE_SEND_ERROR : CURLE_SSL_CONNECT_ERROR;
    }
    const CURLcode code = wait(events, since, patience);
    if (code != CURLE_OK) return code;
  }
  return CURLE_OK;
}

CURLcode Wire::read(char* to, size_t size, size_t& n, const Patience& patience) {
  const int64_t since = now();
  for (;;) {
    n = 0;
    errno = 0;
    short events = POLLIN;
    if (ssl_) {
      ERR_clear_error();
      const int r = SSL_read_ex(ssl_, to, size, &n);
      if (r == 1) return CURLE_OK;
      n = 0;
      const int why = SSL_get_error(ssl_, r);
      if (why == SSL_ERROR_ZERO_RETURN) return CURLE_OK;
      if (why == SSL_ERROR_WANT_WRITE) {
        events = POLLOUT;
      } else if (why != SSL_ERROR_WANT_READ) {
        system_error = errno;
        const bool cut = ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
        if (why == SSL_ERROR_SSL && !cut) return refused();
        ERR_clear_error();
        if (cut) return CURLE_GOT_NOTHING;
        return system_error == 0 ? CURLE_GOT_NOTHING : CURLE_RECV_ERROR;
      }
    } else {
      const ssize_t got = ::recv(socket_, to, size, 0);
      if (got >= 0) {
        n = static_cast<size_t>(got);
        return CURLE_OK;
      }
      if (errno != EAGAIN && errno != EINTR) {
        system_error = errno;
        return CURLE_RECV_ERROR;
      }
    }
    const CURLcode code = wait(events, since, patience);
    if (code != CURLE_OK) return code;
  }
}

bool Wire::idle_alive() {
  if (socket_ < 0) return false;
  char byte;
  if (ssl_) {
    ERR_clear_error();
    const int r = SSL_peek(ssl_, &byte, 1);
    const int why = r > 0 ? SSL_ERROR_NONE : SSL_get_error(ssl_, r);
    ERR_clear_error();
    return why == SSL_ERROR_WANT_READ;
  }
  return ::recv(socket_, &byte, 1, MSG_PEEK) < 0 && errno == EAGAIN;
}

}  // namespace pintle::http
