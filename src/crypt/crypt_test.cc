#include "crypt/crypt.h"

#include <gtest/gtest.h>

#include "crypt/keys.h"
#include "crypt/openssl.h"
#include "crypt/pem.h"

namespace pintle::crypt {
namespace {

std::string text_of(const Result<std::string>& r) { return r ? *r : r.error().text(); }

TEST(Hash, KnownVectors) {
  EXPECT_EQ(hex(sha1("abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha512("abc")).substr(0, 32), "ddaf35a193617abacc417349ae204131");
  EXPECT_EQ(hex(hmac_sha256("key", "The quick brown fox jumps over the lazy dog")),
            "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8");
  EXPECT_EQ(hmac_sha256(std::string(65, 'k'), "x"), hmac_sha256(sha256(std::string(65, 'k')), "x"));
  EXPECT_EQ(adler32("Wikipedia"), 0x11E60398u);
  EXPECT_EQ(adler32(""), 1u);
  EXPECT_EQ(adler32(std::string(100000, '\xff')), 0x149a302cu);
}

TEST(Base64, RoundTripsEveryLength) {
  std::string data;
  for (int i = 0; i < 70; ++i) {
    EXPECT_EQ(text_of(base64_decode(base64_encode(data))), data);
    EXPECT_EQ(text_of(base32_decode(base32_encode(data))), data);
    data += static_cast<char>(i * 37 + 200);
  }
}

TEST(Base64, ErrorsPointWhereGoStops) {
  const std::pair<const char*, const char*> cases[] = {
      {"YWJj", "abc"},
      {"YW\r\nJj\n", "abc"},
      {"YQ==\n", "a"},
      {"YWI=", "ab"},
      {"", ""},
      {"YQ", "illegal base64 data at input byte 0"},
      {"YWJjY", "illegal base64 data at input byte 4"},
      {"YQ=", "illegal base64 data at input byte 3"},
      {"YQ=a", "illegal base64 data at input byte 2"},
      {"YQ==a", "illegal base64 data at input byte 4"},
      {"Y===", "illegal base64 data at input byte 1"},
      {"YW!j", "illegal base64 data at input byte 2"},
      {"YW-_", "illegal base64 data at input byte 2"},
  };
  for (auto [in, want] : cases) EXPECT_EQ(text_of(base64_decode(in)), want) << in;
}

TEST(Base32, ErrorsPointWhereGoStops) {
  const std::pair<const char*, const char*> cases[] = {
      {"MFRGG===", "abc"},
      {"MF\nRGG===", "abc"},
      {"", ""},
      {"MFRGG", "illegal base32 data at input byte 0"},
      {"mfrgg===", "illegal base32 data at input byte 0"},
      {"MFRGG==", "illegal base32 data at input byte 7"},
      {"MFR=====", "illegal base32 data at input byte 3"},
      {"MFRGG=A=", "illegal base32 data at input byte 5"},
  };
  for (auto [in, want] : cases) EXPECT_EQ(text_of(base32_decode(in)), want) << in;
}

TEST(Random, HasTheAskedShape) {
  EXPECT_EQ(random_bytes(0), "");
  EXPECT_EQ(random_bytes(1000).size(), 1000u);
  EXPECT_NE(random_bytes(16), random_bytes(16));
  std::string id = uuid_v4();
  ASSERT_EQ(id.size(), 36u);
  EXPECT_EQ(id[14], '4');
  EXPECT_NE(std::string("89ab").find(id[19]), std::string::npos);
  bool seen[3] = {};
  for (int i = 0; i < 200; ++i) seen[random_below(3)] = true;
  EXPECT_TRUE(seen[0] && seen[1] && seen[2]);
}

TEST(Password, BcryptIsGosTwoA) {
  auto hash = bcrypt("secret");
  ASSERT_TRUE(hash);
  EXPECT_EQ(hash->size(), 60u);
  EXPECT_EQ(hash->substr(0, 7), "$2a$10$");
  EXPECT_EQ(text_of(bcrypt(std::string(73, 'x'))), "bcrypt: password length exceeds 72 bytes");
}

TEST(Password, ScryptKnownVector) {
  EXPECT_EQ(hex(scrypt("password", "NaCl", 1024, 8, 16, 64)).substr(0, 32),
            "fdbabe1c9d3472007856e7190d01e9fe");
}

TEST(Aes, DecryptsWhatItEncrypts) {
  for (std::string text : {"", "x", "exactly16bytes!!", "longer than one block of text"}) {
    std::string sealed = aes_encrypt("pw", text);
    EXPECT_EQ(sealed.size(), 16 + (text.size() / 16 + 1) * 16);
    EXPECT_EQ(text_of(aes_decrypt("pw", sealed)), text);
  }
  EXPECT_EQ(text_of(aes_decrypt("k", std::string(18, 'x'))),
            "crypto/cipher: input not full blocks");
  EXPECT_EQ(text_of(aes_decrypt("k", std::string(16, 'x'))),
            "runtime error: index out of range [-1]");
}

TEST(Pem, TakesTheFirstGoodBlock) {
  EXPECT_EQ(pem_decode("junk\n-----BEGIN A-----\nYWJj\n-----END A-----\n")->bytes, "abc");
  EXPECT_EQ(pem_decode("-----BEGIN A-----\nYWJj\n-----END B-----\n"
                       "-----BEGIN C-----\nK: v\n\nYQ==\n-----END C-----")
                ->type,
            "C");
  EXPECT_EQ(pem_decode("-----BEGIN A-----\n-----END A-----\n")->bytes, "");
  EXPECT_FALSE(pem_decode("-----BEGIN A-----\nYWJj\n"));
  EXPECT_FALSE(pem_decode("x-----BEGIN A-----\nYWJj\n-----END A-----\n"));
  EXPECT_FALSE(pem_decode("-----BEGIN A-----\nYWJj\n-----END A----- x\n"));
  EXPECT_FALSE(pem_decode(""));
}

TEST(Keys, EveryKindIsReadBackUnchanged) {
  const std::pair<const char*, const char*> kinds[] = {
      {"ecdsa", "-----BEGIN EC PRIVATE KEY-----\n"}, {"ed25519", "-----BEGIN PRIVATE KEY-----\n"}};
  for (auto [kind, head] : kinds) {
    auto pem = generate_private_key(kind);
    ASSERT_TRUE(pem) << kind;
    EXPECT_TRUE(pem->starts_with(head)) << *pem;
    auto key = parse_private_key(*pem);
    ASSERT_TRUE(key) << key.error().text();
    EXPECT_EQ(private_key_pem(*key), *pem);
  }
  PrivateKey rsa = new_rsa_key(2048);
  auto again = parse_private_key(private_key_pem(rsa));
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->public_key, rsa.public_key);
  EXPECT_EQ(text_of(generate_private_key("RSA")), "Unknown type RSA");
}

TEST(Keys, NewRsaKeysPassOpensslsOwnCheck) {
  for (int bits : {1024, 2048, 4096}) {
    PrivateKey key = new_rsa_key(bits);
    const unsigned char* at = uchars(key.der);
    OpensslPtr<EVP_PKEY> handle(
        d2i_PrivateKey(EVP_PKEY_RSA, nullptr, &at, static_cast<long>(key.der.size())));
    ASSERT_NE(handle, nullptr);
    EXPECT_EQ(EVP_PKEY_get_bits(handle.get()), bits);
    OpensslPtr<EVP_PKEY_CTX> check(EVP_PKEY_CTX_new(handle.get(), nullptr));
    EXPECT_EQ(EVP_PKEY_check(check.get()), 1);
    // And what we sign with it, OpenSSL verifies.
    const std::string signature = *sign(key, "message");
    OpensslPtr<EVP_MD_CTX> verify(EVP_MD_CTX_new());
    ASSERT_EQ(EVP_DigestVerifyInit(verify.get(), nullptr, EVP_sha256(), nullptr, handle.get()), 1);
    EXPECT_EQ(
        EVP_DigestVerify(verify.get(), uchars(signature), signature.size(), uchars("message"), 7),
        1);
    // Numbers that do not belong together make no signature of ours.
    RsaNumbers mixed = *key.rsa;
    mixed.dp.back() ^= 2;
    EXPECT_FALSE(rsa_sign_sha256(mixed, "message"));
    std::swap(mixed.n, mixed.p);
    EXPECT_FALSE(rsa_sign_sha256(mixed, "message"));
    mixed.p = mixed.q = "";
    EXPECT_FALSE(rsa_sign_sha256(mixed, "message"));
  }
}

std::string key_error(std::string_view type, std::string_view bytes) {
  auto key = parse_private_key(pem_encode(type, bytes));
  return key ? "no error" : key.error().text();
}

TEST(Keys, ErrorsAreGos) {
  using namespace std::string_view_literals;
  const std::string mismatch =
      "asn1: structure error: tags don't match (16 vs {class:1 tag:1 length:98 isCompound:true}) "
      "{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> "
      "stringType:0 timeType:0 set:false omitEmpty:false} ";
  EXPECT_EQ(parse_private_key("bad").error().text(), "no PEM data in input");
  EXPECT_EQ(key_error("FOO", "abc"), "no private key data in PEM block of type FOO");
  EXPECT_EQ(key_error("XX PRIVATE KEY", "abc"), "invalid private key type XX PRIVATE KEY");
  EXPECT_EQ(key_error("PRIVATE KEY", "abc"), "decoding PEM as PKCS#8: " + mismatch + "pkcs8 @2");
  EXPECT_EQ(key_error("RSA PRIVATE KEY", "abc"),
            "parsing RSA private key from PEM: " + mismatch + "pkcs1PrivateKey @2");
  EXPECT_EQ(key_error("EC PRIVATE KEY", "abc"),
            "parsing EC private key from PEM: x509: failed to parse EC private key: " + mismatch +
                "ecPrivateKey @2");
  EXPECT_EQ(key_error("DSA PRIVATE KEY", "abc"),
            "parsing DSA private key from PEM: " + mismatch + "DSAKeyFormat @2");
  EXPECT_EQ(key_error("RSA PRIVATE KEY", ""),
            "parsing RSA private key from PEM: asn1: syntax error: sequence truncated");
  EXPECT_EQ(key_error("RSA PRIVATE KEY", "\x30\x05\x02\x01\x00"sv),
            "parsing RSA private key from PEM: asn1: syntax error: data truncated");
  PrivateKey rsa = new_rsa_key(1024);
  EXPECT_EQ(key_error("EC PRIVATE KEY", rsa.der),
            "parsing EC private key from PEM: x509: failed to parse private key (use "
            "ParsePKCS1PrivateKey instead for this key format)");
}

// A certificate read by OpenSSL, for looking at.
struct Read {
  OpensslPtr<X509> cert;
  explicit Read(const std::string& pem) {
    auto block = pem_decode(pem);
    const unsigned char* at = uchars(block->bytes);
    cert.reset(d2i_X509(nullptr, &at, static_cast<long>(block->bytes.size())));
  }
  bool signed_by(const Read& ca) const {
    return X509_verify(cert.get(), X509_get0_pubkey(ca.cert.get())) == 1;
  }
};

TEST(Certificates, ACaSignsWhatVerifies) {
  CertRequest request;
  request.common_name = "ca";
  request.days = 365;
  auto ca = make_ca(request);
  ASSERT_TRUE(ca) << ca.error().text();
  request.common_name = "leaf";
  request.ips = {*parse_ip("10.0.0.1"), *parse_ip("::1")};
  request.dns_names = {"*.example.org"};
  auto leaf = make_signed(request, *ca);
  ASSERT_TRUE(leaf) << leaf.error().text();
  Read a(ca->cert), b(leaf->cert);
  ASSERT_TRUE(a.cert && b.cert);
  EXPECT_TRUE(a.signed_by(a));
  EXPECT_TRUE(b.signed_by(a));
  EXPECT_EQ(X509_check_ca(a.cert.get()), 1);
  EXPECT_EQ(X509_check_ca(b.cert.get()), 0);
  EXPECT_EQ(X509_check_issued(a.cert.get(), b.cert.get()), X509_V_OK);
  EXPECT_EQ(X509_get_key_usage(b.cert.get()),
            static_cast<uint32_t>(KU_DIGITAL_SIGNATURE | KU_KEY_ENCIPHERMENT));
  EXPECT_EQ(X509_check_host(b.cert.get(), "a.example.org", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_ip_asc(b.cert.get(), "10.0.0.1", 0), 1);
  int days = 0, seconds = 0;
  ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(b.cert.get()),
                 X509_get0_notAfter(b.cert.get()));
  EXPECT_EQ(days, 365);
}

TEST(Certificates, GivenKeysOfEachKindSign) {
  for (const char* kind : {"ecdsa", "ed25519"}) {
    CertRequest request;
    request.common_name = "cn";
    request.key_pem = *generate_private_key(kind);
    auto made = make_self_signed(request);
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_EQ(made->key, *request.key_pem);
    Read read(made->cert);
    EXPECT_TRUE(read.signed_by(read)) << kind;
    auto checked = check_certificate(made->cert, made->key);
    EXPECT_TRUE(checked && checked->cert == made->cert);
  }
}

TEST(Certificates, ErrorsAreSprigs) {
  CertRequest request;
  request.key_pem = "bad";
  EXPECT_EQ(make_ca(request).error().text(), "parsing private key: no PEM data in input");
  request.key_pem = *generate_private_key("ecdsa");
  Certificate junk{"x", "y"};
  EXPECT_EQ(make_signed(request, junk).error().text(), "unable to decode certificate");
  junk.cert = pem_encode("CERTIFICATE", "abc");
  EXPECT_EQ(make_signed(request, junk).error().text(),
            "error parsing certificate: decodedCert.Bytes: x509: malformed certificate");
  auto good = make_ca(request);
  ASSERT_TRUE(good);
  junk.cert = good->cert;
  EXPECT_EQ(make_signed(request, junk).error().text(),
            "error parsing private key: no PEM data in input");
  junk.key = *generate_private_key("ecdsa");
  EXPECT_EQ(make_signed(request, junk).error().text(),
            "error creating certificate: x509: provided PrivateKey doesn't match parent's "
            "PublicKey");
  request.names_error = Error("error parsing ip: x");
  EXPECT_EQ(make_self_signed(request).error().text(), "error parsing ip: x");
  request.names_error.reset();
  request.dns_names = {"\xc3\xa9"};
  EXPECT_EQ(make_self_signed(request).error().text(),
            "error creating certificate: x509: \"\xc3\xa9\" cannot be encoded as an IA5String");
  request.dns_names.clear();
  request.days = 4000000;  // a Go duration wraps long before that
  EXPECT_TRUE(make_self_signed(request));
}

TEST(Ip, ReadsWhatGoReads) {
  EXPECT_EQ(parse_ip("1.2.3.4")->size(), 4u);
  EXPECT_EQ(parse_ip("::ffff:1.2.3.4")->size(), 4u);
  EXPECT_EQ(parse_ip("fe80::1")->size(), 16u);
  for (const char* bad : {"", "1.2.3", "01.2.3.4", "fe80::1%eth0", "1.2.3.4/8", "::1::2", "x"}) {
    EXPECT_FALSE(parse_ip(bad)) << bad;
  }
}

}  // namespace
}  // namespace pintle::crypt
