// Stream: a non-blocking socket, plain or under TLS, that says when it would block. OpenSSL works on
// the descriptor itself: an idle connection costs its SSL object, no buffers (about 10 KiB; Asio's own
// TLS stream holds four buffers of 17 KiB). One thread at a time. Inside this room only.
#pragma once

#include <sys/uio.h>

#include <memory>
#include <span>

#include "base/result.h"
#include "httpd/httpd.h"

struct ssl_st;
struct ssl_ctx_st;

namespace pintle::httpd {

// shared_ptr: every connection's SSL object needs its context. Errors: unreadable certificate or key.
Result<std::shared_ptr<ssl_ctx_st>> make_tls_context(const Tls& tls);

class Stream {
 public:
  enum class Io : uint8_t { kOk, kAgain, kClosed };

  Stream(int fd, ssl_ctx_st* tls);  // null: plain; the descriptor stays the caller's
  ~Stream();
  Stream(const Stream&) = delete;

  Io handshake();
  Io read(char* data, size_t size, size_t* count);
  // Takes what it can of the parts. After kAgain the next call must bring the same bytes, or more.
  Io write(std::span<const iovec> parts, size_t* count);
  bool pending() const;  // bytes to be read that the descriptor does not announce
  void end();            // nothing more will be written

 private:
  Io failed(int result);
  int fd_;
  ssl_st* ssl_ = nullptr;
};

}  // namespace pintle::httpd
