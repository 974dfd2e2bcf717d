// Guard: which URLs lookout may send to (server-side request forgery). Rules: spec
// events-informers §4.5. https (and smtps, and smtp, which then asks for STARTTLS, and tls, which
// is NATS's); http and nats only to hosts allowed by name; ports 443 and 8443 (mail: 25, 465, 587) unless the host is
// allowed; no user in the URL; every address the host resolves to must be outside the denied ranges
// (also inside mapped and translated IPv6), or lie in an allowed network, or the host be allowed by
// name; the connection then goes to the address that was checked.
//
// Hosts are ASCII: an international name is written in its xn-- form. Pure but for `resolve`.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pintle::lookout {

struct GuardOptions {
  // Hosts and networks: "hooks.internal" (any port), "hooks.internal:8080", "[::1]:8080",
  // "10.1.0.0/16". A host is free of every rule but that of the user; a network only of the denied
  // ranges.
  std::vector<std::string> allow;
  std::vector<std::string> deny;  // further networks: the cluster's services and pods
  std::vector<int> ports = {443, 8443};
};

struct Target {
  std::string host;  // lower case, without brackets and a last dot; a numeric form as an address
  int port = 0;
  std::vector<std::string> addresses;  // those to connect to: the first that takes it
};

// Resolves a host to its addresses; for tests. Empty: getaddrinfo (blocks: call on a worker).
using Resolve = std::function<Result<std::vector<std::string>>(const std::string& host)>;

// Error (kPermissionDenied) names what is not allowed and why; kUnavailable: no such host just now.
// Numeric, octal and hexadecimal host forms are read as addresses first.
Result<Target> check_url(std::string_view url, const GuardOptions& options,
                         const Resolve& resolve = {});
// A host's addresses, by `resolve` or the system's.
Result<std::vector<std::string>> resolve_host(const std::string& host, const Resolve& resolve);
// The parts that need no network, for checking a subscription when it is made. `address` is set
// when the host is one.
Result<Target> check_url_form(std::string_view url, const GuardOptions& options);
// Entries that are neither a host nor a network.
Status check_guard_options(const GuardOptions& options);

}  // namespace pintle::lookout
