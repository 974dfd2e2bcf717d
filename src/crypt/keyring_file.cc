// A keybox (GnuPG's pubring.kbx) is a row of blobs, each with its length in front: 4 bytes length,
// 1 type, 1 version, 2 flags; in OpenPGP blobs then 4 bytes offset and 4 bytes length of the key
// packets inside the blob. Numbers are big-endian. The first blob is a header with "KBXf" at 8.
#include "crypt/keyring_file.h"

#include "base/gotext.h"
#include "crypt/clear_sign.h"

namespace pintle::crypt {
namespace {

constexpr uint8_t kHeaderBlob = 1, kOpenPgpBlob = 2;
constexpr uint64_t kEphemeral = 2;  // a key GnuPG has not taken into the ring
constexpr size_t kMinBlob = 5, kMinOpenPgpBlob = 16;

Error bad(std::string text) { return Error(std::move(text), Code::kInvalidArgument); }

uint64_t number(std::string_view s, size_t at, size_t size) {
  uint64_t n = 0;
  for (unsigned char c : s.substr(at, size)) n = n << 8 | c;
  return n;
}

bool is_keybox(std::string_view data) {
  return data.size() >= 12 && data[4] == kHeaderBlob && data.substr(8, 4) == "KBXf";
}

Result<std::string> from_keybox(std::string_view data) {
  std::string out;
  for (size_t offset = 0; offset < data.size();) {
    const std::string at = " at offset " + std::to_string(offset);
    const std::string_view rest = data.substr(offset);
    if (rest.size() < kMinBlob) return bad("truncated blob header" + at);
    const uint64_t size = number(rest, 0, 4);
    if (size < kMinBlob) return bad("invalid blob length " + std::to_string(size) + at);
    if (size > rest.size()) {
      return bad("blob" + at + " has length " + std::to_string(size) + " exceeding the " +
                 std::to_string(rest.size()) + " remaining bytes");
    }
    const std::string_view blob = rest.substr(0, size);
    if (blob[4] == kOpenPgpBlob) {
      if (size < kMinOpenPgpBlob) return bad("OpenPGP blob" + at + " is too short");
      const uint64_t from = number(blob, 8, 4), length = number(blob, 12, 4);
      if (from + length > size) return bad("OpenPGP blob" + at + " has an out-of-range keyblock");
      if ((number(blob, 6, 2) & kEphemeral) == 0) out.append(blob.substr(from, length));
    }
    offset += size;
  }
  if (out.empty()) return bad("keybox contains no OpenPGP keys");
  return out;
}

Result<std::string> from_armor(std::string_view data) {
  std::string out;
  while (true) {
    auto block = TRY(next_armored(&data));
    if (!block) break;
    if (block->type != "PGP PUBLIC KEY BLOCK" && block->type != "PGP PRIVATE KEY BLOCK") {
      return bad("expected a public or private key block, got " + quote(block->type));
    }
    out.append(block->bytes);
  }
  if (out.empty()) return bad("no keys found");
  return out;
}

// librnp skips what it cannot read; Go refuses a ring that does not start as one.
Status check_start(std::string_view packets) {
  if (packets.empty()) return ok();
  const uint8_t tag = static_cast<uint8_t>(packets[0]);
  if ((tag & 0x80) == 0) return bad("openpgp: invalid data: tag byte does not have MSB set");
  const int type = (tag & 0x40) != 0 ? tag & 0x3f : tag >> 2 & 0x0f;
  constexpr int kSecretKey = 5, kPublicKey = 6, kMarker = 10;
  if (type != kSecretKey && type != kPublicKey && type != kMarker) {
    return bad("openpgp: invalid data: first packet was not a public/private key");
  }
  return ok();
}

}  // namespace

Result<std::string> keyring_packets(std::string_view data, std::string_view path) {
  const bool keybox = is_keybox(data);
  const bool armored = !keybox && trim_space(data).starts_with("-----BEGIN PGP");
  if (!keybox && !armored) {
    TRY(check_start(data));
    return std::string(data);
  }
  auto packets = keybox ? from_keybox(data) : from_armor(data);
  if (!packets) {
    return Error::wrap(
        std::string(keybox ? "reading keybox " : "reading armored keyring ") + std::string(path),
        std::move(packets).error());
  }
  TRY(check_start(*packets));
  return packets;
}

}  // namespace pintle::crypt
