#include "lookout/sinks/options.h"

#include <algorithm>
#include <variant>

#include "base/gotext.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "lookout/sinks/body.h"

namespace pintle::lookout {
namespace {

using value::Value;
using Texts = std::vector<std::string>;
using TextMap = std::map<std::string, std::string>;

struct Key {
  std::string_view name;
  std::variant<std::string SinkOptions::*, Texts SinkOptions::*, TextMap SinkOptions::*,
               int64_t SinkOptions::*, bool SinkOptions::*>
      member;
};

const Key kKeys[] = {
    {"brokers", &SinkOptions::brokers},
    {"ca", &SinkOptions::ca},
    {"certificate", &SinkOptions::certificate},
    {"channel", &SinkOptions::channel},
    {"content_type", &SinkOptions::content_type},
    {"description", &SinkOptions::description},
    {"format", &SinkOptions::format},
    {"from", &SinkOptions::from},
    {"headers", &SinkOptions::headers},
    {"key", &SinkOptions::key},
    {"mention", &SinkOptions::mention},
    {"moving", &SinkOptions::moving},
    {"path", &SinkOptions::path},
    {"plain", &SinkOptions::plain},
    {"sasl", &SinkOptions::sasl},
    {"subject", &SinkOptions::subject},
    {"template", &SinkOptions::body},
    {"timeout_ms", &SinkOptions::timeout_ms},
    {"title", &SinkOptions::title},
    {"tls", &SinkOptions::tls},
    {"to", &SinkOptions::to},
    {"topic", &SinkOptions::topic},
    {"triggers", &SinkOptions::triggers},
    {"url", &SinkOptions::url},
    {"user", &SinkOptions::user},
};

bool has_controls(std::string_view s) {
  return std::any_of(s.begin(), s.end(),
                     [](char c) { return static_cast<uint8_t>(c) < ' ' || c == 0x7f; });
}

bool take(const Value& v, std::string& out) {
  if (!v.is_string()) return false;
  out = v.as_string();
  return true;
}
bool take(const Value& v, Texts& out) {
  if (!v.is_list()) return false;
  for (const Value& item : v.items()) {
    if (!take(item, out.emplace_back()) || has_controls(out.back())) return false;
  }
  return true;
}
bool take(const Value& v, TextMap& out) {
  if (!v.is_map() || !v.as_map()) return false;
  for (const auto& [key, item] : *v.as_map()) {
    std::string& text = out[std::string(key.view())];
    if (!take(item, text) || has_controls(key.view()) || has_controls(text)) return false;
  }
  return true;
}
bool take(const Value& v, int64_t& out) {
  if (!v.is_int()) return false;
  out = v.as_int();
  return true;
}
bool take(const Value& v, bool& out) {
  if (!v.is(value::Type::kBool)) return false;
  out = v.as_bool();
  return true;
}

Error bad(std::string text) { return Error(Code::kInvalidArgument, std::move(text)); }

Status check_certificate(const SinkOptions& o) {
  if (!o.certificate.empty() && o.certificate.find("-----BEGIN CERTIFICATE-----") == std::string::npos) {
    return bad("certificate: is no PEM certificate");
  }
  if (!o.key.empty() && o.key.find("PRIVATE KEY-----") == std::string::npos) {
    return bad("key: is no PEM private key");
  }
  return o.key.empty() || !o.certificate.empty() ? ok() : bad("certificate: is missing beside key");
}

}  // namespace

Result<SinkOptions> read_options(const Subscription& s,
                                 std::initializer_list<std::string_view> keys) {
  SinkOptions out;
  if (s.options.empty()) return out;
  auto read = json::read(s.options, {json::Numbers::kExact});
  if (!read) return bad(cat("the sink's options: ", read.error().text()));
  if (!read->is_map()) return bad("the sink's options are no object");
  if (!read->as_map()) return out;
  for (const auto& [name, v] : *read->as_map()) {
    const auto* key = std::find_if(std::begin(kKeys), std::end(kKeys),
                                   [&](const Key& k) { return k.name == name.view(); });
    if (key == std::end(kKeys) || std::find(keys.begin(), keys.end(), name.view()) == keys.end()) {
      return bad(cat("unknown key ", quote(name.view()), " of the sink ", s.sink_kind));
    }
    const bool fits = std::visit([&](auto member) { return take(v, out.*member); }, key->member);
    if (!fits) return bad(cat(name.view(), ": has the wrong type"));
  }
  if (out.timeout_ms < 0 || out.timeout_ms > 30'000)
    return bad("timeout_ms: must be at most 30000");
  if (!out.ca.empty() && out.ca.find("-----BEGIN CERTIFICATE-----") == std::string::npos) {
    return bad("ca: is no PEM certificate");
  }
  TRY(check_certificate(out));
  for (const std::string* text :
       {&out.content_type, &out.from, &out.user, &out.channel, &out.path}) {
    if (has_controls(*text)) return bad("a text holds control characters");
  }
  return out;
}

UrlSecret url_and_keys(const SinkOptions& options, std::string_view secret) {
  UrlSecret out{options.url, {}};
  std::string word;
  const auto end_word = [&] {
    if (word.empty()) return;
    if (out.url.empty() && out.keys.empty() && word.find("://") != std::string::npos) {
      out.url = std::move(word);
    } else {
      out.keys.push_back(std::move(word));
    }
    word.clear();
  };
  for (const char c : secret) {
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == ',') {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  return out;
}

Status check_url_option(std::string_view url) {
  if (url.empty()) return bad("url: is missing");
  // Whether this host is allowed is asked again at each attempt; here everything counts as allowed
  // that could be.
  const size_t scheme = url.find("://");
  std::string_view host = scheme == url.npos ? "" : url.substr(scheme + 3);
  host = host.substr(0, host.find_first_of("/?#"));
  GuardOptions any;
  any.allow = {std::string(host)};
  if (auto form = check_url_form(url, any); !form) return bad(cat("url: ", form.error().text()));
  return ok();
}

Status check_tls_options(const SinkOptions& o) {
  if (o.certificate.empty()) return ok();
  if (o.key.empty()) return bad("key: is missing beside certificate");
  http::Options options;
  options.tls.ca_pem = o.ca;
  options.tls.certificate_pem = o.certificate;
  options.tls.key_pem = o.key;
  const auto client = http::Client::make(std::move(options));
  if (!client) return bad(cat("certificate: ", client.error().text()));
  const auto pair = crypt::check_certificate(o.certificate, o.key);
  return pair ? ok() : bad(cat("key: ", pair.error().text()));
}

Result<Route> route_to(std::string_view sink, std::string_view url, const SinkOptions& options,
                       size_t merge) {
  if (url.empty()) return bad("url: is missing");
  Route route;
  route.key = cat(sink, " ", url);
  route.url = url;
  route.tls.ca_pem = options.ca;
  route.tls.certificate_pem = options.certificate;
  route.tls.key_pem = options.key;
  route.timeout_ms = options.timeout_ms;
  route.merge = merge;
  return route;
}

Status check_format(std::string_view format, std::initializer_list<std::string_view> known) {
  if (format.empty() || std::find(known.begin(), known.end(), format) != known.end()) return ok();
  return bad(cat("format: ", quote(format), " is none of ",
                 join(std::span<const std::string_view>(known.begin(), known.size()), ", ")));
}

}  // namespace pintle::lookout
