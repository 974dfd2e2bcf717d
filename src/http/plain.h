// The usual case without libcurl: one request after another over one HTTP/1.1 connection that goes
// straight to a server whose CA is given. Loading libcurl and its 35 libraries costs more than
// everything else a command of two requests does. Whatever is unusual, and whatever has to be
// explained, is left to libcurl. Inside this room only. One thread at a time.
#pragma once

#include <memory>
#include <optional>

#include "http/http.h"
#include "http/wire.h"

namespace pintle::http {

class Plain {
 public:
  // `options` must outlive it.
  explicit Plain(const Options& options) : options_(options) {}

  // Client::send. Nothing: it was not sent, libcurl has to.
  std::optional<Result<Response>> send(const Request& request);

 private:
  struct Target {
    bool tls = false;
    std::string host, port, authority, path;
  };
  static std::optional<Target> target(const Request& request, const Options& options);
  CURLcode connect(const Target& target, const Patience& patience);
  std::optional<Result<Response>> exchange(const Request& request, const Target& target,
                                           const std::string& bytes, const Patience& patience);
  Error failure(const Request& request, CURLcode code, bool answered) const;

  const Options& options_;
  std::shared_ptr<const TlsContext> tls_;
  Wire wire_;
  std::string origin_;   // whom wire_ leads to: "https://host:port"
  bool reused_ = false;  // wire_ carried an answer before
};

}  // namespace pintle::http
