// IP addresses as Go's netip.ParseAddr takes and refuses them.
#include "base/gotext.h"
#include "schema/uri.h"

namespace pintle::schema {
namespace {

Error refuse(std::string_view in, std::string_view why, std::string_view at = {}) {
  std::string text = "ParseAddr(" + quote(in) + "): " + std::string(why);
  if (!at.empty()) text += " (at " + quote(at) + ")";
  return Error(std::move(text));
}

// The dotted quad in[off, end).
Status check_quad(std::string_view in, size_t off, size_t end) {
  const std::string_view s = in.substr(off, end - off);
  int value = 0;
  int digits = 0;
  int dots = 0;
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] >= '0' && s[i] <= '9') {
      if (digits == 1 && value == 0) return refuse(in, "IPv4 field has octet with leading zero");
      value = value * 10 + (s[i] - '0');
      ++digits;
      if (value > 255) return refuse(in, "IPv4 field has value >255");
    } else if (s[i] == '.') {
      if (i == 0 || i + 1 == s.size() || s[i - 1] == '.') {
        return refuse(in, "IPv4 field must have at least one digit", s.substr(i));
      }
      if (dots == 3) return refuse(in, "IPv4 address too long");
      ++dots;
      value = 0;
      digits = 0;
    } else {
      return refuse(in, "unexpected character", s.substr(i));
    }
  }
  if (dots < 3) return refuse(in, "IPv4 address too short");
  return ok();
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<IpAddress> parse_v6(std::string_view in) {
  IpAddress ip;
  std::string_view s = in;
  const size_t percent = s.find('%');
  if (percent != std::string_view::npos) {
    s = s.substr(0, percent);
    ip.zone = true;
    if (percent + 1 == in.size()) return refuse(in, "zone must be a non-empty string");
  }
  const size_t end = s.size();
  bool ellipsis = false;
  if (s.starts_with("::")) {
    ellipsis = true;
    s.remove_prefix(2);
    if (s.empty()) return ip;
  }
  int bytes = 0;
  while (bytes < 16) {
    size_t n = 0;
    for (; n < s.size() && hex_digit(s[n]) >= 0; ++n) {
      if (n > 3) return refuse(in, "each group must have 4 or less digits", s);
    }
    if (n == 0) return refuse(in, "each colon-separated field must have at least one digit", s);
    if (n < s.size() && s[n] == '.') {
      if (!ellipsis && bytes != 12) {
        return refuse(
            in, "embedded IPv4 address must replace the final 2 fields of the address", s);
      }
      if (bytes + 4 > 16) {
        return refuse(
            in, "too many hex fields to fit an embedded IPv4 at the end of the address", s);
      }
      TRY(check_quad(in, end - s.size(), end));
      s = {};
      bytes += 4;
      break;
    }
    bytes += 2;
    s.remove_prefix(n);
    if (s.empty()) break;
    if (s[0] != ':') return refuse(in, "unexpected character, want colon", s);
    if (s.size() == 1) return refuse(in, "colon must be followed by more characters", s);
    s.remove_prefix(1);
    if (s[0] == ':') {
      if (ellipsis) return refuse(in, "multiple :: in address", s);
      ellipsis = true;
      s.remove_prefix(1);
      if (s.empty()) break;
    }
  }
  if (!s.empty()) return refuse(in, "trailing garbage after address", s);
  if (bytes < 16 && !ellipsis) return refuse(in, "address string too short");
  if (bytes == 16 && ellipsis) {
    return refuse(in, "the :: must expand to at least one field of zeros");
  }
  return ip;
}

}  // namespace

Result<IpAddress> parse_ip(std::string_view s) {
  for (const char c : s) {
    if (c == '.') {
      TRY(check_quad(s, 0, s.size()));
      return IpAddress{.v4 = true};
    }
    if (c == ':') return parse_v6(s);
    if (c == '%') return refuse(s, "missing IPv6 address");
  }
  return refuse(s, "unable to parse IP");
}

}  // namespace pintle::schema
