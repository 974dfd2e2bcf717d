#include "http/certificate.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>

#include <memory>

namespace pintle::http {
namespace {

constexpr int64_t kNow = 1'800'000'000;  // 2027-01-15T08:00:00Z
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

// Self-signed, good from `from` to `until`; `names` as in openssl.cnf, "": no such extension.
Certificate make(int64_t from, int64_t until, const char* common_name, const char* names) {
  X509* c = X509_new();
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509_set_version(c, 2);
  ASN1_TIME_set(X509_getm_notBefore(c), from);
  ASN1_TIME_set(X509_getm_notAfter(c), until);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(c), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(common_name), -1, -1, 0);
  X509_set_pubkey(c, key);
  if (*names) {
    X509_EXTENSION* e = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names);
    X509_add_ext(c, e, -1);
    X509_EXTENSION_free(e);
  }
  X509_sign(c, key, EVP_sha256());
  EVP_PKEY_free(key);
  return {c, X509_free};
}

TEST(Certificate, is_refused_in_the_words_of_go) {
  struct Case {
    int64_t from, until;
    const char *names, *wanted, *words;
  };
  constexpr int64_t kDay = 86'400;
  const Case cases[] = {
      {kNow - kDay, kNow - 1, "DNS:a.example", "a.example",
       "x509: certificate has expired or is not yet valid: current time 2027-01-15T09:00:00+01:00 is "
       "after 2027-01-15T07:59:59Z"},
      {kNow + 1, kNow + kDay, "DNS:a.example", "a.example",
       "x509: certificate has expired or is not yet valid: current time 2027-01-15T09:00:00+01:00 is "
       "before 2027-01-15T08:00:01Z"},
      {kNow, kNow, "DNS:a.example,DNS:b.example,IP:10.0.0.1", "c.example",
       "x509: certificate is valid for a.example, b.example, not c.example"},
      {kNow, kNow, "DNS:a.example,IP:10.0.0.1,IP:::1", "10.0.0.2",
       "x509: certificate is valid for 10.0.0.1, ::1, not 10.0.0.2"},
      {kNow, kNow, "DNS:a.example", "10.0.0.2",
       "x509: cannot validate certificate for 10.0.0.2 because it doesn't contain any IP SANs"},
      {kNow, kNow, "IP:10.0.0.1", "c.example",
       "x509: certificate is not valid for any names, but wanted to match c.example"},
      {kNow, kNow, "", "common.example",
       "x509: certificate relies on legacy Common Name field, use SANs instead"},
      {kNow, kNow, "", "c.example",
       "x509: certificate is not valid for any names, but wanted to match c.example"},
      {kNow, kNow, "DNS:*.test.example", "c.test.example", "x509: certificate signed by unknown authority"},
      {kNow, kNow, "IP:10.0.0.1", "10.0.0.1", "x509: certificate signed by unknown authority"},
  };
  for (const Case& c : cases) {
    const Certificate made = make(c.from, c.until, "common.example", c.names);
    EXPECT_EQ(certificate_refusal(made.get(), c.wanted, kNow, 3600), c.words);
  }
}

TEST(Certificate, names_alerts_as_go_does) {
  EXPECT_EQ(alert_text(48), "unknown certificate authority");
  EXPECT_EQ(alert_text(116), "certificate required");
  EXPECT_EQ(alert_text(200), "alert(200)");
}

}  // namespace
}  // namespace pintle::http
