#include "http/follow.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "base/url.h"
#include "http/errors.h"

namespace pintle::http {
namespace {

constexpr int kMaxRequests = 10;

bool redirects(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// Same host, or one below it.
bool may_share_secrets(const std::string& from, const std::string& to) {
  return from == to || to.ends_with("." + from);
}

bool secret(std::string_view lower_name) {
  return lower_name == "authorization" || lower_name == "cookie" || lower_name == "cookie2" ||
         lower_name == "www-authenticate";
}

}  // namespace

Result<Response> send_following(Client& client, Request request) {
  for (int sent = 1;; ++sent) {
    Response answer = TRY(client.send(request));
    const std::string location(answer.header("location"));
    if (!redirects(answer.status) || location.empty()) return answer;
    const Url here = TRY(parse_url(request.url));
    const auto target = parse_url(location);
    if (!target) {
      return request_error(request, Code::kUnavailable,
                           cat("failed to parse Location header ", quote(location), ": ",
                               target.error().text()));
    }
    Url next = resolve_url(here, *target);
    if (next.fragment.empty()) {
      next.fragment = here.fragment;
      next.raw_fragment = here.raw_fragment;
    }
    request.url = next.text();
    if (sent == kMaxRequests) {
      return request_error(request, Code::kUnavailable, "stopped after 10 redirects");
    }
    if (next.scheme != "http" && next.scheme != "https") {
      return request_error(request, Code::kUnavailable,
                           cat("unsupported protocol scheme ", quote(next.scheme)));
    }
    if (!may_share_secrets(here.hostname(), next.hostname())) {
      std::erase_if(request.headers, [](const auto& h) { return secret(to_lower(h.first)); });
    }
  }
}

}  // namespace pintle::http
