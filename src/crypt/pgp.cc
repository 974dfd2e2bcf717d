// librnp holds the keys; this file asks it what Helm asks go-crypto, and says it in go-crypto's
// words. Text and armor are our own (clear_sign.cc): librnp's clear-signed messages differ in line
// breaks and headers, so a signature is made through one, taken out, and put into our message.
#include "crypt/pgp.h"

#include <algorithm>
#include <utility>

#include "base/gotext.h"
#include "base/strings.h"
#include "crypt/keyring_file.h"
#include "crypt/rnp.h"

namespace pintle::crypt {
namespace {

using Destroy = Rnp::Code (*)(Rnp::Handle);

// A librnp object, destroyed by the function that fits it.
class Owned {
 public:
  explicit Owned(Destroy destroy) : destroy_(destroy) {}
  Owned(Owned&& o) noexcept : destroy_(o.destroy_), handle_(std::exchange(o.handle_, nullptr)) {}
  Owned(const Owned&) = delete;
  ~Owned() {
    if (handle_ != nullptr) destroy_(handle_);
  }
  Rnp::Handle* out() { return &handle_; }
  Rnp::Handle get() const { return handle_; }

 private:
  Destroy destroy_;
  Rnp::Handle handle_ = nullptr;
};

Error invalid(std::string text) { return Error(std::move(text), Code::kInvalidArgument); }

// The text of a call that gives a string of the library's.
template <typename Get>
std::string text_of(const Rnp& rnp, Get get) {
  char* raw = nullptr;
  if (get(&raw) != Rnp::kSuccess || raw == nullptr) return {};
  std::string out(raw);
  rnp.buffer_destroy(raw);
  return out;
}

Status check(const Rnp& rnp, Rnp::Code code, std::string_view activity) {
  if (code == Rnp::kSuccess) return ok();
  return Error("openpgp: " + std::string(activity) + ": " + rnp.result_to_string(code));
}

}  // namespace

struct Keyring::Rep {
  const Rnp* rnp;
  Owned ffi;
  std::vector<PgpKey> keys;

  explicit Rep(const Rnp* r) : rnp(r), ffi(r->ffi_destroy) {}

  Result<Owned> input(std::string_view data) const {
    Owned in(rnp->input_destroy);
    TRY(check(*rnp,
              rnp->input_from_memory(in.out(), reinterpret_cast<const uint8_t*>(data.data()),
                                     data.size(), false),
              "reading"));
    return in;
  }

  Result<Owned> locate(const std::string& fingerprint) const {
    Owned key(rnp->key_handle_destroy);
    TRY(check(*rnp, rnp->locate_key(ffi.get(), "fingerprint", fingerprint.c_str(), key.out()),
              "looking for a key"));
    return key;
  }

  PgpKey describe(Rnp::Handle key) const {
    PgpKey out;
    out.fingerprint = text_of(*rnp, [&](char** s) { return rnp->key_get_fprint(key, s); });
    size_t count = 0;
    rnp->key_get_uid_count(key, &count);
    for (size_t i = 0; i < count; ++i) {
      out.user_ids.push_back(
          text_of(*rnp, [&](char** s) { return rnp->key_get_uid_at(key, i, s); }));
    }
    rnp->key_have_secret(key, &out.secret);
    if (out.secret) rnp->key_is_protected(key, &out.locked);
    return out;
  }

  Status load(const std::string& packets) {
    TRY(check(*rnp, rnp->ffi_create(ffi.out(), "GPG", "GPG"), "starting"));
    if (packets.empty()) return ok();
    const QuietStderr quiet;
    Owned in = TRY(input(packets));
    const uint32_t flags = Rnp::kPublicKeys | Rnp::kSecretKeys | Rnp::kPermissive;
    char* results = nullptr;
    const Rnp::Code code = rnp->import_keys(ffi.get(), in.get(), flags, &results);
    if (results != nullptr) rnp->buffer_destroy(results);
    if (code != Rnp::kSuccess) return invalid("openpgp: invalid data: unreadable keys");
    Owned it(rnp->iterator_destroy);
    TRY(check(*rnp, rnp->iterator_create(ffi.get(), it.out(), "fingerprint"), "listing keys"));
    const char* fingerprint = nullptr;
    while (rnp->iterator_next(it.get(), &fingerprint) == Rnp::kSuccess && fingerprint != nullptr) {
      Owned key = TRY(locate(fingerprint));
      bool primary = false;
      rnp->key_is_primary(key.get(), &primary);
      if (primary) keys.push_back(describe(key.get()));
    }
    return ok();
  }

  // The signature packets over `text`, made by an unlocked key.
  Result<std::string> make_signature(Rnp::Handle key, std::string_view text) const {
    const QuietStderr quiet;
    // Without trailing white space, which not every implementation leaves out of the hash.
    const std::string message = replace_all(canonical_text(text), "\r\n", "\n");
    Owned in = TRY(input(message));
    Owned out(rnp->output_destroy), op(rnp->sign_destroy);
    Rnp::Handle signature = nullptr;
    TRY(check(*rnp, rnp->output_to_memory(out.out(), 0), "signing"));
    TRY(check(*rnp, rnp->sign_cleartext_create(op.out(), ffi.get(), in.get(), out.get()),
              "signing"));
    TRY(check(*rnp, rnp->sign_set_hash(op.get(), "SHA512"), "signing"));
    TRY(check(*rnp, rnp->sign_add_signature(op.get(), key, &signature), "signing"));
    TRY(check(*rnp, rnp->sign_execute(op.get()), "signing"));
    uint8_t* bytes = nullptr;
    size_t size = 0;
    TRY(check(*rnp, rnp->output_memory_get_buf(out.get(), &bytes, &size, false), "signing"));
    auto made = decode_clear_signed({reinterpret_cast<const char*>(bytes), size});
    if (!made || made->canonical != canonical_text(text)) {
      return Error("openpgp: signing: the library signed another text", Code::kInternal);
    }
    return std::move(made->signature);
  }
};

Keyring::Keyring(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}
Keyring::~Keyring() = default;
Keyring::Keyring(Keyring&&) noexcept = default;
Keyring& Keyring::operator=(Keyring&&) noexcept = default;

Result<Keyring> Keyring::parse(std::string_view data, std::string_view path) {
  const std::string packets = TRY(keyring_packets(data, path));
  auto rep = std::make_unique<Rep>(TRY(Rnp::open()));
  TRY(rep->load(packets));
  return Keyring(std::move(rep));
}

const std::vector<PgpKey>& Keyring::keys() const { return rep_->keys; }

Result<const PgpKey*> Keyring::find(std::string_view id) const {
  const PgpKey* candidate = nullptr;
  bool vague = false;
  for (const PgpKey& key : rep_->keys) {
    for (const std::string& user : key.user_ids) {
      if (user == id) return &key;
      if (user.find(id) == std::string::npos) continue;
      vague = vague || candidate != nullptr;
      candidate = &key;
    }
  }
  if (vague) return invalid("more than one key contain the id " + quote(id));
  return candidate;
}

Result<std::string> Keyring::clear_sign(const PgpKey* key, std::string_view text,
                                        const Passphrase& passphrase) const {
  if (key == nullptr) return invalid("private key not found");
  if (!key->secret) {
    return invalid("provided key is not a private key. Try providing a keyring with secret keys");
  }
  const Rnp& rnp = *rep_->rnp;
  Owned handle = TRY(rep_->locate(key->fingerprint));
  if (key->locked) {
    const std::string user = key->user_ids.empty() ? "Unknown" : key->user_ids[0];
    const std::string word = TRY(passphrase(user));
    const QuietStderr quiet;
    if (rnp.key_unlock(handle.get(), word.c_str()) != Rnp::kSuccess) {
      return invalid("openpgp: invalid data: private key checksum failure");
    }
  }
  auto signature = rep_->make_signature(handle.get(), text);
  if (key->locked) rnp.key_lock(handle.get());
  if (!signature) return signature;
  return encode_clear_signed(text, "SHA512", *signature);
}

Result<PgpKey> Keyring::verify(const ClearSigned& message) const {
  const Rnp& rnp = *rep_->rnp;
  const QuietStderr quiet;
  Owned data = TRY(rep_->input(message.canonical));
  Owned packets = TRY(rep_->input(message.signature));
  Owned op(rnp.verify_destroy);
  TRY(check(rnp, rnp.verify_detached_create(op.out(), rep_->ffi.get(), data.get(), packets.get()),
            "verifying"));
  rnp.verify_execute(op.get());  // its verdict is the sum of those asked for below
  size_t count = 0;
  rnp.verify_get_signature_count(op.get(), &count);
  Rnp::Code worst = Rnp::kKeyNotFound;
  for (size_t i = 0; i < count; ++i) {
    Rnp::Handle signature = nullptr;
    if (rnp.verify_get_signature_at(op.get(), i, &signature) != Rnp::kSuccess) continue;
    const Rnp::Code status = rnp.verify_signature_get_status(signature);
    if (status != Rnp::kSuccess) {
      if (worst == Rnp::kKeyNotFound) worst = status;
      continue;
    }
    Owned key(rnp.key_handle_destroy);
    TRY(check(rnp, rnp.verify_signature_get_key(signature, key.out()), "verifying"));
    const std::string primary =
        text_of(rnp, [&](char** s) { return rnp.key_get_primary_fprint(key.get(), s); });
    const std::string own =
        text_of(rnp, [&](char** s) { return rnp.key_get_fprint(key.get(), s); });
    for (const PgpKey& k : rep_->keys) {
      if (k.fingerprint == primary || k.fingerprint == own) return k;
    }
  }
  if (worst == Rnp::kSignatureExpired) return invalid("openpgp: signature expired");
  if (worst == Rnp::kSignatureInvalid) {
    // A changed text or signature: the two bytes of hash kept in the packet differ first.
    return invalid("openpgp: invalid signature: hash tag doesn't match");
  }
  return invalid("openpgp: signature made by unknown entity");
}

}  // namespace pintle::crypt
