// A request's path and query, taken apart as Go's net/url and the Kubernetes API server do it.
// Pure, thread-safe. Limits are the head's (httpd.h); work and memory are linear in the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace pintle::httpd {

// Nullopt: a '%' without two hex digits.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space = false);

// "/api/v1/x%20y/" -> {"api", "v1", "x y"}; "/" -> {}. The text is decoded first and then split, as
// the API server does, so "%2F" parts segments. Inner empty segments, "." and ".." are kept: what a
// name may be is the caller's to say. Error (kInvalidArgument): no leading slash, bad escape.
Result<std::vector<std::string>> decode_path(std::string_view path);

using Query = std::vector<std::pair<std::string, std::string>>;

// The pairs in their order, repeated names too. As URL.Query(): a pair with a bad escape or a ';' is
// left out, '+' is a space, "a" and "a=" are the same.
Query parse_query(std::string_view query);

// The first value of that name; null when there is none. Points into `query`.
const std::string* find(const Query& query, std::string_view name);

}  // namespace pintle::httpd
