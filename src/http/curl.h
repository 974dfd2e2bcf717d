// The functions of libcurl that this room calls, looked up at the first request. Inside this room
// only: the library is never linked, so a command that sends nothing does not pay for loading it.
#pragma once

#include <optional>

#include <curl/curl.h>

#include "base/result.h"
#include "sys/dynlib.h"

namespace pintle::http {

struct Curl {
  decltype(&curl_global_init) global_init;
  decltype(&curl_easy_init) easy_init;
  decltype(&curl_easy_cleanup) easy_cleanup;
  decltype(&curl_easy_reset) easy_reset;
  decltype(&curl_easy_pause) easy_pause;
  decltype(&curl_easy_strerror) easy_strerror;
  CURLcode (*easy_setopt)(CURL*, CURLoption, ...);
  CURLcode (*easy_getinfo)(CURL*, CURLINFO, ...);
  decltype(&curl_slist_append) slist_append;
  decltype(&curl_slist_free_all) slist_free_all;
  decltype(&curl_multi_init) multi_init;
  decltype(&curl_multi_cleanup) multi_cleanup;
  decltype(&curl_multi_add_handle) multi_add_handle;
  decltype(&curl_multi_remove_handle) multi_remove_handle;
  decltype(&curl_multi_socket_action) multi_socket_action;
  decltype(&curl_multi_info_read) multi_info_read;
  CURLMcode (*multi_setopt)(CURLM*, CURLMoption, ...);

  std::optional<sys::DynLib> library;  // finds what it depends on as well

  // The library, opened once for the process. Error: what the loader said.
  static Result<const Curl*> open();
};

}  // namespace pintle::http
