// What went wrong with an exchange, in the words of Go's net/http, net and crypto/tls. Inside this
// room only.
#pragma once

#include <string>

#include "base/result.h"
#include "http/curl.h"
#include "http/http.h"

namespace pintle::http {

struct Failure {
  CURLcode code = CURLE_OK;
  int system_error = 0;      // errno of the connect, read or write
  long verify_result = 0;    // OpenSSL's X509_V_ERR_*
  bool connected = false;    // the TCP connection stood
  bool answered = false;     // the head of the answer came
  bool unheard = false;      // an HTTP/2 peer left a PING unanswered
  std::string address;       // "127.0.0.1:443" that was dialled, "" before
  std::string server_name;   // verified instead of the URL's host; "": the host
  std::string detail;        // libcurl's own words
};

// `Get "url": cause`, or, when the answer had begun, the cause alone.
Error failure_error(const Request& request, const Failure& failure);
// `Get "url": cause`.
Error request_error(const Request& request, Code code, std::string_view cause);

}  // namespace pintle::http
