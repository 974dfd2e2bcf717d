#include "crypt/der.h"

namespace pintle::crypt::der {
namespace {

struct Header {
  int klass = 0;
  int tag = 0;
  size_t length = 0;
  bool compound = false;
};

Error syntax(std::string_view what) {
  return Error("asn1: syntax error: " + std::string(what), Code::kInvalidArgument);
}
Error structure(std::string_view what) {
  return Error("asn1: structure error: " + std::string(what), Code::kInvalidArgument);
}

// Base 128, most significant first; Go limits it to int32.
Result<int> base128(std::string_view in, size_t* at) {
  int64_t n = 0;
  for (int taken = 0; *at < in.size(); ++taken) {
    if (taken == 5) return structure("base 128 integer too large");
    uint8_t b = static_cast<uint8_t>(in[*at]);
    if (taken == 0 && b == 0x80) return syntax("integer is not minimally encoded");
    n = n << 7 | (b & 0x7f);
    ++*at;
    if ((b & 0x80) == 0) {
      if (n > INT32_MAX) return structure("base 128 integer too large");
      return static_cast<int>(n);
    }
  }
  return syntax("truncated base 128 integer");
}

Result<Header> header(std::string_view in, size_t* at) {
  Header h;
  uint8_t b = static_cast<uint8_t>(in[(*at)++]);
  h.klass = b >> 6;
  h.compound = (b & 0x20) != 0;
  h.tag = b & 0x1f;
  if (h.tag == 0x1f) {
    h.tag = TRY(base128(in, at));
    if (h.tag < 0x1f) return syntax("non-minimal tag");
  }
  if (*at >= in.size()) return syntax("truncated tag or length");
  b = static_cast<uint8_t>(in[(*at)++]);
  if ((b & 0x80) == 0) {
    h.length = b;
    return h;
  }
  int count = b & 0x7f;
  if (count == 0) return syntax("indefinite length found (not DER)");
  for (int i = 0; i < count; ++i) {
    if (*at >= in.size()) return syntax("truncated tag or length");
    if (h.length >= 1u << 23) return structure("length too large");
    h.length = h.length << 8 | static_cast<uint8_t>(in[(*at)++]);
    if (h.length == 0) return structure("superfluous leading zeros in length");
  }
  if (h.length < 0x80) return structure("non-minimal length");
  return h;
}

int universal_tag(Kind kind) {
  switch (kind) {
    case Kind::kInt:
    case Kind::kBigInt:
      return kInteger;
    case Kind::kOctets:
      return kOctetString;
    case Kind::kOid:
      return kOid;
    case Kind::kBits:
      return kBitString;
    case Kind::kAny:
      return -1;
    case Kind::kStruct:
    case Kind::kList:
      return 16;
  }
  return -1;
}

std::string_view go_name(const Field& field) {
  switch (field.kind) {
    case Kind::kInt:
      return "int";
    case Kind::kOid:
      return "ObjectIdentifier";
    case Kind::kBits:
      return "BitString";
    case Kind::kStruct:
      return field.inner->go_name;
    default:
      return "";  // pointers and slices have no name
  }
}

std::string mismatch(const Field& field, const Header& h, size_t at) {
  auto b = [](bool v) { return v ? std::string("true") : std::string("false"); };
  std::string out = "tags don't match (" + std::to_string(universal_tag(field.kind));
  out += " vs {class:" + std::to_string(h.klass) + " tag:" + std::to_string(h.tag);
  out += " length:" + std::to_string(h.length) + " isCompound:" + b(h.compound) + "}) ";
  out +=
      "{optional:false explicit:false application:false private:false defaultValue:<nil> "
      "tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false} ";
  out.append(go_name(field)).append(" @").append(std::to_string(at));
  return out;
}

Status check_content(Kind kind, std::string_view c) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(c[i]); };
  switch (kind) {
    case Kind::kInt:
    case Kind::kBigInt:
      if (c.empty()) return structure("empty integer");
      if (c.size() > 1 &&
          ((byte(0) == 0 && byte(1) < 0x80) || (byte(0) == 0xff && byte(1) >= 0x80))) {
        return structure("integer not minimally-encoded");
      }
      if (kind == Kind::kInt && c.size() > 8) return structure("integer too large");
      return ok();
    case Kind::kOid: {
      if (c.empty()) return syntax("zero length OBJECT IDENTIFIER");
      for (size_t at = 0; at < c.size();) TRY(base128(c, &at));
      return ok();
    }
    case Kind::kBits: {
      if (c.empty()) return syntax("zero length BIT STRING");
      int unused = byte(0);
      if (unused > 7 || (c.size() == 1 && unused > 0) ||
          (byte(c.size() - 1) & ((1 << unused) - 1)) != 0) {
        return syntax("invalid padding bits in BIT STRING");
      }
      return ok();
    }
    default:
      return ok();
  }
}

size_t count_items(const Field& field) {
  if (field.kind != Kind::kStruct) return 1;
  size_t n = 0;
  for (const Field& f : field.inner->fields) n += count_items(f);
  return n;
}

Status parse_field(std::string_view in, size_t* at, const Field& field, std::vector<Item>* out);

Status parse_fields(std::string_view in, const Struct& shape, std::vector<Item>* out) {
  size_t at = 0;
  for (const Field& f : shape.fields) TRY(parse_field(in, &at, f, out));
  return ok();
}

Status parse_field(std::string_view in, size_t* at, const Field& field, std::vector<Item>* out) {
  const size_t start = *at;
  auto absent = [&]() {
    *at = start;
    out->resize(out->size() + count_items(field));
    return ok();
  };
  if (start == in.size()) {
    if (field.optional) return absent();
    return syntax("sequence truncated");
  }
  Header h = TRY(header(in, at));
  if (field.explicit_tag >= 0) {
    if (*at == in.size()) return structure("explicit tag has no child");
    bool fits = h.klass == 2 && h.tag == field.explicit_tag && (h.length == 0 || h.compound);
    if (!fits) {
      if (field.optional) return absent();
      return structure("explicitly tagged member didn't match");
    }
    if (h.length == 0) return structure("zero length explicit tag was not an asn1.Flag");
    h = TRY(header(in, at));
  }
  const bool any = field.kind == Kind::kAny;
  const bool wants_compound = field.kind == Kind::kStruct || field.kind == Kind::kList;
  if (!any &&
      (h.klass != 0 || h.tag != universal_tag(field.kind) || h.compound != wants_compound)) {
    if (field.optional) return absent();
    return structure(mismatch(field, h, *at));
  }
  if (h.length > in.size() - *at) return syntax("data truncated");
  std::string_view content = in.substr(*at, h.length);
  *at += h.length;
  if (field.kind == Kind::kStruct) return parse_fields(content, *field.inner, out);
  TRY(check_content(field.kind, content));
  out->push_back({true, any ? in.substr(start, *at - start) : content});
  return ok();
}

}  // namespace

std::string tlv(uint8_t tag, std::string_view content) {
  std::string out(1, static_cast<char>(tag));
  size_t n = content.size();
  if (n < 0x80) {
    out += static_cast<char>(n);
  } else {
    std::string length;
    for (; n != 0; n >>= 8) length.insert(length.begin(), static_cast<char>(n));
    out += static_cast<char>(0x80 | length.size());
    out += length;
  }
  return out.append(content);
}

std::string sequence(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (std::string_view p : parts) all.append(p);
  return tlv(kSequence, all);
}

std::string integer(std::string_view big_endian) {
  while (!big_endian.empty() && big_endian[0] == 0) big_endian.remove_prefix(1);
  std::string content;
  if (big_endian.empty() || static_cast<uint8_t>(big_endian[0]) >= 0x80) content += '\0';
  return tlv(kInteger, content.append(big_endian));
}

std::string small_integer(uint32_t n) {
  char bytes[4];
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<char>(n >> (24 - 8 * i));
  return integer({bytes, 4});
}

std::string octets(std::string_view content) { return tlv(kOctetString, content); }

std::string bits(std::string_view content, int unused) {
  return tlv(kBitString, std::string(1, static_cast<char>(unused)).append(content));
}

Result<Parsed> parse(std::string_view der, const Struct& shape) {
  Parsed out;
  size_t at = 0;
  Field top{Kind::kStruct, false, -1, &shape};
  TRY(parse_field(der, &at, top, &out.items));
  out.rest = der.substr(at);
  return out;
}

int sign(std::string_view integer) {
  if (static_cast<uint8_t>(integer[0]) >= 0x80) return -1;
  return integer.find_first_not_of('\0') == std::string_view::npos ? 0 : 1;
}

int64_t to_int64(std::string_view integer) {
  int64_t n = sign(integer) < 0 ? -1 : 0;
  for (unsigned char c : integer) n = static_cast<int64_t>(static_cast<uint64_t>(n) << 8 | c);
  return n;
}

std::string oid_text(std::string_view content) {
  std::string out;
  for (size_t at = 0; at < content.size();) {
    auto n = base128(content, &at);
    if (!n) return out;
    if (out.empty()) {
      int first = *n < 80 ? *n / 40 : 2;
      out = std::to_string(first) + "." + std::to_string(*n - first * 40);
    } else {
      out += "." + std::to_string(*n);
    }
  }
  return out;
}

}  // namespace pintle::crypt::der
