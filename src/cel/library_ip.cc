// Addresses and networks, as net/netip has them.
#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

#include "base/gotext.h"
#include "base/strings.h"
#include "base/url.h"
#include "cel/function.h"
#include "cel/things.h"

namespace pintle::cel {
namespace {

using Args = std::span<const Val>;

int bits_of(const IpThing& ip) { return ip.v4 ? 32 : 128; }

// netip.ParseAddr.
Result<IpThing> parse_address(std::string_view s, bool* zone) {
  const IpAddress read = TRY(parse_ip(s));
  *zone = read.zone;
  IpThing out;
  out.v4 = read.v4;
  out.prefix = bits_of(out);
  inet_pton(read.v4 ? AF_INET : AF_INET6, std::string(s.substr(0, s.find('%'))).c_str(), out.bytes.data());
  return out;
}

bool is_mapped(const IpThing& ip) {
  constexpr uint8_t kMapped[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return !ip.v4 && std::memcmp(ip.bytes.data(), kMapped, sizeof kMapped) == 0;
}
Error mapped(std::string_view s) { return Error(cat("IPv4-mapped IPv6 address ", quote(s), " is not allowed")); }

Result<IpThing> read_ip(std::string_view s) {
  bool zone = false;
  auto ip = parse_address(s, &zone);
  if (!ip) return Error(cat("IP Address ", quote(s), " parse error during conversion from string: ", ip.error().text()));
  if (zone) return Error(cat("IP address ", quote(s), " with zone value is not allowed"));
  if (is_mapped(*ip)) return mapped(s);
  return ip;
}

// netip.ParsePrefix.
Result<IpThing> read_prefix(std::string_view s) {
  auto refuse = [&](std::string_view why) { return Error(cat("netip.ParsePrefix(", quote(s), "): ", why)); };
  const size_t slash = s.rfind('/');
  if (slash == std::string_view::npos) return refuse("no '/'");
  bool zone = false;
  auto ip = parse_address(s.substr(0, slash), &zone);
  if (!ip) return refuse(ip.error().text());
  if (zone) return refuse("IPv6 zones cannot be present in a prefix");
  const std::string_view bits = s.substr(slash + 1);
  ParseError error = ParseError::kNone;
  const int64_t n = parse_int(bits, 10, 64, &error);
  const bool odd = bits.size() > 1 && (bits[0] < '1' || bits[0] > '9');
  if (odd || error != ParseError::kNone) return refuse(cat("bad bits after slash: ", quote(bits)));
  if (n < 0 || n > bits_of(*ip)) return refuse("prefix length out of range");
  ip->prefix = static_cast<int>(n);
  return ip;
}
Result<IpThing> read_cidr(std::string_view s) {
  auto net = read_prefix(s);
  if (!net) return Error(cat("network address parse error during conversion from string: ", net.error().text()));
  if (is_mapped(*net)) return mapped(s);
  return net;
}

Val made(Arena& a, Kind kind, const IpThing& ip) { return Val::of(kind, a.keep(ip)); }
const IpThing& ip_of(const Val& v) { return thing<IpThing>(v); }

Val to_ip(Arena& a, Args v) {
  auto ip = read_ip(v[0].view());
  return ip ? made(a, Kind::kIp, *ip) : a.error(ip.error().text());
}
Val is_ip(Arena&, Args v) { return Val::boolean(read_ip(v[0].view()).has_value()); }
Val is_canonical(Arena& a, Args v) {
  auto ip = read_ip(v[0].view());
  return ip ? Val::boolean(address_text(*ip) == v[0].view()) : a.error(ip.error().text());
}
Val to_cidr(Arena& a, Args v) {
  auto net = read_cidr(v[0].view());
  return net ? made(a, Kind::kCidr, *net)
             : a.error(cat("network address parse error during conversion from string: ", net.error().text()));
}
Val is_cidr(Arena&, Args v) { return Val::boolean(read_cidr(v[0].view()).has_value()); }

Val family(Arena&, Args v) { return Val::integer(ip_of(v[0]).v4 ? 4 : 6); }

bool all_zero(const IpThing& ip) {
  return std::all_of(ip.bytes.begin(), ip.bytes.end(), [](uint8_t b) { return b == 0; });
}
bool unspecified(const IpThing& ip) { return all_zero(ip); }
bool loopback(const IpThing& ip) {
  if (ip.v4) return ip.bytes[0] == 127;
  IpThing one = ip;
  one.bytes[15] ^= 1;
  return all_zero(one);
}
bool multicast(const IpThing& ip) { return ip.v4 ? (ip.bytes[0] & 0xf0) == 0xe0 : ip.bytes[0] == 0xff; }
bool link_local_multicast(const IpThing& ip) {
  if (ip.v4) return ip.bytes[0] == 224 && ip.bytes[1] == 0 && ip.bytes[2] == 0;
  return ip.bytes[0] == 0xff && (ip.bytes[1] & 0x0f) == 2;
}
bool link_local_unicast(const IpThing& ip) {
  if (ip.v4) return ip.bytes[0] == 169 && ip.bytes[1] == 254;
  return ip.bytes[0] == 0xfe && (ip.bytes[1] & 0xc0) == 0x80;
}
bool global_unicast(const IpThing& ip) {
  const bool broadcast = ip.v4 && std::all_of(ip.bytes.begin(), ip.bytes.begin() + 4, [](uint8_t b) { return b == 255; });
  return !broadcast && !unspecified(ip) && !loopback(ip) && !multicast(ip) && !link_local_unicast(ip);
}
template <bool (*Holds)(const IpThing&)>
Val holds(Arena&, Args v) {
  return Val::boolean(Holds(ip_of(v[0])));
}

IpThing masked_to(IpThing ip, int prefix) {
  for (int i = 0; i < 16; ++i) {
    const int keep = std::clamp(prefix - 8 * i, 0, 8);
    ip.bytes[static_cast<size_t>(i)] &= static_cast<uint8_t>(0xff00 >> keep);
  }
  return ip;
}
bool covers(const IpThing& net, const IpThing& ip) {
  return net.v4 == ip.v4 && masked_to(net, net.prefix).bytes == masked_to(ip, net.prefix).bytes;
}
Val contains_ip(Arena&, Args v) { return Val::boolean(covers(ip_of(v[0]), ip_of(v[1]))); }
Val contains_ip_text(Arena& a, Args v) {
  auto ip = read_ip(v[1].view());
  return ip ? Val::boolean(covers(ip_of(v[0]), *ip)) : a.error("no such overload");
}
Val contains_cidr(Arena&, Args v) {
  const IpThing &outer = ip_of(v[0]), &inner = ip_of(v[1]);
  return Val::boolean(outer.prefix <= inner.prefix && covers(outer, inner));
}
Val contains_cidr_text(Arena& a, Args v) {
  const Val inner = to_cidr(a, v.subspan(1));
  const Val both[] = {v[0], inner};
  return inner.is_error() ? inner : contains_cidr(a, both);
}
Val address(Arena& a, Args v) {
  IpThing ip = ip_of(v[0]);
  ip.prefix = bits_of(ip);
  return made(a, Kind::kIp, ip);
}
Val prefix_length(Arena&, Args v) { return Val::integer(ip_of(v[0]).prefix); }
Val masked(Arena& a, Args v) { return made(a, Kind::kCidr, masked_to(ip_of(v[0]), ip_of(v[0]).prefix)); }

constexpr Row kRows[] = {
    {"ip", "string -> net.IP", to_ip, Cost::kText},
    {"ip", "net.CIDR.() -> net.IP", address},
    {"isIP", "string -> bool", is_ip, Cost::kText},
    {"ip.isCanonical", "string -> bool", is_canonical, Cost::kTwiceText},
    {"family", "net.IP.() -> int", family},
    {"isUnspecified", "net.IP.() -> bool", holds<unspecified>},
    {"isLoopback", "net.IP.() -> bool", holds<loopback>},
    {"isLinkLocalMulticast", "net.IP.() -> bool", holds<link_local_multicast>},
    {"isLinkLocalUnicast", "net.IP.() -> bool", holds<link_local_unicast>},
    {"isGlobalUnicast", "net.IP.() -> bool", holds<global_unicast>},
    {"cidr", "string -> net.CIDR", to_cidr, Cost::kText},
    {"isCIDR", "string -> bool", is_cidr, Cost::kText},
    {"containsIP", "net.CIDR.(string) -> bool", contains_ip_text, Cost::kCidr},
    {"containsIP", "net.CIDR.(net.IP) -> bool", contains_ip, Cost::kCidr},
    {"containsCIDR", "net.CIDR.(string) -> bool", contains_cidr_text, Cost::kCidr},
    {"containsCIDR", "net.CIDR.(net.CIDR) -> bool", contains_cidr, Cost::kCidr},
    {"prefixLength", "net.CIDR.() -> int", prefix_length},
    {"masked", "net.CIDR.() -> net.CIDR", masked},
};

}  // namespace

std::span<const Row> ip_rows() { return kRows; }

// netip.Addr's String: the longest run of zero groups, of two at least, becomes "::".
std::string address_text(const IpThing& ip) {
  const auto& b = ip.bytes;
  if (ip.v4) return cat(b[0], ".", b[1], ".", b[2], ".", b[3]);
  auto group = [&](size_t i) { return b[2 * i] * 256 + b[2 * i + 1]; };
  size_t from = 8, length = 1;
  for (size_t i = 0; i < 8; ++i) {
    size_t n = 0;
    while (i + n < 8 && group(i + n) == 0) ++n;
    if (n > length) from = i, length = n;
  }
  std::string out;
  for (size_t i = 0; i < 8; ++i) {
    if (i == from) {
      out += "::";
      i += length - 1;
      continue;
    }
    char hex[8];
    const auto end = std::to_chars(hex, hex + sizeof hex, group(i), 16).ptr;
    if (!out.empty() && !out.ends_with(':')) out += ':';
    out.append(hex, end);
  }
  return out;
}

}  // namespace pintle::cel
