#include "lookout/deliver/attempt_text.h"

#include "base/gotext.h"
#include "base/strings.h"
#include "lookout/observe.h"
#include "lookout/sinks/masking.h"

namespace pintle::lookout {
namespace {

constexpr size_t kLimit = 4 << 10;
// A receiver may repeat what it was sent.
std::string masked(std::string text, const Subscription& s) {
  return without_secrets(std::move(text), s.options, s.secret);
}

}  // namespace

std::string response_text(const http::Response& r, const Subscription& s) {
  std::string out = cat(r.status, "\n");
  for (const auto& [name, value] : r.headers) {
    if (out.size() > kLimit) break;
    append(out, {name, ": ", value, "\n"});
  }
  append(out, {"\n", std::string_view(r.body).substr(0, kLimit)});
  return clean_text(masked(std::move(out), s), kLimit);
}

std::string peer_text(const Target& target, const std::string& answered_from) {
  if (target.addresses.empty()) return "";
  return cat(answered_from.empty() ? join(target.addresses, ", ") : answered_from, " port ", target.port);
}

std::string error_text(const Error& error, const http::Request& request, const Subscription& s) {
  std::string_view text = error.text();
  const std::string url = quote(request.url);
  if (const size_t at = text.find(url); at != text.npos) {
    text = without_prefix(text.substr(at + url.size()), ": ");
  }
  return clean_text(masked(std::string(text), s), kLimit);
}

std::string reason_text(std::string why, const Subscription& s) {
  return why.empty() ? why : clean_text(masked(std::move(why), s), kLimit);
}

}  // namespace pintle::lookout
