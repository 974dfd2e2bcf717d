#include "base/url.h"

#include <algorithm>
#include <array>

#include "base/gotext.h"

namespace pintle {
namespace {

// The parts of a URL that differ in which bytes they let stand unescaped.
enum class Part : uint8_t { kPath, kPathSegment, kHost, kZone, kUserinfo, kFragment };

bool alnum(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool contains(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

bool must_escape(char c, Part part) {
  if (alnum(static_cast<unsigned char>(c)) || contains("-_.~", c)) return false;
  switch (part) {
    case Part::kPath: return !contains("$&+,/:;=@", c);
    case Part::kPathSegment: return !contains("$&+:=@", c);
    case Part::kUserinfo: return !contains("$&+,;=", c);
    case Part::kFragment: return !contains("$&+,/:;=?@!()*", c);
    case Part::kHost:
    case Part::kZone: return !contains("!$&'()*+,;=:[]<>\"", c);
  }
  return true;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Error bad_escape(std::string_view s) {
  return Error("invalid URL escape " + quote(s.substr(0, 3)));
}

Result<std::string> unescape(std::string_view s, Part part) {
  std::string out;
  out.reserve(s.size());
  const bool hostlike = part == Part::kHost || part == Part::kZone;
  for (size_t i = 0; i < s.size(); ++i) {
    const char c = s[i];
    if (c != '%') {
      if (hostlike && static_cast<unsigned char>(c) < 0x80 && must_escape(c, part)) {
        return Error("invalid character " + quote(s.substr(i, 1)) + " in host name");
      }
      out += c;
      continue;
    }
    const int hi = i + 2 < s.size() ? hex_digit(s[i + 1]) : -1;
    const int lo = i + 2 < s.size() ? hex_digit(s[i + 2]) : -1;
    if (hi < 0 || lo < 0) return bad_escape(s.substr(i));
    const char byte = static_cast<char>(hi << 4 | lo);
    const bool percent = s.substr(i, 3) == "%25";
    // A host may escape non-ASCII bytes only; a zone also what a host could spell plainly.
    if (part == Part::kHost && hi < 8 && !percent) return bad_escape(s.substr(i));
    if (part == Part::kZone && !percent && byte != ' ' && must_escape(byte, Part::kHost)) {
      return bad_escape(s.substr(i));
    }
    out += byte;
    i += 2;
  }
  return out;
}

std::string escape(std::string_view s, Part part) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(s.size());
  for (const char c : s) {
    if (!must_escape(c, part)) {
      out += c;
      continue;
    }
    out += '%';
    out += kHex[static_cast<unsigned char>(c) >> 4];
    out += kHex[c & 15];
  }
  return out;
}

bool valid_port(std::string_view port) {
  if (port.empty()) return true;
  return port[0] == ':' && std::all_of(port.begin() + 1, port.end(),
                                       [](char c) { return c >= '0' && c <= '9'; });
}

Error bad_port(std::string_view port) {
  return Error("invalid port " + quote(port) + " after host");
}

Result<std::string> parse_bracketed_host(std::string_view host) {
  const size_t close = host.rfind(']');
  if (close == std::string_view::npos) return Error("missing ']' in host");
  const std::string_view port = host.substr(close + 1);
  if (!valid_port(port)) return bad_port(port);
  const std::string_view name = host.substr(1, close - 1);
  const size_t zone = name.find("%25");
  std::string plain = TRY(unescape(name.substr(0, zone), Part::kHost));
  if (zone != std::string_view::npos) plain += TRY(unescape(name.substr(zone), Part::kZone));
  auto ip = parse_ip(plain);
  if (!ip) return Error("invalid host: " + ip.error().text());
  if (ip->v4) return Error("invalid IP-literal");
  return "[" + plain + "]" + std::string(port);
}

Result<std::string> parse_host(std::string_view scheme, std::string_view host) {
  const size_t open = host.rfind('[');
  if (open == 0) return parse_bracketed_host(host);
  if (open != std::string_view::npos) return Error("invalid IP-literal");
  size_t colon = host.find(':');
  if (colon != std::string_view::npos) {
    if (scheme != "http" && scheme != "https") colon = host.rfind(':');
    if (!valid_port(host.substr(colon))) return bad_port(host.substr(colon));
  }
  return unescape(host, Part::kHost);
}

bool valid_userinfo(std::string_view s) {
  return std::all_of(s.begin(), s.end(), [](char c) {
    return alnum(static_cast<unsigned char>(c)) || contains("-._:~!$&'()*+,;=%@", c);
  });
}

Status parse_authority(Url& url, std::string_view authority) {
  const size_t at = authority.rfind('@');
  url.host = TRY(parse_host(
      url.scheme, at == std::string_view::npos ? authority : authority.substr(at + 1)));
  if (at == std::string_view::npos) return ok();
  const std::string_view info = authority.substr(0, at);
  if (!valid_userinfo(info)) return Error("net/url: invalid userinfo");
  const size_t colon = info.find(':');
  url.userinfo = escape(TRY(unescape(info.substr(0, colon), Part::kUserinfo)), Part::kUserinfo);
  if (colon != std::string_view::npos) {
    const auto password = TRY(unescape(info.substr(colon + 1), Part::kUserinfo));
    *url.userinfo += ":" + escape(password, Part::kUserinfo);
  }
  return ok();
}

// A decoded part and, when its usual encoding is another, the text it came from.
Status set_encoded(std::string_view text, Part part, std::string& plain, std::string& raw) {
  plain = TRY(unescape(text, part));
  raw = escape(plain, part) == text ? "" : std::string(text);
  return ok();
}

bool valid_encoded(std::string_view s, Part part) {
  return std::all_of(s.begin(), s.end(), [part](char c) {
    return contains("!$&'()*+,;=:@[]%", c) || !must_escape(c, part);
  });
}

std::string encoded(const std::string& plain, const std::string& raw, Part part) {
  if (!raw.empty() && valid_encoded(raw, part)) {
    auto decoded = unescape(raw, part);
    if (decoded && *decoded == plain) return raw;
  }
  return escape(plain, part);
}

std::string escaped_path(const Url& url) {
  if (url.path == "*" && url.raw_path.empty()) return "*";
  return encoded(url.path, url.raw_path, Part::kPath);
}

// The scheme before ':', if the text has one; `rest` is what follows.
Result<std::string> cut_scheme(std::string_view text, std::string_view* rest) {
  *rest = text;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) continue;
    if ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.') {
      if (i == 0) return std::string();
      continue;
    }
    if (c != ':') return std::string();
    if (i == 0) return Error("missing protocol scheme");
    *rest = text.substr(i + 1);
    std::string scheme(text.substr(0, i));
    for (char& s : scheme) s = s >= 'A' && s <= 'Z' ? static_cast<char>(s + 32) : s;
    return scheme;
  }
  return std::string();
}

Result<Url> parse_without_fragment(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) {
      return Error("net/url: invalid control character in URL");
    }
  }
  Url url;
  if (text == "*") {
    url.path = "*";
    return url;
  }
  std::string_view rest;
  url.scheme = TRY(cut_scheme(text, &rest));
  const size_t question = rest.find('?');
  if (question != std::string_view::npos) {
    url.force_query = question + 1 == rest.size();
    url.raw_query = rest.substr(question + 1);
    rest = rest.substr(0, question);
  }
  if (!rest.starts_with('/')) {
    if (!url.scheme.empty()) {
      url.opaque = rest;
      return url;
    }
    if (rest.substr(0, rest.find('/')).find(':') != std::string_view::npos) {
      return Error("first path segment in URL cannot contain colon");
    }
  }
  if ((!url.scheme.empty() || !rest.starts_with("///")) && rest.starts_with("//")) {
    const std::string_view after = rest.substr(2);
    const size_t slash = std::min(after.find('/'), after.size());
    TRY(parse_authority(url, after.substr(0, slash)));
    rest = after.substr(slash);
  } else if (!url.scheme.empty() && rest.starts_with('/')) {
    url.omit_host = true;
  }
  TRY(set_encoded(rest, Part::kPath, url.path, url.raw_path));
  return url;
}

// RFC 3986 5.2.4, on an encoded path.
std::string merge_paths(std::string_view base, std::string_view ref) {
  std::string full;
  if (ref.empty()) {
    full = base;
  } else if (ref[0] != '/') {
    full = std::string(base.substr(0, base.rfind('/') + 1)) + std::string(ref);
  } else {
    full = ref;
  }
  if (full.empty()) return "";
  std::string out = "/";
  std::string_view rest = full;
  std::string_view element;
  bool first = true;
  for (bool more = true; more;) {
    const size_t slash = rest.find('/');
    more = slash != std::string_view::npos;
    element = rest.substr(0, slash);
    rest = more ? rest.substr(slash + 1) : std::string_view();
    if (element == ".") {
      first = false;
    } else if (element == "..") {
      const size_t last = out.rfind('/');
      out.resize(last > 0 ? last : 1);
      first = out.size() == 1;
    } else {
      if (!first) out += '/';
      out += element;
      first = false;
    }
  }
  if (element == "." || element == "..") out += '/';
  return out.size() > 1 && out[1] == '/' ? out.substr(1) : out;
}

}  // namespace

std::string Url::hostname() const {
  std::string_view h = host;
  const size_t colon = h.rfind(':');
  if (colon != std::string_view::npos && valid_port(h.substr(colon))) h = h.substr(0, colon);
  if (h.starts_with('[') && h.ends_with(']')) h = h.substr(1, h.size() - 2);
  return std::string(h);
}

std::string Url::text() const {
  std::string out;
  if (!scheme.empty()) out = scheme + ":";
  if (!opaque.empty()) {
    out += opaque;
  } else {
    const bool authority = !host.empty() || userinfo.has_value();
    if (authority || (!scheme.empty() && !omit_host && !path.empty())) out += "//";
    if (userinfo) out += *userinfo + "@";
    out += escape(host, Part::kHost);
    const std::string p = escaped_path(*this);
    if (!p.empty() && p[0] != '/' && !host.empty()) out += '/';
    if (out.empty() && p.substr(0, p.find('/')).find(':') != std::string::npos) out += "./";
    out += p;
  }
  if (force_query || !raw_query.empty()) out += "?" + raw_query;
  if (!fragment.empty()) out += "#" + encoded(fragment, raw_fragment, Part::kFragment);
  return out;
}

Result<Url> parse_url(std::string_view text) {
  const size_t hash = text.find('#');
  const std::string_view head = text.substr(0, hash);
  auto url = parse_without_fragment(head);
  if (!url) return Error("parse " + quote(head) + ": " + url.error().text());
  if (hash != std::string_view::npos) {
    Status set = set_encoded(text.substr(hash + 1), Part::kFragment, url->fragment,
                             url->raw_fragment);
    if (!set) return Error("parse " + quote(text) + ": " + set.error().text());
  }
  return url;
}

Url resolve_url(const Url& base, const Url& ref) {
  Url url = ref;
  if (ref.scheme.empty()) url.scheme = base.scheme;
  std::string path;
  if (!ref.scheme.empty() || !ref.host.empty() || ref.userinfo) {
    path = merge_paths(escaped_path(ref), "");
  } else {
    if (ref.path.empty() && !ref.force_query && ref.raw_query.empty()) {
      url.raw_query = base.raw_query;
      if (ref.fragment.empty()) {
        url.fragment = base.fragment;
        url.raw_fragment = base.raw_fragment;
      }
    }
    if (ref.path.empty() && !base.opaque.empty()) {
      url.opaque = base.opaque;
      url.userinfo.reset();
      url.host.clear();
      url.path.clear();
      return url;
    }
    url.host = base.host;
    url.userinfo = base.userinfo;
    path = merge_paths(escaped_path(base), escaped_path(ref));
  }
  // Cannot fail: both parts were encoded already.
  if (!set_encoded(path, Part::kPath, url.path, url.raw_path)) url.path.clear();
  return url;
}

Result<std::string> path_unescape(std::string_view s) { return unescape(s, Part::kPathSegment); }

std::string escape_pointer(std::string_view pointer) {
  std::string out;
  for (size_t begin = 0;;) {
    const size_t slash = pointer.find('/', begin);
    out += escape(pointer.substr(begin, slash - begin), Part::kPathSegment);
    if (slash == std::string_view::npos) return out;
    out += '/';
    begin = slash + 1;
  }
}

std::string query_escape(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const unsigned char c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
        c == '_' || c == '.' || c == '~') {
      out += static_cast<char>(c);
    } else if (c == ' ') {
      out += '+';
    } else {
      out += '%';
      out += kHex[c >> 4];
      out += kHex[c & 15];
    }
  }
  return out;
}

}  // namespace pintle
