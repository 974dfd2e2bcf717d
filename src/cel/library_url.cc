// url and isURL: absolute URLs and rooted paths, as url.ParseRequestURI takes them.
#include <map>

#include "base/gotext.h"
#include "base/strings.h"
#include "cel/function.h"
#include "cel/request_uri.h"
#include "cel/things.h"

namespace pintle::cel {
namespace {

using Args = std::span<const Val>;

Val to_url(Arena& a, Args v) {
  auto url = request_uri(v[0].view());
  if (!url) return a.error(cat("URL parse error during conversion from string: ", url.error().text()));
  UrlThing out;
  out.url = std::move(*url);
  return Val::of(Kind::kUrl, a.keep(std::move(out)));
}
Val is_url(Arena&, Args v) { return Val::boolean(request_uri(v[0].view()).has_value()); }

const Url& url_of(Args v) { return thing<UrlThing>(v[0]).url; }

Val scheme(Arena&, Args v) { return Val::text(url_of(v).scheme); }
Val host(Arena&, Args v) { return Val::text(url_of(v).host); }
Val hostname(Arena& a, Args v) { return a.copy(url_of(v).hostname()); }
Val port(Arena&, Args v) {
  const std::string_view host = url_of(v).host;
  const size_t colon = host.rfind(':');
  if (colon == std::string_view::npos || host.find(']', colon) != std::string_view::npos) return Val::text("");
  return Val::text(host.substr(colon + 1));
}
Val escaped_path(Arena& a, Args v) {
  const Url& url = url_of(v);
  Url only;
  only.path = url.path;
  only.raw_path = url.raw_path;
  return a.copy(only.text());
}

Val query(Arena& a, Args v) {
  std::map<std::string, std::vector<Val>> values;
  auto decoded = [](std::string_view s) { return path_unescape(replace_all(s, "+", " ")); };
  for (std::string_view pair : split(url_of(v).raw_query, "&")) {
    if (pair.empty() || pair.find(';') != std::string_view::npos) continue;
    const size_t equals = pair.find('=');
    auto key = decoded(pair.substr(0, equals));
    auto value = decoded(equals == std::string_view::npos ? "" : pair.substr(equals + 1));
    if (key && value) values[*key].push_back(a.copy(*value));
  }
  auto* out = a.array<Map::Entry>(values.size());
  size_t n = 0;
  for (auto& [key, list] : values) out[n++] = {a.copy(key), a.list(list)};
  return Val::of(a.make(Map{.entries = out, .size = n}));
}

constexpr Row kRows[] = {
    {"url", "string -> kubernetes.URL", to_url, Cost::kText},
    {"isURL", "string -> bool", is_url},
    {"getScheme", "kubernetes.URL.() -> string", scheme},
    {"getHost", "kubernetes.URL.() -> string", host},
    {"getHostname", "kubernetes.URL.() -> string", hostname},
    {"getPort", "kubernetes.URL.() -> string", port},
    {"getEscapedPath", "kubernetes.URL.() -> string", escaped_path},
    {"getQuery", "kubernetes.URL.() -> map(string, list(string))", query},
};

}  // namespace

Result<Url> request_uri(std::string_view s) {
  auto refuse = [&](std::string_view why) { return Error(cat("parse ", quote(s), ": ", why)); };
  if (s.empty()) return refuse("empty url");
  const size_t scheme = s.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
  const bool absolute = scheme != std::string_view::npos && scheme > 0 && s[scheme] == ':';
  if (!absolute && !s.starts_with('/') && s != "*") return refuse("invalid URI for request");
  return parse_url(s);
}

std::span<const Row> url_rows() { return kRows; }

}  // namespace pintle::cel
