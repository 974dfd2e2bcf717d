// IP addresses and networks as bytes, for the guard. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pintle::lookout {

// An IPv4 address is held as ::ffff:a.b.c.d, so that one form serves both.
struct Ip {
  std::array<uint8_t, 16> bytes{};
  bool v4() const;
  std::string text() const;  // "10.0.0.1", "2001:db8::1"
};

// "10.0.0.1" and "2001:db8::1", no zone.
std::optional<Ip> parse_address(std::string_view text);
// A host as programs that take old forms read it: "0x7f.1", "017700000001", "2130706433".
// nullopt: it is a name. `broken` is set when it looks like a number but is no address.
std::optional<Ip> parse_numeric_host(std::string_view host, bool* broken);

struct IpRange {
  Ip base;
  int bits = 128;  // of the 128
  bool contains(const Ip& ip) const;
};
// "10.0.0.0/8", "fc00::/7", and a bare address.
std::optional<IpRange> parse_range(std::string_view text);

// The IPv4 address inside a mapped, compatible or translated (NAT64, 6to4) IPv6 one.
std::optional<Ip> embedded_v4(const Ip& ip);
// The denied range an address lies in ("10.0.0.0/8"), also by what is embedded in it; "": none.
std::string_view denied_range(const Ip& ip);

}  // namespace pintle::lookout
