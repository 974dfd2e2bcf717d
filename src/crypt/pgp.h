// OpenPGP keyrings for chart provenance: load, choose a key, clear-sign, verify. Door to librnp,
// which is opened when the first keyring is loaded (some 10 ms); without it every call fails with
// the loader's text. Not thread-safe: one thread per Keyring.
// Behaviour and texts: Helm 4.3.1 pkg/provenance over ProtonMail/go-crypto 1.4.1.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "crypt/clear_sign.h"

namespace pintle::crypt {

struct PgpKey {
  std::string fingerprint;            // of the primary key, upper-case hex
  std::vector<std::string> user_ids;  // "Name (comment) <mail>"
  bool secret = false;                // the private half is there
  bool locked = false;                // and needs a passphrase
};

class Keyring {
 public:
  // `data`: binary packets, a GnuPG keybox or ASCII armor, told apart by their content. `path`
  // names the file in errors ("reading keybox PATH: truncated blob header at offset 3").
  static Result<Keyring> parse(std::string_view data, std::string_view path);

  const std::vector<PgpKey>& keys() const;
  // The key with user id `id`, or the only one with a user id containing it; null: none.
  // Error: more than one key contain the id "x".
  Result<const PgpKey*> find(std::string_view id) const;

  // Asked once, with a user id of the key, when the key is locked.
  using Passphrase = std::function<Result<std::string>(const std::string& user_id)>;
  // `key`: from find(); null gives "private key not found". SHA-512.
  Result<std::string> clear_sign(const PgpKey* key, std::string_view text,
                                 const Passphrase& passphrase) const;

  // Who signed it, of the keys of this ring. Errors: "openpgp: signature made by unknown entity",
  // "openpgp: invalid signature: hash tag doesn't match" and the like.
  Result<PgpKey> verify(const ClearSigned& message) const;

  ~Keyring();
  Keyring(Keyring&&) noexcept;
  Keyring& operator=(Keyring&&) noexcept;

 private:
  struct Rep;
  explicit Keyring(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

}  // namespace pintle::crypt
