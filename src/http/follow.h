// GET with redirects followed, as Go's http.Client does by itself: at most ten requests, relative
// Locations resolved, what is secret kept from other hosts.
#pragma once

#include "http/http.h"

namespace pintle::http {

// The answer that is no redirect. Errors as Client::send, about the URL asked last; a chain too
// long is `Get "URL": stopped after 10 redirects`. `request.timeout_ms` holds for each request.
Result<Response> send_following(Client& client, Request request);

}  // namespace pintle::http
