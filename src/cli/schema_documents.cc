#include "cli/schema_documents.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "cli/settings.h"
#include "http/follow.h"
#include "http/status_text.h"
#include "schema/loader.h"

namespace pintle::cli {
namespace {

constexpr int64_t kOneMs = 15'000;
constexpr int64_t kAllMs = 60'000;

Result<std::string> read_document(sys::Disk& disk, const std::string& path, size_t limit) {
  const auto info = disk.stat(path);
  if (!info) return Error(replace_all(info.error().text(), "stat ", "open "), info.error().code());
  if (info->is_directory()) return Error(cat("read ", path, ": is a directory"));
  if (!info->is_regular()) return Error(cat("open ", path, ": not a regular file"));
  return disk.read_file(path, limit);
}

class Network {
 public:
  explicit Network(const Env& env) : env_(env) {}

  Result<std::string> get(const std::string& url, size_t limit) {
    if (!client_) {
      http::Options options;
      options.proxy_environ = &env_.environ;
      client_ = TRY(http::Client::make(std::move(options)));
    }
    const int64_t began = now_ms();
    http::Request request;
    request.url = url;
    request.headers = {{"User-Agent", cat("Helm/", without_prefix(env_.build.version, "v"))}};
    request.timeout_ms = std::clamp<int64_t>(kAllMs - spent_ms_, 1, kOneMs);
    request.max_body = limit;
    const auto answer = http::send_following(*client_, std::move(request));
    spent_ms_ += now_ms() - began;
    if (!answer) {
      if (answer.error().code() != Code::kDeadlineExceeded) return answer.error();
      return Error(cat(answer.error().text(), " (Client.Timeout exceeded while awaiting headers)"),
                   Code::kDeadlineExceeded);
    }
    if (answer->status == 200) return std::move(answer->body);
    return Error(cat("HTTP request to ", url, " returned status ", answer->status, " (",
                     http::status_text(answer->status), ")"));
  }

 private:
  int64_t now_ms() const { return env_.clock.monotonic_ns() / 1'000'000; }

  const Env& env_;
  std::unique_ptr<http::Client> client_;
  int64_t spent_ms_ = 0;
};

}  // namespace

schema::Loader schema_documents(const Env& env, Log log) {
  return schema::make_loader({
      .read_file = [&disk = env.disk](const std::string& path,
                                      size_t limit) { return read_document(disk, path, limit); },
      .http_get = [network = std::make_shared<Network>(env)](
                      const std::string& url, size_t limit) { return network->get(url, limit); },
      .offline = parse_bool(env.get("PINTLE_OFFLINE")).value_or(false),
      .log = std::move(log)});
}

}  // namespace pintle::cli
