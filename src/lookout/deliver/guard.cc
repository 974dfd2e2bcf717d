#include "lookout/deliver/guard.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>

#include "base/gotext.h"
#include "base/strings.h"
#include "lookout/deliver/ip_range.h"

namespace pintle::lookout {
namespace {

struct Scheme {
  std::string_view name;
  int port;
  bool plain;  // without encryption: only to hosts that are allowed by name
  bool mail;
};
constexpr Scheme kSchemes[] = {
    {"https", 443, false, false}, {"http", 80, true, false},   {"smtps", 465, false, true},
    {"smtp", 587, false, true},   {"nats", 4222, true, false}, {"kafka", 9092, true, false},
    {"kafkas", 9093, false, false}, {"tls", 4222, false, false},
};
constexpr int kMailPorts[] = {25, 465, 587};

Error refused(std::string text) { return Error(Code::kPermissionDenied, std::move(text)); }

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return out;
}

std::optional<int> port_number(std::string_view s) {
  int n = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
  const bool digits = !s.empty() && s[0] >= '0' && s[0] <= '9' && end == s.data() + s.size();
  if (error != std::errc() || !digits || n < 1 || n > 65535) return std::nullopt;
  return n;
}

// "host", "host:port", "[v6]:port"; port 0: none is given. A bare IPv6 address is a host.
struct HostPort {
  std::string host;
  int port = 0;
  bool bracketed = false;
};
std::optional<HostPort> split_host(std::string_view text) {
  HostPort out;
  std::string_view rest;
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    out.host = lower(text.substr(1, end - 1));
    out.bracketed = true;
    rest = text.substr(end + 1);
  } else {
    const size_t colon = text.find(':');
    out.host = lower(text.substr(0, colon));
    if (colon != std::string_view::npos) rest = text.substr(colon);
  }
  if (!rest.empty() && rest != ":") {
    const auto port = rest[0] == ':' ? port_number(rest.substr(1)) : std::nullopt;
    if (!port) return std::nullopt;
    out.port = *port;
  }
  return out;
}

// Letters, digits, '-', '_' and single dots between; at most 253 bytes.
Status check_name(std::string_view host) {
  if (host.empty()) return refused("the URL has no host");
  if (host.size() > 253) return refused("the host's name is too long");
  char before = '.';
  for (const char c : host) {
    if (static_cast<uint8_t>(c) >= 0x80) {
      return refused(cat("the host ", quote(host), " is not ASCII: write it in its ASCII form (xn--...)"));
    }
    const bool fine = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                      (c == '.' && before != '.');
    if (!fine) return refused(cat("the host ", quote(host), " is not a name"));
    before = c;
  }
  return ok();
}

constexpr size_t kMostAddresses = 8;  // that are tried; all are checked

bool is_network(std::string_view entry) { return entry.find('/') != std::string_view::npos; }

bool named(const GuardOptions& options, const std::string& host, int port) {
  return std::any_of(options.allow.begin(), options.allow.end(), [&](const std::string& entry) {
    if (is_network(entry)) return false;
    if (const auto bare = parse_address(entry)) return host == bare->text();
    auto e = split_host(entry);
    if (!e || (e->port != 0 && e->port != port)) return false;
    if (const auto address = parse_address(e->host)) return host == address->text();
    return host == without_suffix(e->host, ".");
  });
}

bool in_any(const std::vector<std::string>& entries, const Ip& ip) {
  const auto inner = embedded_v4(ip);
  return std::any_of(entries.begin(), entries.end(), [&](const std::string& entry) {
    const auto range = is_network(entry) ? parse_range(entry) : std::nullopt;
    return range && (range->contains(ip) || (inner && range->contains(*inner)));
  });
}

Status check_address(const std::string& host, const Ip& ip, const GuardOptions& options) {
  if (in_any(options.allow, ip)) return ok();
  const std::string text = ip.text();
  const std::string who = host == text ? text : cat(host, " (", text, ")");
  if (const auto range = denied_range(ip); !range.empty()) {
    return refused(cat("the address ", who, " lies in ", range, ", which is not allowed"));
  }
  if (in_any(options.deny, ip)) {
    return refused(cat("the address ", who, " lies in a network that the configuration denies"));
  }
  return ok();
}

Result<std::vector<std::string>> system_resolve(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* list = nullptr;
  if (const int code = ::getaddrinfo(host.c_str(), nullptr, &hints, &list); code != 0) {
    return Error(Code::kUnavailable, cat("lookup ", host, ": ", ::gai_strerror(code)));
  }
  std::vector<std::string> out;
  for (const addrinfo* a = list; a != nullptr; a = a->ai_next) {
    char text[NI_MAXHOST] = "";
    if (::getnameinfo(a->ai_addr, a->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) ==
        0) {
      out.emplace_back(text);
    }
  }
  ::freeaddrinfo(list);
  return out;
}

struct Form {
  Target target;
  bool named = false;  // allowed by name
};

Result<Form> check_form(std::string_view url, const GuardOptions& options) {
  // One reading of the URL, ours: what another reader might see otherwise is refused.
  if (url.size() > 8192) return refused("the URL is longer than 8192 bytes");
  for (const char c : url) {
    if (static_cast<uint8_t>(c) <= ' ' || c == 0x7f || c == '\\') {
      return refused("the URL holds a space, a control character or a backslash");
    }
  }
  const size_t at = url.find("://");
  if (at == std::string_view::npos) return refused("the URL has no scheme");
  const std::string name = lower(url.substr(0, at));
  const auto* scheme = std::find_if(std::begin(kSchemes), std::end(kSchemes),
                                    [&](const Scheme& s) { return s.name == name; });
  if (scheme == std::end(kSchemes))
    return refused(cat("the scheme ", quote(name), " is not https"));

  const std::string_view rest = url.substr(at + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  if (authority.find('@') != std::string_view::npos) return refused("the URL holds a user");
  const auto parts = split_host(authority);
  if (!parts) return refused("the URL's host or port cannot be read");

  Form form;
  Target& target = form.target;
  target.port = parts->port != 0 ? parts->port : scheme->port;
  target.host = without_suffix(parts->host, ".");
  bool broken = false;
  if (parts->bracketed) {
    const auto ip = parse_address(parts->host);
    if (!ip || parts->host.find(':') == std::string::npos) {
      return refused(cat("the host [", parts->host, "] is no IPv6 address"));
    }
    target.host = ip->text();
    target.addresses = {target.host};
  } else {
    TRY(check_name(target.host));
    if (const auto ip = parse_numeric_host(target.host, &broken)) {
      target.host = ip->text();
      target.addresses = {target.host};
    }
    if (broken) return refused(cat("the host ", quote(target.host), " is no address"));
  }

  form.named = named(options, target.host, target.port);
  if (form.named) return form;
  if (scheme->plain) {
    return refused(cat(scheme->name, " is allowed only to hosts that the configuration allows; ",
                       target.host, ":", target.port, " is none"));
  }
  const bool port = scheme->mail
                        ? std::count(std::begin(kMailPorts), std::end(kMailPorts), target.port)
                        : std::count(options.ports.begin(), options.ports.end(), target.port);
  if (!port) return refused(cat("the port ", target.port, " is not allowed"));
  if (!target.addresses.empty()) {
    TRY(check_address(target.host, *parse_address(target.host), options));
  }
  return form;
}

}  // namespace

Result<std::vector<std::string>> resolve_host(const std::string& host, const Resolve& resolve) {
  return resolve ? resolve(host) : system_resolve(host);
}

Result<Target> check_url_form(std::string_view url, const GuardOptions& options) {
  return TRY(check_form(url, options)).target;
}

Result<Target> check_url(std::string_view url, const GuardOptions& options,
                         const Resolve& resolve) {
  Form form = TRY(check_form(url, options));
  Target& target = form.target;
  if (!target.addresses.empty()) return target;
  const auto addresses = TRY(resolve_host(target.host, resolve));
  if (addresses.empty())
    return Error(Code::kUnavailable, cat("lookup ", target.host, ": no address"));
  for (const std::string& text : addresses) {
    const auto ip = parse_address(text);
    if (!ip)
      return refused(cat("the host ", target.host, " resolves to ", quote(text), ", no address"));
    if (!form.named) TRY(check_address(target.host, *ip, options));
    if (target.addresses.size() < kMostAddresses) target.addresses.push_back(ip->text());
  }
  return target;
}

Status check_guard_options(const GuardOptions& options) {
  for (const std::string& entry : options.allow) {
    const auto host = split_host(entry);
    const bool good = is_network(entry) ? parse_range(entry).has_value()
                                        : parse_address(entry) || (host && !host->host.empty());
    if (!good)
      return Error(Code::kInvalidArgument,
                   cat("allow: ", quote(entry), " is no host and no network"));
    // A URL's host never is like that.
    if (std::any_of(entry.begin(), entry.end(), [](char c) { return static_cast<uint8_t>(c) >= 0x80; })) {
      return Error(Code::kInvalidArgument,
                   cat("allow: ", quote(entry), " is not ASCII: write it in its ASCII form (xn--...)"));
    }
  }
  for (const std::string& entry : options.deny) {
    if (!parse_range(entry)) {
      return Error(Code::kInvalidArgument, cat("deny: ", quote(entry), " is no network"));
    }
  }
  for (const int port : options.ports) {
    if (port < 1 || port > 65535)
      return Error(Code::kInvalidArgument, cat("ports: ", port, " is none"));
  }
  return ok();
}

}  // namespace pintle::lookout
