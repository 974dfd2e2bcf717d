// Certificates as sprig makes them through Go's x509.CreateCertificate: version 3, subject of a
// common name alone, random 128-bit serial, valid from now, extensions in Go's order (key usage,
// extended key usage, basic constraints, subject key id of CAs, authority key id, alternative
// names). Written as DER directly: it is a page of code, and OpenSSL's X.509 objects would load
// its encoders. Reading a CA's certificate is left to OpenSSL.
#include <arpa/inet.h>

#include <array>
#include <chrono>
#include <cstdio>

#include "base/gotext.h"
#include "base/mutex.h"
#include "crypt/crypt.h"
#include "crypt/der.h"
#include "crypt/keys.h"
#include "crypt/pem.h"
#include "crypt/rsa_keygen.h"
#include "sys/clock.h"

namespace pintle::crypt {
namespace {

constexpr int kNewKeyBits = 2048;

Error bad(std::string text) { return Error(std::move(text), Code::kInvalidArgument); }

struct Parent {
  std::string subject;     // encoded
  std::string key_id;      // empty when the certificate has none
  std::string public_key;  // bits; empty: not to be compared
};

// encoding/asn1's choice of string type.
Result<std::string> asn1_string(std::string_view s) {
  auto printable = [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view(" '()+,-./:=?").find(static_cast<char>(c)) != std::string_view::npos;
  };
  for (unsigned char c : s) {
    if (printable(c)) continue;
    if (!valid_utf8(s)) return bad("asn1: string not valid UTF-8");
    return der::tlv(der::kUtf8String, s);
  }
  return der::tlv(der::kPrintableString, s);
}

Result<std::string> subject_of(std::string_view common_name) {
  if (common_name.empty()) return der::sequence({});
  std::string text = TRY(asn1_string(common_name));
  return der::sequence({der::tlv(der::kSet, der::sequence({der::oid::kCommonName, text}))});
}

Result<std::string> asn1_time(int64_t seconds) {
  using namespace std::chrono;
  const int64_t day = floor<days>(std::chrono::seconds(seconds)).count();
  const int64_t rest = seconds - day * 86400;
  if (day < -719528 || day > 2932896) {  // years 0 to 9999
    return bad("asn1: structure error: cannot represent time as GeneralizedTime");
  }
  const year_month_day date{sys_days{days{day}}};
  const int year = static_cast<int>(date.year());
  const bool utc = year >= 1950 && year < 2050;
  char text[40];
  std::snprintf(text, sizeof text, utc ? "%02d%02u%02u%02d%02d%02dZ" : "%04d%02u%02u%02d%02d%02dZ",
                utc ? year % 100 : year, static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(rest / 3600),
                static_cast<int>(rest / 60 % 60), static_cast<int>(rest % 60));
  return der::tlv(utc ? der::kUtcTime : der::kGeneralizedTime, text);
}

std::string extension(std::string_view id, bool critical, std::string_view value) {
  return der::sequence({id, critical ? std::string_view("\x01\x01\xff", 3) : std::string_view(),
                        der::octets(value)});
}

Result<std::string> alternative_names(const CertRequest& request) {
  std::string all;
  for (const std::string& name : request.dns_names) {
    for (unsigned char c : name) {
      if (c >= 0x80) return bad("x509: " + quote(name) + " cannot be encoded as an IA5String");
    }
    all += der::tlv(0x82, name);
  }
  for (const std::string& ip : request.ips) all += der::tlv(0x87, ip);
  return der::tlv(der::kSequence, all);
}

Result<std::string> extensions(const CertRequest& request, bool is_ca, std::string_view key_id,
                               std::string_view authority) {
  using namespace std::string_view_literals;
  std::string all;
  all += extension(der::oid::kKeyUsage, true, is_ca ? der::bits("\xa4", 2) : der::bits("\xa0", 5));
  all += extension(der::oid::kExtKeyUsage, false,
                   der::sequence({der::oid::kServerAuth, der::oid::kClientAuth}));
  all += extension(der::oid::kBasicConstraints, true,
                   der::tlv(der::kSequence, is_ca ? "\x01\x01\xff"sv : ""sv));
  if (!key_id.empty()) all += extension(der::oid::kSubjectKeyId, false, der::octets(key_id));
  if (!authority.empty()) {
    all += extension(der::oid::kAuthorityKeyId, false, der::sequence({der::tlv(0x80, authority)}));
  }
  if (!request.dns_names.empty() || !request.ips.empty()) {
    std::string names = TRY(alternative_names(request));
    all += extension(der::oid::kSubjectAltName, request.common_name.empty(), names);
  }
  return der::tlv(0xa3, der::tlv(der::kSequence, all));
}

std::string key_id_of(const PrivateKey& key) { return sha256(key.public_key).substr(0, 20); }

// The last certificates made here, by their text: a chart signs with the CA it has just made, and
// OpenSSL takes half a millisecond to read it back.
class Made {
 public:
  void put(const std::string& pem, Parent parent) {
    Lock lock(mutex_);
    last_[next_++ % last_.size()] = {pem, std::move(parent)};
  }
  std::optional<Parent> find(std::string_view pem) {
    Lock lock(mutex_);
    for (const auto& [text, parent] : last_) {
      if (text == pem) return parent;
    }
    return std::nullopt;
  }

 private:
  Mutex mutex_;
  std::array<std::pair<std::string, Parent>, 4> last_ GUARDED_BY(mutex_);
  size_t next_ GUARDED_BY(mutex_) = 0;
};
Made& made_here() {
  static Made made;
  return made;
}

// x509.CreateCertificate. Without a parent the certificate is its own.
Result<std::string> create(const CertRequest& request, bool is_ca, const PrivateKey& key,
                           const Parent* parent, const PrivateKey& signer) {
  if (signer.kind == KeyKind::kDsa || signer.kind == KeyKind::kX25519) {
    return bad("x509: certificate private key does not implement crypto.Signer");
  }
  if (key.kind == KeyKind::kDsa) {
    return bad("x509: unsupported public key type: *dsa.PublicKey");
  }
  const std::string subject = TRY(subject_of(request.common_name));
  const std::string issuer = parent != nullptr ? parent->subject : subject;
  std::string authority, key_id;
  if (parent != nullptr && issuer != subject) authority = parent->key_id;
  if (is_ca) key_id = key_id_of(key);
  if (parent != nullptr && parent->public_key != signer.public_key) {
    return bad("x509: provided PrivateKey doesn't match parent's PublicKey");
  }
  const std::string all_extensions = TRY(extensions(request, is_ca, key_id, authority));

  const int64_t now = sys::real_clock().now_ns();
  const int64_t span = static_cast<int64_t>(static_cast<uint64_t>(request.days) *
                                            (86400ull * 1000000000ull));  // wraps, as in Go
  const std::string not_before = TRY(asn1_time(now / 1000000000));
  const int64_t carry = now % 1000000000 + span % 1000000000 >= 1000000000 ? 1 : 0;
  const int64_t borrow = now % 1000000000 + span % 1000000000 < 0 ? 1 : 0;
  const std::string not_after =
      TRY(asn1_time(now / 1000000000 + span / 1000000000 + carry - borrow));

  const std::string tbs =
      der::sequence({der::tlv(0xa0, der::small_integer(2)), der::integer(random_bytes(16)),
                     signer.signature, issuer, der::sequence({not_before, not_after}), subject,
                     der::sequence({key.algorithm, der::bits(key.public_key)}), all_extensions});
  const std::string signature = TRY(sign(signer, tbs));
  return der::sequence({tbs, signer.signature, der::bits(signature)});
}

Result<Certificate> finish(const CertRequest& request, bool is_ca, const PrivateKey& key,
                           const Parent* parent, const PrivateKey& signer) {
  if (request.names_error) return *request.names_error;
  auto made = create(request, is_ca, key, parent, signer);
  if (!made) return Error::wrap("error creating certificate", std::move(made).error());
  Certificate out{pem_encode("CERTIFICATE", *made), private_key_pem(key)};
  if (is_ca) {
    made_here().put(out.cert,
                    {TRY(subject_of(request.common_name)), key_id_of(key), key.public_key});
  }
  return out;
}

Result<PrivateKey> own_key(const CertRequest& request) {
  if (!request.key_pem) return new_rsa_key(kNewKeyBits);
  auto key = parse_private_key(*request.key_pem);
  if (!key) return Error::wrap("parsing private key", std::move(key).error());
  return key;
}

Result<Parent> parse_parent(std::string_view pem) {
  if (auto known = pem.empty() ? std::nullopt : made_here().find(pem)) return *std::move(known);
  auto block = pem_decode(pem);
  if (!block) return bad("unable to decode certificate");
  start_openssl();
  const unsigned char* at = uchars(block->bytes);
  OpensslPtr<X509> cert(d2i_X509(nullptr, &at, static_cast<long>(block->bytes.size())));
  if (cert == nullptr) {
    return bad("error parsing certificate: decodedCert.Bytes: x509: malformed certificate");
  }
  if (at != uchars(block->bytes) + block->bytes.size()) {
    return bad("error parsing certificate: decodedCert.Bytes: x509: trailing data");
  }
  auto text = [](const unsigned char* data, size_t size) {
    return std::string(reinterpret_cast<const char*>(data), size);
  };
  Parent parent;
  const unsigned char* subject = nullptr;
  size_t size = 0;
  CHECK(X509_NAME_get0_der(X509_get_subject_name(cert.get()), &subject, &size) == 1);
  parent.subject = text(subject, size);
  if (const ASN1_OCTET_STRING* id = X509_get0_subject_key_id(cert.get())) {
    parent.key_id = text(ASN1_STRING_get0_data(id), static_cast<size_t>(ASN1_STRING_length(id)));
  }
  const ASN1_BIT_STRING* bits = X509_get0_pubkey_bitstr(cert.get());
  parent.public_key =
      text(ASN1_STRING_get0_data(bits), static_cast<size_t>(ASN1_STRING_length(bits)));
  return parent;
}

Result<PrivateKey> signer_key(std::string_view pem) {
  auto key = parse_private_key(pem);
  if (!key) return Error::wrap("error parsing private key", std::move(key).error());
  return key;
}

}  // namespace

std::optional<std::string> parse_ip(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  const std::string z(text);
  char raw[16];
  if (inet_pton(AF_INET, z.c_str(), raw) == 1) return std::string(raw, 4);
  if (inet_pton(AF_INET6, z.c_str(), raw) != 1) return std::nullopt;
  using namespace std::string_view_literals;
  std::string_view all(raw, 16);
  if (all.starts_with("\0\0\0\0\0\0\0\0\0\0\xff\xff"sv)) all.remove_prefix(12);
  return std::string(all);
}

Result<Certificate> make_ca(const CertRequest& request) {
  PrivateKey key = TRY(own_key(request));
  return finish(request, true, key, nullptr, key);
}

Result<Certificate> make_self_signed(const CertRequest& request) {
  if (!request.key_pem && request.names_error) return *request.names_error;  // spare the key
  PrivateKey key = TRY(own_key(request));
  return finish(request, false, key, nullptr, key);
}

Result<Certificate> make_signed(const CertRequest& request, const Certificate& ca) {
  std::optional<PrivateKey> given;
  if (request.key_pem) given = TRY(own_key(request));
  Parent parent = TRY(parse_parent(ca.cert));
  PrivateKey signer = TRY(signer_key(ca.key));
  if (request.names_error) return *request.names_error;
  PrivateKey key = given ? std::move(*given) : TRY(own_key(request));
  return finish(request, false, key, &parent, signer);
}

Result<Certificate> check_certificate(std::string cert_pem, std::string key_pem) {
  TRY(parse_parent(cert_pem));
  TRY(signer_key(key_pem));
  return Certificate{std::move(cert_pem), std::move(key_pem)};
}

}  // namespace pintle::crypt
