// Sprig's hashes, encodings, keys, certificates, passwords and randomness, over room crypt.
#include <span>

#include "base/gotext.h"
#include "crypt/crypt.h"
#include "funcs/convert.h"
#include "funcs/families.h"
#include "funcs/master_password.h"
#include "funcs/objects.h"
#include "tmpl/print.h"

namespace pintle::funcs {
namespace {

using value::Call;
using value::FuncDef;
using value::Kind;
using value::Object;
using value::Value;

class CertificateObject : public Object {
 public:
  explicit CertificateObject(crypt::Certificate c) : certificate_(std::move(c)) {}
  const crypt::Certificate& certificate() const { return certificate_; }
  std::string_view go_type() const override { return "sprig.certificate"; }
  Kind kind() const override { return Kind::kStruct; }
  std::string_view kind_name() const override { return "struct"; }
  Value field(std::string_view name) const override {
    if (name == "Cert") return value::str(certificate_.cert);
    if (name == "Key") return value::str(certificate_.key);
    return Value::invalid();
  }
  void print(std::string& out, bool) const override {
    out.append("{").append(certificate_.cert).append(" ").append(certificate_.key).append("}");
  }
  Value plain() const override {
    auto map = value::make_map();
    map->set("Cert", value::str(certificate_.cert));
    map->set("Key", value::str(certificate_.key));
    return Value::map(map);
  }
  bool equals(const Object& o) const override {
    auto* other = dynamic_cast<const CertificateObject*>(&o);
    return other != nullptr && other->certificate_.cert == certificate_.cert &&
           other->certificate_.key == certificate_.key;
  }

 private:
  crypt::Certificate certificate_;
};

// ---- hashes and encodings ----

constexpr size_t kHashedBytesInAStep = 8;

template <std::string (*kHash)(std::string_view)>
bool hash(Call& c) {
  c.steps = c[0].as_string().size() / kHashedBytesInAStep;
  return c.give(value::str(crypt::hex(kHash(c[0].as_string()))));
}
template <std::string (*kEncode)(std::string_view)>
bool encode(Call& c) {
  return c.give(value::str(kEncode(c[0].as_string())));
}
// A decoding error becomes the result.
template <Result<std::string> (*kDecode)(std::string_view)>
bool decode(Call& c) {
  auto bytes = kDecode(c[0].as_string());
  return c.give(value::str(bytes ? *bytes : bytes.error().text()));
}

bool encrypt_aes(Call& c) {
  if (c[1].as_string().empty()) return c.give(value::str(""));
  return c.give(
      value::str(crypt::base64_encode(crypt::aes_encrypt(c[0].as_string(), c[1].as_string()))));
}

bool decrypt_aes(Call& c) {
  const std::string_view text = c[1].as_string();
  if (text.empty()) return c.give(value::str(""));
  auto bytes = crypt::base64_decode(text);
  if (!bytes) return c.fail(std::move(bytes).error());
  // Where sprig slices off 16 bytes unasked, Go complains about the buffer, not the data in it.
  const size_t capacity = text.size() / 4 * 3;
  if (capacity < 16) {
    return c.fail("runtime error: slice bounds out of range [:16] with capacity " +
                  std::to_string(capacity));
  }
  if (bytes->size() < 16) {
    return c.fail("runtime error: slice bounds out of range [16:" + std::to_string(bytes->size()) +
                  "]");
  }
  auto plain = crypt::aes_decrypt(c[0].as_string(), *bytes);
  return plain ? c.give(value::str(*plain)) : c.fail(std::move(plain).error());
}

// ---- passwords ----

// What is dear is so on purpose: milliseconds of one call, measured without other work on two cores
// (a pair of keys is looked for on both), and a third more for a big key, twice as much for one of
// DSA, whose search may last long. A chart may make some dozens of the rest, seven big keys and four
// of DSA.
constexpr uint64_t kBcrypt = 70, kScrypt = 220, kBigKey = 400, kDsaKey = 700, kKeyPair = 30,
                   kSignature = 15;

void charge(Call& c, uint64_t milliseconds) { c.steps = milliseconds * kStepsInAMillisecond; }

std::string bcrypt_or_error(Call& c, std::string_view password) {
  charge(c, kBcrypt);
  auto hash = crypt::bcrypt(password);
  return hash ? *hash : "failed to encrypt string with bcrypt: " + hash.error().text();
}

bool bcrypt(Call& c) { return c.give(value::str(bcrypt_or_error(c, c[0].as_string()))); }

bool htpasswd(Call& c) {
  std::string user(c[0].as_string());
  if (user.find(':') != std::string::npos) return c.give(value::str("invalid username: " + user));
  return c.give(value::str(user + ":" + bcrypt_or_error(c, c[1].as_string())));
}

bool derive_password(Call& c) {
  charge(c, kScrypt);
  return c.give(value::str(master_password(static_cast<uint32_t>(c[0].as_uint()), c[1].as_string(),
                                           c[2].as_string(), c[3].as_string(), c[4].as_string())));
}

// ---- keys and certificates ----

bool gen_private_key(Call& c) {
  const std::string_view kind = c[0].as_string();
  if (kind == "" || kind == "rsa") charge(c, kBigKey);
  if (kind == "dsa") charge(c, kDsaKey);
  auto key = crypt::generate_private_key(c[0].as_string());
  return c.give(value::str(key ? *key : key.error().text()));
}

bool give_certificate(Call& c, Result<crypt::Certificate> made) {
  return made ? c.give(make_certificate(*std::move(made))) : c.fail(std::move(made).error());
}

// Fills the names from two lists of anything; the first bad element is kept for the place where
// sprig would report it.
void read_names(const Value& ips, const Value& dns, crypt::CertRequest* request) {
  auto not_a_string = [](std::string_view activity, const Value& v) {
    std::string text(activity);
    text += ": ";
    tmpl::print_value(text, v);
    return Error(text + " is not a string");
  };
  for (const Value& v : ips.items()) {
    if (!v.is_string()) {
      request->names_error = not_a_string("error parsing ip", v);
      return;
    }
    auto ip = crypt::parse_ip(v.as_string());
    if (!ip) {
      request->names_error = Error("error parsing ip: " + std::string(v.as_string()));
      return;
    }
    request->ips.push_back(*std::move(ip));
  }
  for (const Value& v : dns.items()) {
    if (!v.is_string()) {
      request->names_error = not_a_string("error processing alternate dns name", v);
      return;
    }
    request->dns_names.emplace_back(v.as_string());
  }
}

// A certificate is copied several times on its way.
constexpr size_t kMaxNames = size_t{1} << 20;

bool too_large(const crypt::CertRequest& request) {
  size_t bytes = request.common_name.size() + request.key_pem.value_or("").size();
  for (const auto& name : request.dns_names) bytes += name.size();
  return bytes > kMaxNames;
}
bool fail_names(Call& c) { return c.fail("certificate's names and key are too long"); }

// Arguments: common name, days [, key].
bool gen_ca(Call& c) {
  charge(c, c.count > 2 ? kSignature : kKeyPair);
  crypt::CertRequest request;
  request.common_name = c[0].as_string();
  request.days = c[1].as_int();
  if (c.count > 2) request.key_pem = c[2].as_string();
  if (too_large(request)) return fail_names(c);
  return give_certificate(c, crypt::make_ca(request));
}

// Arguments: common name, ips, dns names, days; the rest is the caller's.
crypt::CertRequest named_request(const Call& c) {
  crypt::CertRequest request;
  request.common_name = c[0].as_string();
  read_names(c[1], c[2], &request);
  request.days = c[3].as_int();
  return request;
}

bool gen_self_signed(Call& c) {
  charge(c, c.count > 4 ? kSignature : kKeyPair);
  crypt::CertRequest request = named_request(c);
  if (c.count > 4) request.key_pem = c[4].as_string();
  if (too_large(request)) return fail_names(c);
  return give_certificate(c, crypt::make_self_signed(request));
}

bool gen_signed(Call& c) {
  charge(c, c.count > 5 ? kSignature : kKeyPair);
  crypt::CertRequest request = named_request(c);
  if (c.count > 5) request.key_pem = c[5].as_string();
  if (too_large(request)) return fail_names(c);
  return give_certificate(c, crypt::make_signed(request, *certificate_of(c[4])));
}

bool build_custom_cert(Call& c) {
  auto cert = crypt::base64_decode(c[0].as_string());
  if (!cert) return c.fail("unable to decode base64 certificate");
  auto key = crypt::base64_decode(c[1].as_string());
  if (!key) return c.fail("unable to decode base64 private key");
  return give_certificate(c, crypt::check_certificate(*std::move(cert), *std::move(key)));
}

// ---- randomness ----

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kLettersDigits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kAscii =
    " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`"
    "abcdefghijklmnopqrstuvwxyz{|}~";

constexpr size_t kRandomBytesInAStep = 4;

template <const std::string_view& kAlphabet>
bool random_text(Call& c) {
  if (c[0].as_int() <= 0) return c.give(value::str(""));
  const size_t count = static_cast<size_t>(c[0].as_int());
  if (count > kMaxBytes) return fail_size(c);
  c.steps = count / kRandomBytesInAStep;
  // Bytes at or above the largest multiple of the alphabet's size would favour its start.
  const size_t limit = 256 - 256 % kAlphabet.size();
  std::string out;
  out.reserve(count);
  while (out.size() < count) {
    for (unsigned char b : crypt::random_bytes(std::min<size_t>(count - out.size() + 16, 4096))) {
      if (b < limit && out.size() < count) out += kAlphabet[b % kAlphabet.size()];
    }
  }
  return c.give(value::str(out));
}

bool rand_bytes(Call& c) {
  if (c[0].as_int() < 0) return c.fail("runtime error: makeslice: len out of range");
  const uint64_t count = static_cast<uint64_t>(c[0].as_int());
  if (count > kMaxBytes / 4 * 3) return fail_size(c);
  return c.give(value::str(crypt::base64_encode(crypt::random_bytes(count))));
}

bool rand_int(Call& c) {
  const uint64_t low = static_cast<uint64_t>(c[0].as_int());
  const uint64_t span = static_cast<uint64_t>(c[1].as_int()) - low;
  if (static_cast<int64_t>(span) <= 0) return c.fail("invalid argument to Intn");
  return c.give(Value::integer(static_cast<int64_t>(low + crypt::random_below(span))));
}

bool shuffle(Call& c) {
  std::vector<char32_t> runes;
  for (std::string_view s = c[0].as_string(); !s.empty();) {
    const Rune r = decode_rune(s);
    runes.push_back(r.value);
    s.remove_prefix(static_cast<size_t>(r.size));
  }
  std::string out;
  for (size_t left = runes.size(); left > 0; --left) {
    std::swap(runes[left - 1], runes[crypt::random_below(left)]);
    append_rune(out, runes[left - 1]);
  }
  return c.give(value::str(out));
}

constexpr FuncDef kRows[] = {
    {"adler32sum", "s",
     [](Call& c) { return c.give(value::str(std::to_string(crypt::adler32(c[0].as_string())))); }},
    {"b32dec", "s", decode<crypt::base32_decode>},
    {"b32enc", "s", encode<crypt::base32_encode>},
    {"b64dec", "s", decode<crypt::base64_decode>},
    {"b64enc", "s", encode<crypt::base64_encode>},
    {"bcrypt", "s", bcrypt},
    {"buildCustomCert", "ss", build_custom_cert},
    {"decryptAES", "ss", decrypt_aes},
    {"derivePassword", "ussss", derive_password},
    {"encryptAES", "ss", encrypt_aes},
    {"genCA", "si", gen_ca},
    {"genCAWithKey", "sis", gen_ca},
    {"genPrivateKey", "s", gen_private_key},
    {"genSelfSignedCert", "sLLi", gen_self_signed},
    {"genSelfSignedCertWithKey", "sLLis", gen_self_signed},
    {"genSignedCert", "sLLic", gen_signed},
    {"genSignedCertWithKey", "sLLics", gen_signed},
    {"htpasswd", "ss", htpasswd},
    {"randAlpha", "i", random_text<kLetters>},
    {"randAlphaNum", "i", random_text<kLettersDigits>},
    {"randAscii", "i", random_text<kAscii>},
    {"randBytes", "i", rand_bytes},
    {"randInt", "ii", rand_int},
    {"randNumeric", "i", random_text<kDigits>},
    {"sha1sum", "s", hash<crypt::sha1>},
    {"sha256sum", "s", hash<crypt::sha256>},
    {"sha512sum", "s", hash<crypt::sha512>},
    {"shuffle", "s", shuffle},
    {"uuidv4", "", [](Call& c) { return c.give(value::str(crypt::uuid_v4())); }},
};

}  // namespace

Value make_certificate(crypt::Certificate c) {
  return Value::object(Ref<Object>(new CertificateObject(std::move(c))));
}

const crypt::Certificate* certificate_of(const Value& v) {
  auto* o = v.is_object() ? dynamic_cast<CertificateObject*>(v.as_object()) : nullptr;
  return o != nullptr ? &o->certificate() : nullptr;
}

Family crypto_family() { return kRows; }

}  // namespace pintle::funcs
