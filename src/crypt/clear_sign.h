// Clear-signed OpenPGP text (RFC 4880 section 7) as go-crypto reads and writes it: the text and its
// armor only, no cryptography. Pure; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pintle::crypt {

struct ClearSigned {
  std::string text;       // lines end in \n, no trailing white space, none after the last line
  std::string canonical;  // what is signed: the same with \r\n
  std::string signature;  // binary packets
};

// nullopt: no well-formed block ("signature block not found" in Helm's words).
std::optional<ClearSigned> decode_clear_signed(std::string_view message);

// What decode_clear_signed would find as `canonical` in a message made of `text`.
std::string canonical_text(std::string_view text);
// The message; `hash` as "SHA512". No newline at its end, as go-crypto.
std::string encode_clear_signed(std::string_view text, std::string_view hash,
                                std::string_view signature);

struct Armored {
  std::string type;  // "PGP PUBLIC KEY BLOCK"
  std::string bytes;
};
// The next armored block of *text, which is moved behind it; nullopt: none. Errors: go-crypto's
// ("openpgp: invalid data: armor invalid").
Result<std::optional<Armored>> next_armored(std::string_view* text);

}  // namespace pintle::crypt
