#include "http/ping.h"

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <optional>
#include <type_traits>

#undef curl_easy_getinfo

namespace pintle::http {

namespace {

// Of the OpenSSL that libcurl has loaded, which is not the one linked here.
struct OpenSsl {
  decltype(&SSL_write) write;
  decltype(&SSL_get_wbio) get_wbio;
  decltype(&SSL_set0_wbio) set0_wbio;
  decltype(&BIO_new) bio_new;
  decltype(&BIO_s_mem) bio_s_mem;
  decltype(&BIO_ctrl) bio_ctrl;
  decltype(&BIO_up_ref) bio_up_ref;
  decltype(&BIO_free) bio_free;
};

std::optional<OpenSsl> load(const sys::DynLib& library) {
  OpenSsl tls{};
  bool all = true;
  const auto bind = [&](auto*& to, const char* name) {
    to = library.function<std::remove_pointer_t<std::remove_reference_t<decltype(to)>>>(name);
    all = all && to != nullptr;
  };
  bind(tls.write, "SSL_write");
  bind(tls.get_wbio, "SSL_get_wbio");
  bind(tls.set0_wbio, "SSL_set0_wbio");
  bind(tls.bio_new, "BIO_new");
  bind(tls.bio_s_mem, "BIO_s_mem");
  bind(tls.bio_ctrl, "BIO_ctrl");
  bind(tls.bio_up_ref, "BIO_up_ref");
  bind(tls.bio_free, "BIO_free");
  return all ? std::optional(tls) : std::nullopt;
}

}  // namespace

bool ping(const Curl& curl, CURL* easy, int socket) {
  static const std::optional<OpenSsl> loaded = load(*curl.library);  // one libcurl a process
  curl_tlssessioninfo* session = nullptr;
  if (!loaded || curl.easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK) return false;
  if (!session || session->backend != CURLSSLBACKEND_OPENSSL || !session->internals) return false;
  const OpenSsl& tls = *loaded;
  auto* ssl = static_cast<SSL*>(session->internals);
  BIO* const memory = tls.bio_new(tls.bio_s_mem());
  BIO* const before = tls.get_wbio(ssl);
  if (!memory || !before) {
    tls.bio_free(memory);
    return false;
  }
  // Eight bytes of our own after length, type 6, no flag, stream 0.
  constexpr unsigned char kFrame[] = {0, 0, 8, 6, 0, 0, 0, 0, 0, 'p', 'i', 'n', 't', 'l', 'e', '?', 0};
  tls.bio_up_ref(before);  // the session lets go of what it is given another for
  tls.set0_wbio(ssl, memory);
  bool sent = tls.write(ssl, kFrame, sizeof kFrame) == static_cast<int>(sizeof kFrame);
  if (sent) {
    char* record = nullptr;
    const long size = tls.bio_ctrl(memory, BIO_CTRL_INFO, 0, static_cast<void*>(&record));
    sent = ::send(socket, record, static_cast<size_t>(size), MSG_DONTWAIT | MSG_NOSIGNAL) == size;
  }
  tls.set0_wbio(ssl, before);
  return sent;
}

}  // namespace pintle::http
