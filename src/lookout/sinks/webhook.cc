// Webhook: CloudEvents (structured, binary, batch), our own flat JSON, a template, or the payload
// of Horizon. Signed as Standard Webhooks say: webhook-id, webhook-timestamp, and webhook-signature
// with one `v1,<base64>` for each key, so that a receiver may hold the old or the new one during a
// rotation; an old key reads `whsec_...;until=SECONDS` and signs no longer after that. Horizon's
// mode sends its secret in clear, as Horizon does.
#include <algorithm>
#include <charconv>

#include "base/gotext.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "lookout/sinks/body.h"
#include "lookout/sinks/horizon.h"
#include "lookout/sinks/kinds.h"

namespace pintle::lookout {
namespace {

constexpr size_t kBatch = 100;
constexpr std::string_view kFormats[] = {"cloudevents", "cloudevents-binary", "cloudevents-batch",
                                         "plain", "horizon"};

struct Settings {
  SinkOptions options;
  std::string url;
  std::vector<std::string> keys;  // as written
};

Result<Settings> read(const Subscription& s) {
  Settings out;
  out.options = TRY(read_options(
      s, {"url", "format", "template", "content_type", "headers", "timeout_ms", "ca",
          "certificate", "key", "description", "triggers"}));
  TRY(check_format(out.options.format,
                   {kFormats[0], kFormats[1], kFormats[2], kFormats[3], kFormats[4]}));
  if (out.options.format.empty()) out.options.format = kFormats[0];
  if (out.options.format == "horizon") {
    out.url = out.options.url;
    if (!s.secret.empty()) out.keys = {s.secret};
  } else {
    auto [url, keys] = url_and_keys(out.options, s.secret);
    out.url = std::move(url);
    out.keys = std::move(keys);
  }
  return out;
}

constexpr std::string_view kUntil = ";until=";

// Unix seconds; INT64_MAX: it has no end.
int64_t end_of(std::string_view key) {
  const size_t at = key.find(kUntil);
  if (at == key.npos) return INT64_MAX;
  int64_t out = 0;
  const std::string_view digits = key.substr(at + kUntil.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return out;
}

std::string rotated(const Subscription& s, std::string_view fresh_key, int64_t until_ms,
                    int64_t now_ms) {
  std::string url, old;
  const std::string words = replace_all(s.secret, ",", " ");
  for (const std::string_view word : split(words, " ")) {
    if (word.find("://") != word.npos) {
      url = cat(word, " ");
    } else if (!word.empty() && end_of(word) > now_ms / 1000) {
      const std::string_view bare = word.substr(0, word.find(kUntil));
      append(old, {" ", bare, kUntil, cat(std::min(end_of(word), until_ms / 1000))});
    }
  }
  return cat(url, fresh_key, until_ms > now_ms ? old : "");
}

// The bytes of "whsec_<base64>", 24 to 64 of them.
Result<std::string> key_bytes(std::string_view key) {
  key = key.substr(0, key.find(kUntil));
  const auto bad = [](std::string_view why) {
    return Error(Code::kInvalidArgument, cat("secret: ", why));
  };
  if (!key.starts_with("whsec_")) return bad("does not start with whsec_");
  const auto bytes = crypt::base64_decode(key.substr(6));
  if (!bytes) return bad("is not base64 behind whsec_");
  if (bytes->size() < 24 || bytes->size() > 64) return bad("has not 24 to 64 bytes");
  return *bytes;
}

Status check_header(std::string_view name) {
  static constexpr std::string_view kOurs[] = {
      "host",   "content-length", "content-type",      "connection",       "transfer-encoding",
      "expect", "webhook-id",     "webhook-timestamp", "webhook-signature"};
  const std::string lower = to_lower(name);
  for (const std::string_view ours : kOurs) {
    if (lower == ours)
      return Error(Code::kInvalidArgument, cat("headers: ", name, " is lookout's own"));
  }
  for (const char c : name) {
    const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '-' || c == '_';
    if (!fine) return Error(Code::kInvalidArgument, cat("headers: ", quote(name), " is no name"));
  }
  return name.empty() ? Error(Code::kInvalidArgument, "headers: a name is empty") : ok();
}

Status check(const Subscription& s) {
  const Settings it = TRY(read(s));
  for (const auto& [name, value] : it.options.headers) TRY(check_header(name));
  if (!it.options.body.empty()) TRY(check_template(it.options.body));
  if (it.options.format == "horizon") {
    for (const char c : s.secret) {
      if (c < ' ') return Error(Code::kInvalidArgument, "secret: holds control characters");
    }
  } else {
    for (const std::string& key : it.keys) TRY(key_bytes(key));
  }
  TRY(check_tls_options(it.options));
  return check_url_option(it.url);
}

Result<Route> route(const Subscription& s) {
  const Settings it = TRY(read(s));
  const bool batch = it.options.format == "cloudevents-batch" && it.options.body.empty();
  return route_to(kWebhook.name, it.url, it.options, batch ? kBatch : 1);
}

// A CloudEvents attribute in a header: percent-encoded where it is not plain ASCII.
std::string header_value(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto b = static_cast<uint8_t>(c);
    if (b > ' ' && b < 0x7f && c != '"' && c != '%') {
      out += c;
    } else {
      out += {'%', kHex[b >> 4], kHex[b & 15]};
    }
  }
  return out;
}

// The structured form taken apart: attributes become headers, data the body.
Status make_binary(const StoredEvent& e, http::Request& r) {
  const auto read = TRY(json::read(cloud_event(e)));
  for (const auto& [name, v] : *read.as_map()) {
    if (name.view() == "data" || name.view() == "datacontenttype") continue;
    r.headers.emplace_back(cat("ce-", name.view()), header_value(v.as_string()));
  }
  r.body = plain_event(e);
  return ok();
}

Result<std::string> templated(const SinkOptions& o, const StoredEvent& e) {
  std::string body = TRY(render_template(o.body, e));
  const bool is_json = o.content_type.empty() || o.content_type.starts_with("application/json");
  if (is_json) {
    if (auto read = json::read(body); !read) {
      return Error(Code::kInvalidArgument,
                   cat("the template makes no JSON: ", read.error().text()));
    }
  }
  return body;
}

Result<http::Request> request(std::span<const Claimed> events, int64_t now_ms) {
  const Claimed& first = events[0];
  const Settings it = TRY(read(first.subscription));
  const SinkOptions& o = it.options;
  http::Request r;
  r.method = "POST";
  r.url = it.url;
  std::string type = "application/json";
  if (!o.body.empty()) {
    if (!o.content_type.empty()) type = o.content_type;
    r.body = TRY(templated(o, first.event));
  } else if (o.format == "cloudevents") {
    type = "application/cloudevents+json";
    r.body = cloud_event(first.event);
  } else if (o.format == "cloudevents-binary") {
    TRY(make_binary(first.event, r));
  } else if (o.format == "cloudevents-batch") {
    type = "application/cloudevents-batch+json";
    for (const Claimed& c : events)
      append(r.body, {r.body.empty() ? "[" : ",", cloud_event(c.event)});
    r.body += "]";
  } else if (o.format == "horizon") {
    type = "application/json;charset=utf-8";
    r.body = horizon_payload(first);
  } else {
    r.body = plain_event(first.event);
  }
  const std::string id = webhook_id(events), stamp = std::to_string(now_ms / 1000);
  r.headers.insert(r.headers.end(), {{"Content-Type", type},
                                     {"User-Agent", "pintle-lookout"},
                                     {"webhook-id", id},
                                     {"webhook-timestamp", stamp}});
  if (o.format == "horizon") {
    r.headers.emplace_back("X-Horizon-Webhook-Secret", it.keys.empty() ? "" : it.keys[0]);
  } else {
    std::string signatures;
    for (const std::string& key : it.keys) {
      if (end_of(key) < now_ms / 1000) continue;
      const std::string mac =
          crypt::hmac_sha256(TRY(key_bytes(key)), cat(id, ".", stamp, ".", r.body));
      append(signatures, {signatures.empty() ? "" : " ", "v1,", crypt::base64_encode(mac)});
    }
    if (!signatures.empty()) r.headers.emplace_back("webhook-signature", signatures);
  }
  for (const auto& [name, value] : o.headers) r.headers.emplace_back(name, value);
  return r;
}

}  // namespace

const SinkKind kWebhook = {.name = "webhook",
                           .check = check,
                           .route = route,
                           .request = request,
                           .judge = judge_status,
                           .rotated = rotated};

}  // namespace pintle::lookout
