#include "lookout/deliver/request_text.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "lookout/sinks/sink.h"

namespace pintle::lookout {
namespace {

constexpr size_t kShortestSecret = 6;
constexpr std::string_view kPlainHeaders[] = {"content-type", "user-agent", "webhook-id",
                                              "webhook-timestamp"};

std::string quoted(std::string_view text) { return cat("'", replace_all(text, "'", R"('\'')"), "'"); }

// The words of the secret, and what was made of it in a field of its own.
std::string masked(std::string text, std::string_view secret) {
  while (!secret.empty()) {
    const size_t end = secret.find_first_of(" \t\r\n,;?&=");
    const std::string_view word = secret.substr(0, end);
    if (word.size() >= kShortestSecret) text = replace_all(text, word, "***");
    secret.remove_prefix(end == secret.npos ? secret.size() : end + 1);
  }
  for (const auto& [field, stop] : {std::pair{"\"sign\":\"", '"'}, {"sign=", '&'}}) {
    const size_t at = text.find(field);
    if (at == text.npos) continue;
    const size_t from = at + std::string_view(field).size(), to = std::min(text.find(stop, from), text.size());
    text.replace(from, to - from, "***");
  }
  return text;
}

// Where the subscription sends, as it was given: in its options, or in front of its secret.
std::string own_url(const Subscription& s) {
  const auto options = json::read(s.options);
  const std::string_view url = options ? text_at(*options, {"url"}) : "";
  if (!url.empty()) return std::string(url);
  const std::string_view secret = trim_space(s.secret);
  const std::string_view word = secret.substr(0, secret.find_first_of(" \t\r\n,"));
  return word.find("://") == word.npos ? "" : std::string(word);
}

std::string host_of(std::string_view url) {
  const size_t scheme = url.find("://");
  const size_t end = scheme == url.npos ? url.npos : url.find_first_of("/?#", scheme + 3);
  return cat(url.substr(0, end), end == url.npos || end + 1 == url.size() ? "" : "/...");
}

}  // namespace

std::string curl_text(const Claimed& c, int64_t now_ms) {
  const SinkKind* sink = find_sink(c.subscription.sink_kind);
  if (sink == nullptr || sink->request == nullptr) return "";
  const auto made = sink->request({&c, 1}, now_ms);
  if (!made || !made->url.starts_with("http")) return "";
  const http::Request& r = *made;
  const std::string& secret = c.subscription.secret;
  std::string own = own_url(c.subscription);
  while (own.ends_with('/') && !r.url.starts_with(own)) own.pop_back();
  const bool known = !own.empty() && r.url.starts_with(own);
  const std::string rest = known ? masked(r.url.substr(own.size()), secret) : "";
  const bool signs = std::any_of(r.headers.begin(), r.headers.end(), [](const auto& h) {
    return to_lower(h.first) == "webhook-signature";
  });

  std::string out = cat("export URL=", quoted(host_of(known ? own : r.url)), "  # the receiver's whole address\n");
  const std::string body = masked(r.body, secret);
  if (signs) {
    append(out, {"export SECRET='whsec_...'  # its key\nbody=", quoted(body),
                 "\nat=$(date +%s)\n"
                 "key=$(printf %s \"${SECRET#whsec_}\" | base64 -d | od -An -v -tx1 | tr -d ' \\n')\n"
                 "sign=$(printf %s \"", webhook_id(c),
                 ".$at.$body\" | openssl dgst -sha256 -mac HMAC -macopt hexkey:$key -binary | base64)\n"});
  }
  append(out, {"curl -i --max-time 10 -X ", r.method, " \"$URL\"", rest.empty() ? "" : quoted(rest)});
  for (const auto& [name, value] : r.headers) {
    const std::string lower = to_lower(name);
    const bool plain = lower.starts_with("ce-") ||
                       std::find(std::begin(kPlainHeaders), std::end(kPlainHeaders), lower) != std::end(kPlainHeaders);
    out += " \\\n  -H ";
    if (signs && lower == "webhook-timestamp") {
      out += "\"webhook-timestamp: $at\"";
    } else if (lower == "webhook-signature") {
      out += "\"webhook-signature: v1,$sign\"";
    } else {
      out += quoted(cat(name, ": ", plain ? masked(value, secret) : "***"));
    }
  }
  if (!r.body.empty()) append(out, {" \\\n  --data-raw ", signs ? "\"$body\"" : quoted(body)});
  return out + "\n";
}

Result<std::string> body_text(const Claimed& c, int64_t now_ms) {
  const SinkKind* sink = find_sink(c.subscription.sink_kind);
  if (sink == nullptr) return Error(cat("no sink ", c.subscription.sink_kind));
  if (sink->text != nullptr) return sink->text(c);
  const http::Request made = TRY(sink->request({&c, 1}, now_ms));
  return made.url.empty() ? "" : masked(made.body, c.subscription.secret);
}

}  // namespace pintle::lookout
