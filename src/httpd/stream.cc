#include "httpd/stream.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace pintle::httpd {
namespace {

constexpr size_t kRecord = 16 << 10;  // the most one TLS record carries

template <auto free>
struct Freed {
  template <typename T>
  void operator()(T* p) const {
    free(p);
  }
};
using Bio = std::unique_ptr<BIO, Freed<BIO_free>>;

Bio memory_of(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Error bad(std::string text) {
  ERR_clear_error();
  return Error(std::move(text), Code::kInvalidArgument);
}

// HTTP/1.1 is all there is; a client that offers only other protocols goes on without ALPN.
int select_protocol(SSL*, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* in, unsigned in_size, void*) {
  static constexpr unsigned char kOurs[] = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kOurs, sizeof kOurs - 1, in, in_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

Status ask_for_certificates(SSL_CTX* c, const std::string& authorities) {
  const Bio pem = memory_of(authorities);
  bool any = false;
  while (X509* x = PEM_read_bio_X509(pem.get(), nullptr, nullptr, nullptr)) {
    const std::unique_ptr<X509, Freed<X509_free>> hold(x);
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(c), x) != 1 ||
        SSL_CTX_add_client_CA(c, x) != 1) {
      return bad("TLS client authority cannot be used");
    }
    any = true;
  }
  if (!any) return bad("no certificate in the TLS client authority's PEM text");
  SSL_CTX_set_verify(c, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return ok();
}

}  // namespace

Result<std::shared_ptr<ssl_ctx_st>> make_tls_context(const Tls& tls) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  SSL_CTX* c = context.get();
  SSL_CTX_set_min_proto_version(c, TLS1_2_VERSION);
  SSL_CTX_set_mode(c, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                          SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_options(c, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_num_tickets(c, 0);
  SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(c, select_protocol, nullptr);

  const Bio certificates = memory_of(tls.certificate_pem), key = memory_of(tls.key_pem);
  bool first = true;
  while (X509* x = PEM_read_bio_X509(certificates.get(), nullptr, nullptr, nullptr)) {
    const std::unique_ptr<X509, Freed<X509_free>> hold(x);
    const long added = first ? SSL_CTX_use_certificate(c, x) : SSL_CTX_add1_chain_cert(c, x);
    if (added != 1) return bad("TLS certificate cannot be used");
    first = false;
  }
  if (first) return bad("no certificate in the TLS certificate's PEM text");
  const std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>> pkey(
      PEM_read_bio_PrivateKey(key.get(), nullptr, nullptr, nullptr));
  if (!pkey) return bad("no private key in the TLS key's PEM text");
  if (SSL_CTX_use_PrivateKey(c, pkey.get()) != 1 || SSL_CTX_check_private_key(c) != 1) {
    return bad("TLS private key does not belong to the certificate");
  }
  if (!tls.client_ca_pem.empty()) TRY(ask_for_certificates(c, tls.client_ca_pem));
  ERR_clear_error();
  return std::shared_ptr<ssl_ctx_st>(std::move(context));
}

Stream::Stream(int fd, ssl_ctx_st* tls) : fd_(fd) {
  if (tls == nullptr) return;
  ssl_ = SSL_new(tls);
  SSL_set_fd(ssl_, fd);
  SSL_set_accept_state(ssl_);
}

Stream::~Stream() { SSL_free(ssl_); }

Stream::Io Stream::failed(int result) {
  const int error = SSL_get_error(ssl_, result);
  ERR_clear_error();  // the queue is the thread's, not the connection's
  return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? Io::kAgain : Io::kClosed;
}

Stream::Io Stream::handshake() {
  if (ssl_ == nullptr) return Io::kOk;
  const int result = SSL_do_handshake(ssl_);
  return result == 1 ? Io::kOk : failed(result);
}

Stream::Io Stream::read(char* data, size_t size, size_t* count) {
  if (ssl_ != nullptr) {
    const int result = SSL_read_ex(ssl_, data, size, count);
    return result == 1 ? Io::kOk : failed(result);
  }
  ssize_t n;
  do n = ::recv(fd_, data, size, 0);
  while (n < 0 && errno == EINTR);
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Io::kAgain;
  if (n <= 0) return Io::kClosed;
  *count = static_cast<size_t>(n);
  return Io::kOk;
}

Stream::Io Stream::write(std::span<const iovec> parts, size_t* count) {
  if (ssl_ == nullptr) {
    msghdr message = {};
    message.msg_iov = const_cast<iovec*>(parts.data());
    message.msg_iovlen = parts.size();
    ssize_t n;
    do n = ::sendmsg(fd_, &message, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? Io::kAgain : Io::kClosed;
    *count = static_cast<size_t>(n);
    return Io::kOk;
  }
  // Small parts share a record; a part that fills one is encrypted from where it stands.
  const char* data = static_cast<const char*>(parts[0].iov_base);
  size_t size = parts[0].iov_len;
  char record[kRecord];
  if (size < kRecord && parts.size() > 1) {
    size = 0;
    for (const iovec& part : parts) {
      const size_t take = std::min(part.iov_len, kRecord - size);
      std::memcpy(record + size, part.iov_base, take);
      size += take;
      if (size == kRecord) break;
    }
    data = record;
  }
  const int result = SSL_write_ex(ssl_, data, size, count);
  return result == 1 ? Io::kOk : failed(result);
}

bool Stream::pending() const { return ssl_ != nullptr && SSL_has_pending(ssl_) == 1; }

void Stream::end() {
  if (ssl_ != nullptr && SSL_is_init_finished(ssl_)) {
    SSL_shutdown(ssl_);
    ERR_clear_error();
  }
  ::shutdown(fd_, SHUT_WR);
}

}  // namespace pintle::httpd
