#include "schema/loader.h"

#include <memory>
#include <unordered_set>

#include "base/gotext.h"
#include "base/strings.h"
#include "base/url.h"

namespace pintle::schema {
namespace {

class Loading {
 public:
  explicit Loading(Sources sources) : sources_(std::move(sources)) {}

  Result<std::string> load(const std::string& text) {
    const Url url = TRY(parse_url(text));
    if (++loaded_ > kMaxDocuments) {
      return Error(cat("more than ", kMaxDocuments, " documents"), Code::kResourceExhausted);
    }
    if (url.scheme == "file") return file(url);
    if (url.scheme == "http" || url.scheme == "https") return http(text, url);
    if (url.scheme == "urn") return urn(text);
    return Error(cat("no URLLoader registered for ", quote(url.text())));
  }

 private:
  Result<std::string> file(const Url& url) {
    if (sources_.read_file) return sources_.read_file(url.path, kMaxDocumentBytes);
    return Error(cat("open ", url.path, ": no such file or directory"), Code::kNotFound);
  }

  Result<std::string> http(const std::string& text, const Url& url) {
    auto failed = [&text](std::string_view why) {
      return Error(cat("HTTP request failed for ", text, ": ", why), Code::kUnavailable);
    };
    const std::string get = cat("Get ", quote(text), ": ");
    if (sources_.offline) return failed(cat(get, "network access is switched off"));
    if (!sources_.http_get) {
      return failed(cat(get, "dial tcp: lookup ", url.hostname(), ": no such host"));
    }
    auto body = sources_.http_get(text, kMaxDocumentBytes);
    if (body) return body;
    if (body.error().text().starts_with("HTTP request to ")) return body.error();
    return failed(body.error().text());
  }

  Result<std::string> urn(const std::string& text) {
    if (warned_.insert(text).second) {
      sources_.log("WARN", "unresolved URN reference ignored; using permissive schema",
                   {{"urn", text}});
    }
    return std::string("true");
  }

  Sources sources_;
  int loaded_ = 0;
  std::unordered_set<std::string> warned_;
};

}  // namespace

Loader make_loader(Sources sources) {
  auto loading = std::make_shared<Loading>(std::move(sources));
  return [loading](const std::string& url) { return loading->load(url); };
}

}  // namespace pintle::schema
