#include "http/certificate.h"

#include <arpa/inet.h>
#include <openssl/asn1.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <ctime>
#include <string_view>
#include <vector>

#include "base/strings.h"

namespace pintle::http {
namespace {

int64_t seconds_of(const ASN1_TIME* time) {
  std::tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? static_cast<int64_t>(::timegm(&parts)) : 0;
}

// time.RFC3339
std::string time_text(int64_t seconds, int offset) {
  const std::time_t shifted = static_cast<std::time_t>(seconds + offset);
  std::tm t{};
  ::gmtime_r(&shifted, &t);
  char out[64], zone[16] = "Z";
  if (offset != 0) {
    const int minutes = (offset < 0 ? -offset : offset) / 60;
    std::snprintf(zone, sizeof zone, "%c%02d:%02d", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
  }
  std::snprintf(out, sizeof out, "%04d-%02d-%02dT%02d:%02d:%02d%s", t.tm_year + 1900, t.tm_mon + 1,
                t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec, zone);
  return out;
}

std::string address_text(const ASN1_OCTET_STRING* bytes) {
  char out[INET6_ADDRSTRLEN] = "";
  const int size = ASN1_STRING_length(bytes);
  if (size == 4 || size == 16) {
    inet_ntop(size == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(bytes), out, sizeof out);
  }
  return out;
}

struct Names {
  std::vector<std::string> hosts, addresses;
  bool any = false;  // the extension is there
};

Names names_of(const X509* certificate) {
  Names out;
  auto* list = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  out.any = list != nullptr;
  for (int i = 0; i < sk_GENERAL_NAME_num(list); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(list, i);
    if (name->type == GEN_DNS) {
      const auto* text = ASN1_STRING_get0_data(name->d.dNSName);
      out.hosts.emplace_back(reinterpret_cast<const char*>(text),
                             static_cast<size_t>(ASN1_STRING_length(name->d.dNSName)));
    } else if (name->type == GEN_IPADD) {
      out.addresses.push_back(address_text(name->d.iPAddress));
    }
  }
  GENERAL_NAMES_free(list);
  return out;
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) append(out, {out.empty() ? "" : ", ", name});
  return out;
}

std::string name_refusal(X509* certificate, const std::string& wanted) {
  constexpr size_t kMostNames = 100;
  const Names names = names_of(certificate);
  if (!names.any && X509_check_host(certificate, wanted.data(), wanted.size(), 0, nullptr) == 1) {
    return "x509: certificate relies on legacy Common Name field, use SANs instead";
  }
  const bool address = is_address(wanted);
  const auto& known = address ? names.addresses : names.hosts;
  if (known.size() >= kMostNames) {
    return cat("x509: certificate is valid for ", known.size(), address ? " IP SANs" : " names",
               ", but none matched ", wanted);
  }
  if (address) {
    if (names.addresses.empty()) {
      return cat("x509: cannot validate certificate for ", wanted,
                 " because it doesn't contain any IP SANs");
    }
    return cat("x509: certificate is valid for ", joined(names.addresses), ", not ", wanted);
  }
  if (names.hosts.empty()) {
    return cat("x509: certificate is not valid for any names, but wanted to match ", wanted);
  }
  return cat("x509: certificate is valid for ", joined(names.hosts), ", not ", wanted);
}

}  // namespace

bool is_address(const std::string& name) {
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, name.c_str(), bytes) == 1 || inet_pton(AF_INET6, name.c_str(), bytes) == 1;
}

std::string certificate_refusal(x509_st* certificate, const std::string& name, int64_t now,
                                int offset_seconds) {
  const int64_t from = seconds_of(X509_get0_notBefore(certificate));
  const int64_t until = seconds_of(X509_get0_notAfter(certificate));
  if (now < from || now > until) {
    return cat("x509: certificate has expired or is not yet valid: current time ",
               time_text(now, offset_seconds), now < from ? " is before " : " is after ",
               time_text(now < from ? from : until, 0));
  }
  const bool named =
      is_address(name) ? X509_check_ip_asc(certificate, name.c_str(), 0) == 1
                       : X509_check_host(certificate, name.data(), name.size(),
                                         X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS |
                                             X509_CHECK_FLAG_NEVER_CHECK_SUBJECT,
                                         nullptr) == 1;
  if (!named) return name_refusal(certificate, name);
  return "x509: certificate signed by unknown authority";
}

std::string alert_text(int alert) {
  switch (alert) {
    case 0: return "close notify";
    case 10: return "unexpected message";
    case 20: return "bad record MAC";
    case 21: return "decryption failed";
    case 22: return "record overflow";
    case 30: return "decompression failure";
    case 40: return "handshake failure";
    case 42: return "bad certificate";
    case 43: return "unsupported certificate";
    case 44: return "revoked certificate";
    case 45: return "expired certificate";
    case 46: return "unknown certificate";
    case 47: return "illegal parameter";
    case 48: return "unknown certificate authority";
    case 49: return "access denied";
    case 50: return "error decoding message";
    case 51: return "error decrypting message";
    case 60: return "export restriction";
    case 70: return "protocol version not supported";
    case 71: return "insufficient security level";
    case 80: return "internal error";
    case 86: return "inappropriate fallback";
    case 90: return "user canceled";
    case 100: return "no renegotiation";
    case 109: return "missing extension";
    case 110: return "unsupported extension";
    case 111: return "certificate unobtainable";
    case 112: return "unrecognized name";
    case 113: return "bad certificate status response";
    case 114: return "bad certificate hash value";
    case 115: return "unknown PSK identity";
    case 116: return "certificate required";
    case 120: return "no application protocol";
    case 121: return "encrypted client hello required";
    default: return cat("alert(", alert, ")");
  }
}

}  // namespace pintle::http
