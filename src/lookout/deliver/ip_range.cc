#include "lookout/deliver/ip_range.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/strings.h"

namespace pintle::lookout {
namespace {

constexpr int kV4Bits = 96;  // before an IPv4 address in its mapped form

Ip from_v4(uint32_t host_order) {
  Ip ip;
  ip.bytes[10] = ip.bytes[11] = 0xff;
  for (int i = 0; i < 4; ++i) ip.bytes[12 + i] = static_cast<uint8_t>(host_order >> (24 - 8 * i));
  return ip;
}

Ip v4_at(const Ip& ip, size_t at) {
  Ip out = from_v4(0);
  std::copy_n(ip.bytes.begin() + static_cast<ptrdiff_t>(at), 4, out.bytes.begin() + 12);
  return out;
}

// What no receiver on the internet has. 0/8 and its like are written as IPv4; the IPv6 rows do not
// hold IPv4 addresses (those are looked at by what is embedded).
constexpr std::string_view kDenied[] = {
    "0.0.0.0/8",     "10.0.0.0/8",   "100.64.0.0/10",  "127.0.0.0/8",    "169.254.0.0/16",
    "172.16.0.0/12", "192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15",  "224.0.0.0/4",
    "240.0.0.0/4",   "::/128",       "::1/128",        "64:ff9b:1::/48", "fc00::/7",
    "fe80::/10",     "fec0::/10",    "ff00::/8",
};

struct NamedRange {
  std::string_view name;
  IpRange range;
};
const std::vector<NamedRange>& denied() {
  static const auto ranges = [] {
    std::vector<NamedRange> out;
    for (std::string_view text : kDenied) out.push_back({text, *parse_range(text)});
    return out;
  }();
  return ranges;
}

// One part of an old IPv4 form: decimal, 0octal, 0xhex. nullopt: no number or too large.
std::optional<uint64_t> old_number(std::string_view s) {
  int base = 10;
  if (s.starts_with("0x") || s.starts_with("0X")) {
    base = 16;
    s.remove_prefix(2);
    if (s.empty()) return 0;
  } else if (s.size() > 1 && s[0] == '0') {
    base = 8;
    s.remove_prefix(1);
  }
  uint64_t n = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n, base);
  if (error != std::errc() || end != s.data() + s.size()) return std::nullopt;
  return n;
}

bool looks_numeric(std::string_view part) {
  if (part.empty()) return false;
  if (std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return true;
  return old_number(part).has_value();
}

}  // namespace

bool Ip::v4() const {
  return std::all_of(bytes.begin(), bytes.begin() + 10, [](uint8_t b) { return b == 0; }) &&
         bytes[10] == 0xff && bytes[11] == 0xff;
}

std::string Ip::text() const {
  char out[INET6_ADDRSTRLEN] = "";
  if (v4()) {
    ::inet_ntop(AF_INET, &bytes[12], out, sizeof out);
  } else {
    ::inet_ntop(AF_INET6, bytes.data(), out, sizeof out);
  }
  return out;
}

std::optional<Ip> parse_address(std::string_view text) {
  const std::string s(text);  // for its end
  if (s.find('\0') != std::string::npos) return std::nullopt;
  Ip ip = from_v4(0);
  if (::inet_pton(AF_INET, s.c_str(), &ip.bytes[12]) == 1) return ip;
  if (::inet_pton(AF_INET6, s.c_str(), ip.bytes.data()) == 1) return ip;
  return std::nullopt;
}

std::optional<Ip> parse_numeric_host(std::string_view host, bool* broken) {
  *broken = false;
  const auto parts = split(host, ".");
  if (!looks_numeric(parts.back())) return std::nullopt;
  *broken = true;
  if (parts.size() > 4) return std::nullopt;
  uint64_t address = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto n = parts[i].empty() ? std::nullopt : old_number(parts[i]);
    if (!n) return std::nullopt;
    const bool last = i + 1 == parts.size();
    const size_t bytes = last ? 5 - parts.size() : 1;  // the last part fills what is left
    if (*n >> (8 * bytes) != 0) return std::nullopt;
    address = (address << (8 * bytes)) | *n;
  }
  *broken = false;
  return from_v4(static_cast<uint32_t>(address));
}

bool IpRange::contains(const Ip& ip) const {
  for (int i = 0; i < 16; ++i) {
    const int take = std::clamp(bits - 8 * i, 0, 8);
    const auto mask = static_cast<uint8_t>(0xff << (8 - take));
    if ((base.bytes[i] & mask) != (ip.bytes[i] & mask)) return false;
  }
  return true;
}

std::optional<IpRange> parse_range(std::string_view text) {
  const size_t slash = text.find('/');
  const auto base = parse_address(text.substr(0, slash));
  if (!base) return std::nullopt;
  const bool v4 = text.substr(0, slash).find(':') == std::string_view::npos;
  IpRange range{*base, 128};
  if (slash == std::string_view::npos) return range;
  const std::string_view number = text.substr(slash + 1);
  int bits = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), bits);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  if (bits < 0 || bits > (v4 ? 32 : 128)) return std::nullopt;
  range.bits = v4 ? kV4Bits + bits : bits;
  return range;
}

namespace {

std::string_view row_of(const Ip& ip) {
  for (const auto& [name, range] : denied()) {
    if (range.contains(ip)) return name;
  }
  return "";
}

const IpRange& nat64() {
  static const IpRange range = *parse_range("64:ff9b::/96");
  return range;
}

}  // namespace

std::optional<Ip> embedded_v4(const Ip& ip) {
  static const IpRange kCompatible = *parse_range("::/96"),
                       kTranslated = *parse_range("::ffff:0:0:0/96"),
                       k6to4 = *parse_range("2002::/16");
  if (ip.v4()) return ip;
  if (kCompatible.contains(ip) || nat64().contains(ip) || kTranslated.contains(ip)) {
    return v4_at(ip, 12);
  }
  if (k6to4.contains(ip)) return v4_at(ip, 2);
  return std::nullopt;
}

std::string_view denied_range(const Ip& ip) {
  if (const auto row = row_of(ip); !row.empty() || ip.v4()) return row;
  if (const auto inner = embedded_v4(ip)) {
    if (const auto row = row_of(*inner); !row.empty()) return row;
  }
  static const IpRange kGlobal = *parse_range("2000::/3");
  return kGlobal.contains(ip) || nat64().contains(ip) ? "" : "::/0 outside 2000::/3";
}

}  // namespace pintle::lookout
