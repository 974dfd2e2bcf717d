// Private keys: parsed by hand into the fields Go looks at (its error texts say which one was
// wrong), then rebuilt in the form Go writes, which is also what OpenSSL loads. So whatever comes
// in (PKCS#8, a SEC 1 key without its curve or public half), what charts get back is Go's form.
#include "crypt/keys.h"

#include <openssl/core_names.h>
#include <openssl/dsa.h>
#include <openssl/ec.h>

#include "crypt/crypt.h"
#include "crypt/der.h"
#include "crypt/pem.h"
#include "crypt/rsa_keygen.h"

namespace pintle::crypt {
namespace {

using der::Field;
using der::Kind;
using der::Struct;

const Struct kAlgorithm{"AlgorithmIdentifier", {{Kind::kOid}, {Kind::kAny, true}}};
const Struct kPkcs8{"pkcs8",
                    {{Kind::kInt}, {Kind::kStruct, false, -1, &kAlgorithm}, {Kind::kOctets}}};
const Struct kPkcs1{"pkcs1PrivateKey",
                    {{Kind::kInt},
                     {Kind::kBigInt},
                     {Kind::kInt},
                     {Kind::kBigInt},
                     {Kind::kBigInt},
                     {Kind::kBigInt},
                     {Kind::kBigInt, true},
                     {Kind::kBigInt, true},
                     {Kind::kBigInt, true},
                     {Kind::kList, true}}};
const Struct kSec1{"ecPrivateKey",
                   {{Kind::kInt}, {Kind::kOctets}, {Kind::kOid, true, 0}, {Kind::kBits, true, 1}}};
const Struct kDsa{"DSAKeyFormat",
                  {{Kind::kInt},
                   {Kind::kBigInt},
                   {Kind::kBigInt},
                   {Kind::kBigInt},
                   {Kind::kBigInt},
                   {Kind::kBigInt}}};

struct Curve {
  std::string_view oid;  // encoded
  const char* group;
  size_t bytes;
  std::string_view signature;
  int digest;
};
constexpr Curve kCurves[] = {
    {der::oid::kP224, "P-224", 28, der::oid::kEcdsaSha256, 256},
    {der::oid::kP256, "P-256", 32, der::oid::kEcdsaSha256, 256},
    {der::oid::kP384, "P-384", 48, der::oid::kEcdsaSha384, 384},
    {der::oid::kP521, "P-521", 66, der::oid::kEcdsaSha512, 512},
};

Error bad(std::string text) { return Error(std::move(text), Code::kInvalidArgument); }
Error use_instead(std::string_view parser) {
  return bad("x509: failed to parse private key (use " + std::string(parser) +
             " instead for this key format)");
}

bool fits(std::string_view data, const Struct& shape) {
  return der::parse(data, shape).has_value();
}

std::string bn_param(EVP_PKEY* key, const char* name) {
  BIGNUM* raw = nullptr;
  CHECK(EVP_PKEY_get_bn_param(key, name, &raw) == 1);
  OpensslPtr<BIGNUM> n(raw);
  std::string out(static_cast<size_t>(BN_num_bytes(raw)), '\0');
  BN_bn2bin(raw, reinterpret_cast<unsigned char*>(out.data()));
  return out;
}

std::string octet_param(EVP_PKEY* key, const char* name) {
  size_t size = 0;
  CHECK(EVP_PKEY_get_octet_string_param(key, name, nullptr, 0, &size) == 1);
  std::string out(size, '\0');
  CHECK(EVP_PKEY_get_octet_string_param(key, name, reinterpret_cast<unsigned char*>(out.data()),
                                        size, &size) == 1);
  out.resize(size);
  return out;
}

OpensslPtr<EVP_PKEY> load(int type, std::string_view data) {
  start_openssl();
  const unsigned char* at = uchars(data);
  return OpensslPtr<EVP_PKEY>(d2i_PrivateKey(type, nullptr, &at, static_cast<long>(data.size())));
}

// ---- RSA ----

// The numbers of what is a PKCS#1 key; none when OpenSSL must look after it: more primes, or
// something left out.
std::optional<RsaNumbers> rsa_numbers(const der::Parsed& pkcs1) {
  const auto& items = pkcs1.items;
  const bool usual = der::to_int64(items[0].content) == 0 && der::to_int64(items[2].content) > 1 &&
                     items[6].present && items[7].present && items[8].present && !items[9].present;
  if (!usual) return std::nullopt;
  auto text = [&](size_t i) { return std::string(items[i].content); };
  return RsaNumbers{text(1), text(2), text(4), text(5), text(6), text(7), text(8)};
}

Result<PrivateKey> rsa_key(std::string pkcs1) {
  PrivateKey key;
  key.kind = KeyKind::kRsa;
  key.der = std::move(pkcs1);
  const auto parsed = TRY(der::parse(key.der, kPkcs1));
  key.rsa = rsa_numbers(parsed);
  if (!key.rsa) {
    key.handle = load(EVP_PKEY_RSA, key.der);
    if (key.handle == nullptr) return bad("crypto/rsa: invalid private key");
  }
  key.public_key =
      der::sequence({der::integer(parsed.items[1].content), der::integer(parsed.items[2].content)});
  const std::string null = der::tlv(der::kNull, {});
  key.algorithm = der::sequence({der::oid::kRsa, null});
  key.signature = der::sequence({der::oid::kSha256Rsa, null});
  key.digest = 256;
  return key;
}

// Whether n = p * q; the primes' primality is taken on trust, as in Go.
bool is_product(std::string_view n, std::string_view p, std::string_view q) {
  auto number = [](std::string_view s) {
    return OpensslPtr<BIGNUM>(BN_bin2bn(uchars(s), static_cast<int>(s.size()), nullptr));
  };
  OpensslPtr<BIGNUM> have = number(n), a = number(p), b = number(q), product(BN_new());
  OpensslPtr<BN_CTX> context(BN_CTX_new());
  CHECK(BN_mul(product.get(), a.get(), b.get(), context.get()));
  return BN_cmp(product.get(), have.get()) == 0;
}

Result<PrivateKey> parse_pkcs1(std::string_view data) {
  auto parsed = der::parse(data, kPkcs1);
  if (!parsed) {
    // What encoding/asn1 leaves behind an error is nothing, so "trailing data" never hides one.
    if (fits(data, kSec1)) return use_instead("ParseECPrivateKey");
    if (fits(data, kPkcs8)) return use_instead("ParsePKCS8PrivateKey");
    return parsed.error();
  }
  if (!parsed->rest.empty()) return bad("asn1: syntax error: trailing data");
  const auto& items = parsed->items;
  if (der::to_int64(items[0].content) > 1) return bad("x509: unsupported private key version");
  for (size_t i : {1, 3, 4, 5, 6, 7, 8}) {
    if (items[i].present && der::sign(items[i].content) <= 0) {
      return bad("x509: private key contains zero or negative value");
    }
  }
  if (!items[9].present && !is_product(items[1].content, items[4].content, items[5].content)) {
    return bad("crypto/rsa: p * q != n");
  }
  return rsa_key(std::string(data));
}

// ---- elliptic curves ----

PrivateKey ec_key(const Curve& curve, OpensslPtr<EVP_PKEY> handle, std::string secret) {
  PrivateKey key;
  key.kind = KeyKind::kEcdsa;
  key.public_key = octet_param(handle.get(), OSSL_PKEY_PARAM_PUB_KEY);
  if (secret.size() < curve.bytes) secret.insert(0, curve.bytes - secret.size(), '\0');
  key.der = der::sequence({der::small_integer(1), der::octets(secret), der::tlv(0xa0, curve.oid),
                           der::tlv(0xa1, der::bits(key.public_key))});
  key.algorithm = der::sequence({der::oid::kEc, curve.oid});
  key.signature = der::sequence({curve.signature});
  key.digest = curve.digest;
  key.handle = std::move(handle);
  return key;
}

// `outer_curve`: the content of the object identifier around it (PKCS#8), which then decides.
Result<PrivateKey> parse_sec1(std::string_view data, const std::string_view* outer_curve) {
  auto parsed = der::parse(data, kSec1);
  if (!parsed) {
    if (fits(data, kPkcs8)) return use_instead("ParsePKCS8PrivateKey");
    if (fits(data, kPkcs1)) return use_instead("ParsePKCS1PrivateKey");
    return bad("x509: failed to parse EC private key: " + parsed.error().text());
  }
  const auto& items = parsed->items;
  if (int64_t version = der::to_int64(items[0].content); version != 1) {
    return bad("x509: unknown EC private key version " + std::to_string(version));
  }
  const std::string wanted =
      der::tlv(der::kOid, outer_curve != nullptr ? *outer_curve : items[2].content);
  const Curve* curve = nullptr;
  for (const Curve& c : kCurves) {
    if (c.oid == wanted) curve = &c;
  }
  if (curve == nullptr) return bad("x509: unknown elliptic curve");
  std::string_view secret = items[1].content;
  while (secret.size() > curve->bytes) {
    if (secret[0] != 0) return bad("x509: invalid private key length");
    secret.remove_prefix(1);
  }
  std::string padded = std::string(curve->bytes - secret.size(), '\0').append(secret);
  auto handle =
      load(EVP_PKEY_EC,
           der::sequence({der::small_integer(1), der::octets(padded), der::tlv(0xa0, curve->oid)}));
  if (handle == nullptr) return bad("crypto/ecdsa: invalid private key");
  return ec_key(*curve, std::move(handle), std::move(padded));
}

// ---- Edwards and Montgomery curves: 32 bytes in PKCS#8 ----

Result<PrivateKey> raw_key(KeyKind kind, std::string_view secret) {
  const bool ed = kind == KeyKind::kEd25519;
  start_openssl();
  PrivateKey key;
  key.kind = kind;
  key.handle.reset(EVP_PKEY_new_raw_private_key(ed ? EVP_PKEY_ED25519 : EVP_PKEY_X25519, nullptr,
                                                uchars(secret), secret.size()));
  if (key.handle == nullptr) return bad("crypto/ecdh: invalid private key size");
  key.public_key = octet_param(key.handle.get(), OSSL_PKEY_PARAM_PUB_KEY);
  key.algorithm = der::sequence({ed ? der::oid::kEd25519 : der::oid::kX25519});
  if (ed) key.signature = key.algorithm;
  key.der = der::sequence({der::small_integer(0), key.algorithm, der::octets(der::octets(secret))});
  return key;
}

Result<PrivateKey> parse_raw(KeyKind kind, std::string_view parameters, std::string_view data) {
  const std::string name = kind == KeyKind::kEd25519 ? "Ed25519" : "X25519";
  if (!parameters.empty()) return bad("x509: invalid " + name + " private key parameters");
  // An octet string alone is what Go reads here; wrapping it makes a structure of one field.
  static const Struct one{"", {{Kind::kOctets}}};
  const std::string wrapped = der::sequence({data});
  auto parsed = der::parse(wrapped, one);
  if (!parsed) return bad("x509: invalid " + name + " private key: " + parsed.error().text());
  std::string secret(parsed->items[0].content);
  if (kind == KeyKind::kEd25519 && secret.size() != 32) {
    return bad("x509: invalid Ed25519 private key length: " + std::to_string(secret.size()));
  }
  return raw_key(kind, secret);
}

// ---- containers ----

Result<PrivateKey> parse_pkcs8(std::string_view data) {
  auto parsed = der::parse(data, kPkcs8);
  if (!parsed) {
    if (fits(data, kSec1)) return use_instead("ParseECPrivateKey");
    if (fits(data, kPkcs1)) return use_instead("ParsePKCS1PrivateKey");
    return parsed.error();
  }
  const std::string algorithm = der::tlv(der::kOid, parsed->items[1].content);
  std::string_view parameters = parsed->items[2].content;
  std::string_view inner = parsed->items[3].content;
  if (algorithm == der::oid::kRsa) {
    auto key = parse_pkcs1(inner);
    if (!key) {
      return bad("x509: failed to parse RSA private key embedded in PKCS#8: " + key.error().text());
    }
    return key;
  }
  if (algorithm == der::oid::kEc) {
    static const Struct one{"", {{Kind::kOid}}};
    const std::string wrapped = der::sequence({parameters});
    auto curve = der::parse(wrapped, one);
    const std::string_view content = curve ? curve->items[0].content : std::string_view();
    auto key = parse_sec1(inner, curve ? &content : nullptr);
    if (!key) {
      return bad("x509: failed to parse EC private key embedded in PKCS#8: " + key.error().text());
    }
    return key;
  }
  if (algorithm == der::oid::kEd25519) return parse_raw(KeyKind::kEd25519, parameters, inner);
  if (algorithm == der::oid::kX25519) return parse_raw(KeyKind::kX25519, parameters, inner);
  return bad("x509: PKCS#8 wrapping contained private key with unknown algorithm: " +
             der::oid_text(parsed->items[1].content));
}

Result<PrivateKey> parse_dsa(std::string_view data) {
  auto parsed = TRY(der::parse(data, kDsa));
  PrivateKey key;
  key.kind = KeyKind::kDsa;
  key.der.assign(data.substr(0, data.size() - parsed.rest.size()));
  return key;
}

}  // namespace

PrivateKey new_rsa_key(int bits) {
  auto key = rsa_key(generate_rsa_pkcs1(bits));
  CHECK(key.has_value());
  return *std::move(key);
}

std::string private_key_pem(const PrivateKey& key) {
  switch (key.kind) {
    case KeyKind::kRsa:
      return pem_encode("RSA PRIVATE KEY", key.der);
    case KeyKind::kEcdsa:
      return pem_encode("EC PRIVATE KEY", key.der);
    case KeyKind::kDsa:
      return pem_encode("DSA PRIVATE KEY", key.der);
    default:
      return pem_encode("PRIVATE KEY", key.der);
  }
}

Result<PrivateKey> parse_private_key(std::string_view pem) {
  auto block = pem_decode(pem);
  if (!block) return bad("no PEM data in input");
  auto within = [](Result<PrivateKey> key, std::string_view activity) {
    if (!key) key = Error::wrap(activity, std::move(key).error());
    return key;
  };
  std::string_view type = block->type;
  if (type == "PRIVATE KEY") return within(parse_pkcs8(block->bytes), "decoding PEM as PKCS#8");
  if (!type.ends_with(" PRIVATE KEY")) {
    return bad("no private key data in PEM block of type " + block->type);
  }
  if (type == "RSA PRIVATE KEY") {
    return within(parse_pkcs1(block->bytes), "parsing RSA private key from PEM");
  }
  if (type == "EC PRIVATE KEY") {
    return within(parse_sec1(block->bytes, nullptr), "parsing EC private key from PEM");
  }
  if (type == "DSA PRIVATE KEY") {
    return within(parse_dsa(block->bytes), "parsing DSA private key from PEM");
  }
  return bad("invalid private key type " + block->type);
}

Result<std::string> generate_private_key(std::string_view kind) {
  if (kind.empty() || kind == "rsa") return pem_encode("RSA PRIVATE KEY", generate_rsa_pkcs1(4096));
  start_openssl();
  if (kind == "ecdsa") {
    OpensslPtr<EVP_PKEY> handle(EVP_EC_gen("P-256"));
    CHECK(handle != nullptr);
    std::string secret = bn_param(handle.get(), OSSL_PKEY_PARAM_PRIV_KEY);
    return private_key_pem(ec_key(kCurves[1], std::move(handle), std::move(secret)));
  }
  if (kind == "ed25519") {
    auto key = raw_key(KeyKind::kEd25519, random_bytes(32));
    CHECK(key.has_value());
    return private_key_pem(*key);
  }
  if (kind == "dsa") {
    OpensslPtr<EVP_PKEY_CTX> context(EVP_PKEY_CTX_new_from_name(nullptr, "DSA", nullptr));
    EVP_PKEY* raw = nullptr;
    CHECK(EVP_PKEY_paramgen_init(context.get()) == 1);
    CHECK(EVP_PKEY_CTX_set_dsa_paramgen_bits(context.get(), 2048) == 1);
    CHECK(EVP_PKEY_CTX_set_dsa_paramgen_q_bits(context.get(), 256) == 1);
    CHECK(EVP_PKEY_paramgen(context.get(), &raw) == 1);
    OpensslPtr<EVP_PKEY> parameters(raw);
    context.reset(EVP_PKEY_CTX_new(raw, nullptr));
    raw = nullptr;
    CHECK(EVP_PKEY_keygen_init(context.get()) == 1 && EVP_PKEY_keygen(context.get(), &raw) == 1);
    OpensslPtr<EVP_PKEY> key(raw);
    auto n = [&](const char* name) { return der::integer(bn_param(raw, name)); };
    return pem_encode("DSA PRIVATE KEY",
                      der::sequence({der::small_integer(0), n(OSSL_PKEY_PARAM_FFC_P),
                                     n(OSSL_PKEY_PARAM_FFC_Q), n(OSSL_PKEY_PARAM_FFC_G),
                                     n(OSSL_PKEY_PARAM_PUB_KEY), n(OSSL_PKEY_PARAM_PRIV_KEY)}));
  }
  return bad("Unknown type " + std::string(kind));
}

Result<std::string> sign(const PrivateKey& key, std::string_view message) {
  EVP_PKEY* handle = key.handle.get();
  OpensslPtr<EVP_PKEY> loaded;
  if (key.kind == KeyKind::kRsa) {
    const int bits = key.rsa ? rsa_bits(*key.rsa) : EVP_PKEY_get_bits(handle);
    if (bits < 1024) {
      return bad("crypto/rsa: " + std::to_string(bits) +
                 "-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)");
    }
    if (key.rsa) {
      if (auto signature = rsa_sign_sha256(*key.rsa, message)) return *std::move(signature);
      loaded = load(EVP_PKEY_RSA, key.der);
      if (loaded == nullptr) return bad("crypto/rsa: invalid private key");
      handle = loaded.get();
    }
  }
  const EVP_MD* digest = key.digest == 256   ? EVP_sha256()
                         : key.digest == 384 ? EVP_sha384()
                         : key.digest == 512 ? EVP_sha512()
                                             : nullptr;
  OpensslPtr<EVP_MD_CTX> context(EVP_MD_CTX_new());
  std::string out;
  size_t size = 0;
  bool good = EVP_DigestSignInit(context.get(), nullptr, digest, nullptr, handle) == 1 &&
              EVP_DigestSign(context.get(), nullptr, &size, uchars(message), message.size()) == 1;
  if (good) {
    out.resize(size);
    good = EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size,
                          uchars(message), message.size()) == 1;
    out.resize(size);
  }
  if (!good) return bad("crypto/rsa: message too long for RSA key size");
  return out;
}

}  // namespace pintle::crypt
