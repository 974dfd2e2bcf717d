// url.ParseRequestURI: an absolute URL or a rooted path. Errors as Go's: `parse "x": invalid URI for
// request`. Pure.
#pragma once

#include <string_view>

#include "base/url.h"

namespace pintle::cel {

Result<Url> request_uri(std::string_view text);

}  // namespace pintle::cel
