// The client that callers get: a request that is alone goes over Plain; streams, requests beside others
// and what Plain does not take go through libcurl, opened then.

#include "base/mutex.h"
#include "http/curl_client.h"
#include "http/http.h"
#include "http/plain.h"

namespace pintle::http {
namespace {

class EitherClient final : public Client {
 public:
  explicit EitherClient(Options options) : options_(std::move(options)) {}

  Result<Response> send(const Request& request) override {
    if (plain_mutex_.try_lock()) {
      Lock alone(plain_mutex_, std::adopt_lock);
      if (auto answer = plain_.send(request)) return std::move(*answer);
    }
    return TRY(curl())->send(request);
  }

  Result<int> stream(const Request& request, const std::function<bool(const Response& head)>& head,
                     const std::function<bool(std::string_view)>& data) override {
    return TRY(curl())->stream(request, head, data);
  }

  std::unique_ptr<Pending> start(Request request, Done done, Data data) override {
    auto client = curl();
    if (client) return (*client)->start(std::move(request), std::move(done), std::move(data));
    done(client.error());
    struct Nothing final : Pending {
      void resume() override {}
    };
    return std::make_unique<Nothing>();
  }

 private:
  Result<Client*> curl() {
    Lock held(curl_mutex_);
    if (!curl_) curl_ = TRY(make_curl_client(options_));
    return curl_.get();
  }

  const Options options_;
  Mutex plain_mutex_;
  Plain plain_ GUARDED_BY(plain_mutex_){options_};
  Mutex curl_mutex_;
  std::unique_ptr<Client> curl_ GUARDED_BY(curl_mutex_);
};

}  // namespace

std::string_view Response::header(std::string_view lower_name) const {
  for (const auto& [name, value] : headers) {
    if (name == lower_name) return value;
  }
  return "";
}

Result<std::unique_ptr<Client>> Client::make(Options options) {
  const auto pem = [](const std::string& text) {
    return text.empty() || text.find("-----BEGIN ") != std::string::npos;
  };
  if (!pem(options.tls.ca_pem)) {
    return Error(Code::kInvalidArgument,
                 "unable to load root certificates: unable to parse bytes as PEM block");
  }
  if (!pem(options.tls.certificate_pem)) {
    return Error(Code::kInvalidArgument, "tls: failed to find any PEM data in certificate input");
  }
  if (!pem(options.tls.key_pem)) {
    return Error(Code::kInvalidArgument, "tls: failed to find any PEM data in key input");
  }
  if (options.tls.key_pem.find("ENCRYPTED") != std::string::npos) {
    return Error(Code::kInvalidArgument, "tls: failed to parse private key");
  }
  return std::make_unique<EitherClient>(std::move(options));
}

}  // namespace pintle::http
