// The client over libcurl: everything that http.h promises. Inside this room only.
#pragma once

#include <memory>

#include "http/http.h"

namespace pintle::http {

// Opens the library and starts the I/O thread. Error: the library cannot be opened.
Result<std::unique_ptr<Client>> make_curl_client(Options options);

}  // namespace pintle::http
