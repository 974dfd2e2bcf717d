// Who the server is to its clients: a certificate authority of its own, a server certificate made
// anew at each start, and the kubeconfig that trusts them. EC P-256: a few milliseconds.
// Thread-safe. The authority (and the first token) go into the store's settings when there is a data
// file, so that a kubeconfig written once still works after a restart on the same port.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "crypt/crypt.h"

namespace pintle::drydock {

// Ten years.
Result<crypt::Certificate> make_authority();
// For localhost, 127.0.0.1, ::1 and the address listened on (a host name is fine); a year.
Result<crypt::Certificate> make_server_certificate(const crypt::Certificate& authority,
                                                   std::string_view listen_address);

// 256 bits, in hexadecimal.
std::string random_token();

// One cluster, user and context, all named "drydock".
std::string kubeconfig_text(std::string_view url, std::string_view authority_pem,
                            std::string_view token);

}  // namespace pintle::drydock
