// Why a server's certificate was refused, in the words of Go's crypto/x509 and in its order: dates,
// name, issuer. Inside this room only.
#pragma once

#include <cstdint>
#include <string>

struct x509_st;

namespace pintle::http {

// `name`: whom the certificate had to name. `now`: unix seconds; dates are printed for the local zone,
// `offset_seconds` ahead of UTC. "x509: certificate is valid for a.example, not b.example".
std::string certificate_refusal(x509_st* certificate, const std::string& name, int64_t now,
                                int offset_seconds);

// What a TLS alert of the peer is called: "unknown certificate authority".
std::string alert_text(int alert);

// Whether a name is an IP address: those are not looked for among the names.
bool is_address(const std::string& name);

}  // namespace pintle::http
