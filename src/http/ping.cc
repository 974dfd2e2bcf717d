#include "http/ping.h"

#include <sys/socket.h>

#undef curl_easy_getinfo

namespace pintle::http {

bool ping(const Curl& curl, CURL* easy, int socket) {
  const Curl::OpenSsl& tls = curl.openssl;
  curl_tlssessioninfo* session = nullptr;
  if (!tls.write || curl.easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK) return false;
  if (!session || session->backend != CURLSSLBACKEND_OPENSSL || !session->internals) return false;
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
