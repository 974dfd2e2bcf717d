// Which proxy a URL goes through, by HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as Go reads them
// (golang.org/x/net/http/httpproxy). Pure.
#pragma once

#include <string>

#include "sys/environ.h"

namespace pintle::http {

// The proxy's URL; "": none.
std::string proxy_for(const std::string& url, const sys::Environ& environ);

}  // namespace pintle::http
