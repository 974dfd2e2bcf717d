#include "http/session.h"

#include <openssl/ssl.h>

#include "base/strings.h"

#undef curl_easy_getinfo

namespace pintle::http {

namespace {

// Of the OpenSSL that libcurl has loaded, which is not the one linked here.
struct OpenSsl {
  decltype(&SSL_get_version) version;
  decltype(&SSL_get_current_cipher) cipher;
  decltype(&SSL_CIPHER_get_name) name;
};

}  // namespace

std::string tls_of(const Curl& curl, CURL* easy) {
  static const OpenSsl tls = {  // one libcurl a process
      curl.library->function<decltype(SSL_get_version)>("SSL_get_version"),
      curl.library->function<decltype(SSL_get_current_cipher)>("SSL_get_current_cipher"),
      curl.library->function<decltype(SSL_CIPHER_get_name)>("SSL_CIPHER_get_name")};
  if (!tls.version || !tls.cipher || !tls.name) return "";
  curl_tlssessioninfo* session = nullptr;
  if (curl.easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return "";
  if (session->backend != CURLSSLBACKEND_OPENSSL || !session->internals) return "";
  const auto* ssl = static_cast<const SSL*>(session->internals);
  const SSL_CIPHER* cipher = tls.cipher(ssl);
  return cipher ? cat(tls.version(ssl), " ", tls.name(cipher)) : "";
}

}  // namespace pintle::http
