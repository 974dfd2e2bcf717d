// What TLS the connection of a transfer under way has. Inside this room only.
#pragma once

#include <string>

#include "http/curl.h"

namespace pintle::http {

// "TLSv1.3 TLS_AES_128_GCM_SHA256"; "": it is in clear, or not TLS by OpenSSL. Inside a callback of the
// transfer only: libcurl lets go of the connection before it tells the end.
std::string tls_of(const Curl& curl, CURL* easy);

}  // namespace pintle::http
