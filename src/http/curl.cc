#include "http/curl.h"

#include <string>
#include <type_traits>

#include "sys/dynlib.h"

// The header's checks of setopt and getinfo are macros around calls that are not linked here.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

namespace pintle::http {
namespace {

Result<Curl> load() {
  auto opened = sys::DynLib::open({"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so"});
  if (!opened) return Error::wrap("opening the HTTP library", std::move(opened).error());
  Curl curl{};
  const char* missing = nullptr;
  auto bind = [&](auto*& to, const char* name) {
    to = opened->function<std::remove_pointer_t<std::remove_reference_t<decltype(to)>>>(name);
    if (to == nullptr) missing = name;
  };
  bind(curl.global_init, "curl_global_init");
  bind(curl.easy_init, "curl_easy_init");
  bind(curl.easy_cleanup, "curl_easy_cleanup");
  bind(curl.easy_reset, "curl_easy_reset");
  bind(curl.easy_pause, "curl_easy_pause");
  bind(curl.easy_strerror, "curl_easy_strerror");
  bind(curl.easy_setopt, "curl_easy_setopt");
  bind(curl.easy_getinfo, "curl_easy_getinfo");
  bind(curl.slist_append, "curl_slist_append");
  bind(curl.slist_free_all, "curl_slist_free_all");
  bind(curl.multi_init, "curl_multi_init");
  bind(curl.multi_cleanup, "curl_multi_cleanup");
  bind(curl.multi_add_handle, "curl_multi_add_handle");
  bind(curl.multi_remove_handle, "curl_multi_remove_handle");
  bind(curl.multi_socket_action, "curl_multi_socket_action");
  bind(curl.multi_info_read, "curl_multi_info_read");
  bind(curl.multi_setopt, "curl_multi_setopt");
  if (missing != nullptr) {
    return Error(Code::kUnavailable, std::string("opening the HTTP library: it has no ") + missing);
  }
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return Error(Code::kUnavailable, "opening the HTTP library: it cannot be initialised");
  }
  curl.library = *opened;
  return curl;
}

}  // namespace

Result<const Curl*> Curl::open() {
  static const Result<Curl> curl = load();
  if (!curl) return curl.error();
  return &*curl;
}

}  // namespace pintle::http
