// The functions of libcurl that this room calls, looked up at the first request. Inside this room
// only: the library is never linked, so a command that sends nothing does not pay for loading it.
#pragma once

#include <curl/curl.h>
#include <openssl/ssl.h>

#include "base/result.h"

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

  // Of the OpenSSL that libcurl uses, which is not the one linked here; null where it uses another.
  struct OpenSsl {
    decltype(&SSL_write) write;
    decltype(&SSL_get_wbio) get_wbio;
    decltype(&SSL_set0_wbio) set0_wbio;
    decltype(&BIO_new) bio_new;
    decltype(&BIO_s_mem) bio_s_mem;
    decltype(&BIO_ctrl) bio_ctrl;
    decltype(&BIO_up_ref) bio_up_ref;
    decltype(&BIO_free) bio_free;
  } openssl;

  // The library, opened once for the process. Error: what the loader said.
  static Result<const Curl*> open();
};

}  // namespace pintle::http
