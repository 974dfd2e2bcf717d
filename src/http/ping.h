// A PING on the HTTP/2 connection of a transfer under way. Inside this room only.
//
// libcurl answers PINGs but sends them on connections of its blocking calls alone
// (curl_easy_upkeep). So the frame is made here: the connection's own TLS session encrypts it into
// memory, and it is written to the socket. The answer is read by libcurl, which takes no notice.
#pragma once

#include "http/curl.h"

namespace pintle::http {

// Between libcurl's calls, on a connection that is quiet, so that nothing is half sent on it. False:
// none was sent, because the connection is not TLS by OpenSSL, or is being torn down.
bool ping(const Curl& curl, CURL* easy, int socket);

}  // namespace pintle::http
