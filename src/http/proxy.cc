#include "http/proxy.h"

#include <arpa/inet.h>

#include <array>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/gotext.h"
#include "base/strings.h"
#include "base/url.h"

namespace pintle::http {
namespace {

std::string first_of(const sys::Environ& environ, const char* upper, const char* lower) {
  std::string v = environ.get(upper);
  return v.empty() ? environ.get(lower) : v;
}

struct Address {
  std::array<uint8_t, 16> bytes{};
  size_t size = 0;
};

std::optional<Address> address(const std::string& text) {
  Address a;
  if (inet_pton(AF_INET, text.c_str(), a.bytes.data()) == 1) {
    a.size = 4;
  } else if (inet_pton(AF_INET6, text.c_str(), a.bytes.data()) == 1) {
    a.size = 16;
  } else {
    return std::nullopt;
  }
  return a;
}

bool loopback(const Address& a) {
  if (a.size == 4) return a.bytes[0] == 127;
  Address one;
  one.bytes[15] = 1;
  return a.bytes == one.bytes;
}

bool in_network(const Address& a, std::string_view cidr) {
  const size_t slash = cidr.find('/');
  if (slash == std::string_view::npos) return false;
  const auto base = address(std::string(cidr.substr(0, slash)));
  size_t bits = 0;
  const auto number = cidr.substr(slash + 1);
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), bits);
  if (!base || base->size != a.size || parsed.ec != std::errc() || bits > a.size * 8) return false;
  for (size_t i = 0; i < bits; ++i) {
    if (((a.bytes[i / 8] ^ base->bytes[i / 8]) >> (7 - i % 8)) & 1) return false;
  }
  return true;
}

bool direct(const Url& url, std::string_view no_proxy) {
  const std::string host = to_lower(url.hostname());
  const size_t colon = url.host.rfind(':');
  const bool has_port = colon != std::string::npos && url.host.find(']', colon) == std::string::npos;
  const std::string port =
      has_port ? url.host.substr(colon + 1) : (url.scheme == "https" ? "443" : "80");
  if (host == "localhost") return true;
  const auto ip = address(host);
  if (ip && loopback(*ip)) return true;
  for (std::string_view raw : split(no_proxy, ",")) {
    std::string rule = to_lower(trim_space(raw));
    if (rule.empty()) continue;
    if (rule == "*") return true;
    if (ip && in_network(*ip, rule)) return true;
    if (const size_t at = rule.rfind(':'); at != std::string::npos && !address(rule)) {
      if (rule.substr(at + 1) != port) continue;
      rule.resize(at);
    }
    if (ip) {
      const auto wanted = address(rule);
      if (wanted && wanted->size == ip->size && wanted->bytes == ip->bytes) return true;
      continue;
    }
    if (rule.starts_with("*.")) rule.erase(0, 1);
    if (rule.starts_with(".")) {
      if (host.ends_with(rule)) return true;
    } else if (host == rule || host.ends_with("." + rule)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string proxy_for(const std::string& url, const sys::Environ& environ) {
  const auto parsed = parse_url(url);
  if (!parsed) return "";
  std::string proxy = parsed->scheme == "https" ? first_of(environ, "HTTPS_PROXY", "https_proxy")
                                                : first_of(environ, "HTTP_PROXY", "http_proxy");
  if (proxy.empty() || direct(*parsed, first_of(environ, "NO_PROXY", "no_proxy"))) return "";
  return proxy;
}

}  // namespace pintle::http
