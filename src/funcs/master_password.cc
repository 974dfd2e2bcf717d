// key = scrypt(password, seed || length of user || user); an HMAC of the site under that key then
// picks a template and, byte by byte, a character of each class the template names.
#include "funcs/master_password.h"

#include "crypt/crypt.h"

namespace pintle::funcs {
namespace {

constexpr std::string_view kSeed = "com.lyndir.masterpassword";

struct Templates {
  std::string_view kind;
  std::string_view list;  // separated by spaces
};
constexpr Templates kTemplates[] = {
    {"maximum", "anoxxxxxxxxxxxxxxxxx axxxxxxxxxxxxxxxxxno"},
    {"long",
     "CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv CvccCvcvCvcvno "
     "CvcvnoCvccCvcv CvcvCvccnoCvcv CvcvCvccCvcvno CvcvnoCvcvCvcc CvcvCvcvnoCvcc CvcvCvcvCvccno "
     "CvccnoCvccCvcv CvccCvccnoCvcv CvccCvccCvcvno CvcvnoCvccCvcc CvcvCvccnoCvcc CvcvCvccCvccno "
     "CvccnoCvcvCvcc CvccCvcvnoCvcc CvccCvcvCvccno"},
    {"medium", "CvcnoCvc CvcCvcno"},
    {"short", "Cvcn"},
    {"basic", "aaanaaan aannaaan aaannaaa"},
    {"pin", "nnnn"},
};

std::string_view class_of(char c) {
  switch (c) {
    case 'V':
      return "AEIOU";
    case 'C':
      return "BCDFGHJKLMNPQRSTVWXYZ";
    case 'v':
      return "aeiou";
    case 'c':
      return "bcdfghjklmnpqrstvwxyz";
    case 'a':
      return "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz";
    case 'n':
      return "0123456789";
    case 'o':
      return "@&%?,=[]_:-+*$#!'^~;()/.";
    default:
      return "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()";
  }
}

void append_be32(std::string& out, uint32_t n) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(n >> shift);
}

}  // namespace

std::string master_password(uint32_t counter, std::string_view kind, std::string_view password,
                            std::string_view user, std::string_view site) {
  const Templates* templates = nullptr;
  for (const Templates& t : kTemplates) {
    if (t.kind == kind) templates = &t;
  }
  if (templates == nullptr) return "cannot find password template " + std::string(kind);

  std::string salt(kSeed);
  append_be32(salt, static_cast<uint32_t>(user.size()));
  salt.append(user);
  const std::string key = crypt::scrypt(password, salt, 32768, 8, 2, 64);

  std::string message(kSeed);
  append_be32(message, static_cast<uint32_t>(site.size()));
  message.append(site);
  append_be32(message, counter);
  const std::string bytes = crypt::hmac_sha256(key, message);
  auto seed = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };

  // All templates of a kind are equally long.
  const size_t length = std::min(templates->list.find(' '), templates->list.size());
  const size_t count = (templates->list.size() + 1) / (length + 1);
  const std::string_view chosen = templates->list.substr(seed(0) % count * (length + 1), length);
  std::string out;
  for (size_t i = 0; i < chosen.size(); ++i) {
    const std::string_view characters = class_of(chosen[i]);
    out += characters[seed(i + 1) % characters.size()];
  }
  return out;
}

}  // namespace pintle::funcs
