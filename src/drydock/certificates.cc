#include "drydock/certificates.h"

#include "base/strings.h"

namespace pintle::drydock {
namespace {

constexpr int64_t kAuthorityDays = 3650;
constexpr int64_t kServerDays = 365;

}  // namespace

Result<crypt::Certificate> make_authority() {
  crypt::CertRequest request;
  request.common_name = "drydock-ca";
  request.days = kAuthorityDays;
  request.key_pem = TRY(crypt::generate_private_key("ecdsa"));
  return crypt::make_ca(request);
}

Result<crypt::Certificate> make_server_certificate(const crypt::Certificate& authority,
                                                   std::string_view listen_address) {
  crypt::CertRequest request;
  request.common_name = "drydock";
  request.days = kServerDays;
  request.dns_names = {"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"};
  for (std::string_view address : {std::string_view("127.0.0.1"), std::string_view("::1")}) {
    request.ips.push_back(*crypt::parse_ip(address));
  }
  if (const auto ip = crypt::parse_ip(listen_address)) {
    if (*ip != request.ips[0] && *ip != request.ips[1]) request.ips.push_back(*ip);
  } else if (!listen_address.empty() && listen_address != "localhost") {
    request.dns_names.emplace_back(listen_address);
  }
  request.key_pem = TRY(crypt::generate_private_key("ecdsa"));
  return crypt::make_signed(request, authority);
}

std::string random_token() { return crypt::hex(crypt::random_bytes(32)); }

std::string kubeconfig_text(std::string_view url, std::string_view authority_pem,
                            std::string_view token) {
  return cat("apiVersion: v1\nkind: Config\nclusters:\n- name: drydock\n  cluster:\n    server: ",
             url, "\n    certificate-authority-data: ", crypt::base64_encode(authority_pem),
             "\nusers:\n- name: drydock\n  user:\n    token: ", token,
             "\ncontexts:\n- name: drydock\n  context:\n    cluster: drydock\n    user: drydock\n"
             "current-context: drydock\n");
}

}  // namespace pintle::drydock
