// One TCP connection, TLS over it when asked: connect, write, read, each with a deadline and a
// Cancel. OpenSSL is linked into the program, so this costs a fraction of loading libcurl. Inside
// this room only. One thread at a time.
//
// Results are libcurl's codes, because errors.h words those: CURLE_OK, CURLE_COULDNT_CONNECT,
// CURLE_SEND_ERROR and CURLE_RECV_ERROR (with system_error), CURLE_OPERATION_TIMEDOUT,
// CURLE_ABORTED_BY_CALLBACK when cancelled, CURLE_GOT_NOTHING when TLS ended without its goodbye
// (the stream may be cut), CURLE_PEER_FAILED_VERIFICATION and CURLE_SSL_CONNECT_ERROR with `refusal`,
// CURLE_SSL_CONNECT_ERROR without it and CURLE_COULDNT_RESOLVE_HOST for what libcurl shall explain.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <curl/curl.h>

#include "http/http.h"

struct ssl_ctx_st;
struct ssl_st;
struct x509_store_ctx_st;

namespace pintle::http {

// A call without an end that gets no byte for this long is lost; servers give up at 60.
inline constexpr int64_t kSilentSeconds = 75;

struct Patience {
  int64_t until_ns = 0;   // monotonic; 0: no end
  int64_t silent_ms = 0;  // the longest time without a byte; 0: any
  const Cancel* cancel = nullptr;
};

// What connections of one client have in common: certificates and how they are verified.
class TlsContext {
 public:
  enum class Use : uint8_t { kHttp, kOther };
  // Null: something in it that only libcurl may explain; without a CA that is where the system's are,
  // but of another use, which takes them from where OpenSSL has them.
  static std::shared_ptr<const TlsContext> make(const Tls& tls, Use use = Use::kHttp);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  ssl_ctx_st* get() const { return context_; }
  bool insecure() const { return insecure_; }

 private:
  explicit TlsContext(ssl_ctx_st* context, bool insecure) : context_(context), insecure_(insecure) {}
  ssl_ctx_st* context_;
  bool insecure_;
};

class Wire {
 public:
  Wire() = default;
  ~Wire() { close(); }
  Wire(const Wire&) = delete;

  // `tls` null: none. `name`: whom the certificate has to name.
  CURLcode open(const std::string& host, const std::string& port, const TlsContext* tls,
                const std::string& name, const Patience& patience);
  // TLS over the connection that `open` made without it.
  CURLcode secure(const TlsContext& tls, const std::string& name, const Patience& patience);
  CURLcode write(std::string_view bytes, const Patience& patience);
  // n is 0 at the end of the stream.
  CURLcode read(char* to, size_t size, size_t& n, const Patience& patience);
  bool is_open() const { return socket_ >= 0; }
  std::string tls() const;  // "TLSv1.3 TLS_AES_128_GCM_SHA256"; "": none
  bool idle_alive();  // nothing came since the last answer, the end of the stream neither
  void close();

  int system_error = 0;
  std::string refusal;  // why one side refused the other, in Go's words
  std::string address;  // that was dialled first, "127.0.0.1:443"
  enum class Reached : uint8_t { kNothing, kServer, kSession };
  Reached reached = Reached::kNothing;  // by `open`: a TCP connection; with TLS over it

 private:
  CURLcode dial(const std::string& host, const std::string& port, const Patience& patience);
  CURLcode shake_hands(const TlsContext& tls, const std::string& name, const Patience& patience);
  void drop();
  CURLcode refused();
  static int on_verified(int good, x509_store_ctx_st* context);
  CURLcode wait(short events, int64_t since_ns, const Patience& patience);

  int socket_ = -1;
  ssl_st* ssl_ = nullptr;
  std::string name_;  // whom the certificate has to name
};

}  // namespace pintle::http
