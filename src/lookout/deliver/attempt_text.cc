#include "lookout/deliver/attempt_text.h"

#include "base/gotext.h"
#include "base/strings.h"
#include "lookout/observe.h"

namespace pintle::lookout {
namespace {

constexpr size_t kLimit = 4 << 10;
constexpr size_t kShortestSecret = 6;

// A receiver may repeat what it was sent.
std::string masked(std::string text, const Subscription& s) {
  std::string_view rest = s.secret;
  while (!rest.empty()) {
    const size_t end = rest.find_first_of(" \t\r\n,;?&=");
    const std::string_view word = rest.substr(0, end);
    if (word.size() >= kShortestSecret && word.find("://") == word.npos) {
      text = replace_all(text, word, "***");
    }
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  return text;
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

std::string error_text(const Error& error, const http::Request& request, const Subscription& s) {
  std::string_view text = error.text();
  const std::string url = quote(request.url);
  if (const size_t at = text.find(url); at != text.npos) {
    text = without_prefix(text.substr(at + url.size()), ": ");
  }
  return clean_text(masked(std::string(text), s), kLimit);
}

}  // namespace pintle::lookout
