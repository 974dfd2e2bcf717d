// The keys under tests/fixtures/pgp were made for this test with GnuPG 2.2: Ada's is open, Bo's is
// locked with "open sesame".
#include "crypt/pgp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "crypt/keyring_file.h"
#include "crypt/rnp.h"
#include "sys/disk.h"

namespace pintle::crypt {
namespace {

std::string fixture(const std::string& name) {
  const char* root = std::getenv("PINTLE_SOURCE_DIR");
  auto data = sys::real_disk().read_file(std::string(root == nullptr ? "." : root) +
                                         "/tests/fixtures/pgp/" + name);
  EXPECT_TRUE(data) << name;
  return data ? *data : "";
}

const std::string kAda = "Ada Example (plain) <ada@example.org>";
const std::string kBo = "Bo Example <bo@example.org>";
constexpr const char* kText = "a: b  \n- x\n--- y\n\n...\nfiles:\n  z: sha256:0\n";

TEST(ClearSign, DecodesWhatItEncodes) {
  const std::string message = encode_clear_signed(kText, "SHA512", "packets");
  EXPECT_EQ(message,
            "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\na: b\n- - x\n- --- y\n\n...\n"
            "files:\n  z: sha256:0\n\n-----BEGIN PGP SIGNATURE-----\n\ncGFja2V0cw==\n"
            "-----END PGP SIGNATURE-----");
  auto decoded = decode_clear_signed(message);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->text, "a: b\n- x\n--- y\n\n...\nfiles:\n  z: sha256:0\n");
  EXPECT_EQ(decoded->canonical, canonical_text(kText));
  EXPECT_EQ(decoded->signature, "packets");
}

TEST(ClearSign, MalformedMessagesAreNone) {
  const std::string good = encode_clear_signed("x", "SHA512", "p");
  ASSERT_TRUE(decode_clear_signed("junk\n" + good + "\nmore"));
  for (const std::string& bad :
       {std::string(), std::string("x"), "junk" + good, good.substr(0, 60),
        good.substr(0, good.size() - 9), encode_clear_signed("x", "SHA9", "p"),
        std::string("-----BEGIN PGP SIGNED MESSAGE-----\nComment: x\n\nx\n")}) {
    EXPECT_FALSE(decode_clear_signed(bad)) << bad;
  }
}

std::string packets_error(std::string_view data) {
  auto packets = keyring_packets(data, "ring");
  return packets ? "" : packets.error().text();
}

TEST(KeyringFile, DamagedKeyboxesAreExplained) {
  const std::string good = fixture("public.kbx");
  ASSERT_EQ(packets_error(good), "");
  auto changed = [&](size_t at, std::string_view bytes) {
    std::string s = good;
    return s.replace(at, bytes.size(), bytes);
  };
  using namespace std::string_view_literals;
  EXPECT_EQ(packets_error(good.substr(0, 34)),
            "reading keybox ring: truncated blob header at offset 32");
  EXPECT_EQ(packets_error(changed(32, "\0\0\0\4"sv)),
            "reading keybox ring: invalid blob length 4 at offset 32");
  EXPECT_EQ(packets_error(changed(32, "\xff\xff\xff\xff")),
            "reading keybox ring: blob at offset 32 has length 4294967295 exceeding the " +
                std::to_string(good.size() - 32) + " remaining bytes");
  EXPECT_EQ(packets_error(changed(40, "\xff\xff\xff\xff")),
            "reading keybox ring: OpenPGP blob at offset 32 has an out-of-range keyblock");
  EXPECT_EQ(packets_error(good.substr(0, 32) + std::string("\0\0\0\10\2\1\0\0"sv)),
            "reading keybox ring: OpenPGP blob at offset 32 is too short");
  EXPECT_EQ(packets_error(good.substr(0, 32)),
            "reading keybox ring: keybox contains no OpenPGP keys");
}

TEST(KeyringFile, OtherFilesAreExplained) {
  EXPECT_EQ(packets_error("name: x\n"), "openpgp: invalid data: tag byte does not have MSB set");
  EXPECT_EQ(packets_error("\xb4\x01x"),
            "openpgp: invalid data: first packet was not a public/private key");
  EXPECT_EQ(packets_error(""), "");
  EXPECT_EQ(packets_error("-----BEGIN PGP PUBLIC KEY BLOCK-----\n"),
            "reading armored keyring ring: no keys found");
  EXPECT_EQ(packets_error("-----BEGIN PGP MESSAGE-----\n\nYQ==\n-----END PGP MESSAGE-----\n"),
            "reading armored keyring ring: expected a public or private key block, got \"PGP "
            "MESSAGE\"");
}

class Rings : public testing::Test {
 protected:
  void SetUp() override {
    if (!Rnp::open()) GTEST_SKIP() << Rnp::open().error().text();
  }
  static Keyring ring(const std::string& name) {
    auto loaded = Keyring::parse(fixture(name), name);
    EXPECT_TRUE(loaded) << loaded.error().text();
    return *std::move(loaded);
  }
  static Result<std::string> sesame(const std::string&) { return std::string("open sesame"); }
};

TEST_F(Rings, EveryFormatGivesTheSameKeys) {
  for (const char* name : {"public.gpg", "public.asc", "public.kbx", "secret.gpg"}) {
    const Keyring keys = ring(name);
    ASSERT_EQ(keys.keys().size(), 2u) << name;
    std::vector<std::string> users;
    for (const PgpKey& k : keys.keys()) {
      EXPECT_EQ(k.fingerprint.size(), 40u);
      EXPECT_EQ(k.secret, std::string(name) == "secret.gpg");
      users.insert(users.end(), k.user_ids.begin(), k.user_ids.end());
    }
    std::sort(users.begin(), users.end());
    EXPECT_EQ(users, (std::vector<std::string>{kAda, kBo})) << name;
  }
  EXPECT_TRUE(ring("public.gpg").find("nobody").value() == nullptr);
}

TEST_F(Rings, ChoosesKeysAsHelmDoes) {
  const Keyring keys = ring("secret.gpg");
  EXPECT_EQ((*keys.find(kBo))->user_ids[0], kBo);
  EXPECT_EQ((*keys.find("ada@"))->user_ids[0], kAda);
  EXPECT_EQ(keys.find("Example").error().text(), "more than one key contain the id \"Example\"");
}

TEST_F(Rings, VerifiesWhatGnupgSigned) {
  const Keyring keys = ring("public.kbx");
  auto message = decode_clear_signed(fixture("message.asc"));
  ASSERT_TRUE(message);
  auto signer = keys.verify(*message);
  ASSERT_TRUE(signer) << signer.error().text();
  EXPECT_EQ(signer->user_ids[0], kAda);
  message->canonical += "x";
  EXPECT_EQ(keys.verify(*message).error().text(),
            "openpgp: invalid signature: hash tag doesn't match");
  message->signature = "junk";
  EXPECT_FALSE(keys.verify(*message));
  EXPECT_EQ(
      Keyring::parse("", "x")->verify(*decode_clear_signed(fixture("message.asc"))).error().text(),
      "openpgp: signature made by unknown entity");
}

TEST_F(Rings, SignsWithOpenAndLockedKeys) {
  const Keyring keys = ring("secret.gpg");
  for (const std::string& user : {kAda, kBo}) {
    auto signed_text = keys.clear_sign(*keys.find(user), kText, sesame);
    ASSERT_TRUE(signed_text) << signed_text.error().text();
    auto signer = ring("public.gpg").verify(*decode_clear_signed(*signed_text));
    ASSERT_TRUE(signer) << signer.error().text();
    EXPECT_EQ(signer->user_ids[0], user);
  }
  auto wrong = [](const std::string&) -> Result<std::string> { return std::string("wrong"); };
  EXPECT_EQ(keys.clear_sign(*keys.find(kBo), kText, wrong).error().text(),
            "openpgp: invalid data: private key checksum failure");
  EXPECT_EQ(keys.clear_sign(nullptr, kText, sesame).error().text(), "private key not found");
  const Keyring open = ring("public.gpg");
  EXPECT_EQ(open.clear_sign(*open.find(kAda), kText, sesame).error().text(),
            "provided key is not a private key. Try providing a keyring with secret keys");
}

}  // namespace
}  // namespace pintle::crypt
