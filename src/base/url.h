// URLs and IP addresses as Go's net/url and net/netip read, resolve and print them; their error
// texts are part of what Helm prints. Pure, thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pintle {

struct Url {
  std::string scheme;
  std::string opaque;  // what follows "scheme:" when no '/' does
  std::optional<std::string> userinfo;  // encoded
  std::string host;                     // with port and brackets
  std::string path;                     // decoded
  std::string raw_path;                 // set when it differs from the usual encoding of `path`
  std::string raw_query;
  std::string fragment;      // decoded
  std::string raw_fragment;  // as raw_path
  bool force_query = false;  // a '?' with nothing behind it
  bool omit_host = false;    // "file:/x" as opposed to "file:///x"

  bool absolute() const { return !scheme.empty(); }
  std::string hostname() const;  // without port and brackets
  std::string text() const;      // url.String()
};

// url.Parse. Errors as Go's: `parse "TEXT": invalid URL escape "%zz"`.
Result<Url> parse_url(std::string_view text);
// base.ResolveReference(ref).
Url resolve_url(const Url& base, const Url& ref);

// url.PathUnescape; error: `invalid URL escape "%z"`.
Result<std::string> path_unescape(std::string_view s);
// url.PathEscape of every element between slashes.
std::string escape_pointer(std::string_view pointer);

// netip.ParseAddr, for its verdict and its words.
struct IpAddress {
  bool v4 = false;
  bool zone = false;
};
Result<IpAddress> parse_ip(std::string_view s);

// url.QueryEscape.
std::string query_escape(std::string_view text);

}  // namespace pintle
