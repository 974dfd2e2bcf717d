// Writing DER, and reading it the way Go's encoding/asn1 does, error texts included. Inside this
// room only. Pure; thread-safe.
//
// Reader: a structure is described by a table of Fields, as Go describes it by a struct. The texts
// name Go types because charts see them ("tags don't match (16 vs {class:1 tag:1 ...").
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pintle::crypt::der {

enum Tag : uint8_t {
  kInteger = 2,
  kBitString = 3,
  kOctetString = 4,
  kNull = 5,
  kOid = 6,
  kUtf8String = 12,
  kPrintableString = 19,
  kUtcTime = 23,
  kGeneralizedTime = 24,
  kSequence = 0x30,
  kSet = 0x31,
};

std::string tlv(uint8_t tag, std::string_view content);
std::string sequence(std::initializer_list<std::string_view> parts);
std::string integer(std::string_view big_endian);  // not negative; leading zeros are dropped
std::string small_integer(uint32_t n);
std::string octets(std::string_view content);
std::string bits(std::string_view content, int unused = 0);

// AlgorithmIdentifiers and object identifiers, encoded.
namespace oid {
using namespace std::string_view_literals;
inline constexpr auto kRsa = "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01"sv;
inline constexpr auto kEc = "\x06\x07\x2a\x86\x48\xce\x3d\x02\x01"sv;
inline constexpr auto kEd25519 = "\x06\x03\x2b\x65\x70"sv;
inline constexpr auto kX25519 = "\x06\x03\x2b\x65\x6e"sv;
inline constexpr auto kP224 = "\x06\x05\x2b\x81\x04\x00\x21"sv;
inline constexpr auto kP256 = "\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07"sv;
inline constexpr auto kP384 = "\x06\x05\x2b\x81\x04\x00\x22"sv;
inline constexpr auto kP521 = "\x06\x05\x2b\x81\x04\x00\x23"sv;
inline constexpr auto kSha256Rsa = "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0b"sv;
inline constexpr auto kEcdsaSha256 = "\x06\x08\x2a\x86\x48\xce\x3d\x04\x03\x02"sv;
inline constexpr auto kEcdsaSha384 = "\x06\x08\x2a\x86\x48\xce\x3d\x04\x03\x03"sv;
inline constexpr auto kEcdsaSha512 = "\x06\x08\x2a\x86\x48\xce\x3d\x04\x03\x04"sv;
inline constexpr auto kCommonName = "\x06\x03\x55\x04\x03"sv;
inline constexpr auto kKeyUsage = "\x06\x03\x55\x1d\x0f"sv;
inline constexpr auto kExtKeyUsage = "\x06\x03\x55\x1d\x25"sv;
inline constexpr auto kBasicConstraints = "\x06\x03\x55\x1d\x13"sv;
inline constexpr auto kSubjectKeyId = "\x06\x03\x55\x1d\x0e"sv;
inline constexpr auto kAuthorityKeyId = "\x06\x03\x55\x1d\x23"sv;
inline constexpr auto kSubjectAltName = "\x06\x03\x55\x1d\x11"sv;
inline constexpr auto kServerAuth = "\x06\x08\x2b\x06\x01\x05\x05\x07\x03\x01"sv;
inline constexpr auto kClientAuth = "\x06\x08\x2b\x06\x01\x05\x05\x07\x03\x02"sv;
}  // namespace oid

enum class Kind : uint8_t { kInt, kBigInt, kOctets, kOid, kBits, kAny, kStruct, kList };

struct Struct;
struct Field {
  Kind kind;
  bool optional = false;
  int explicit_tag = -1;
  const Struct* inner = nullptr;  // kStruct
};
struct Struct {
  std::string_view go_name;  // as reflect's Type.Name()
  std::vector<Field> fields;
};

// One value per field, in order, inner structures flattened in place. `content` is the value's
// bytes (for kAny the whole element, header too); empty and not present when an optional is absent.
struct Item {
  bool present = false;
  std::string_view content;
};
struct Parsed {
  std::vector<Item> items;
  std::string_view rest;  // after the structure
};
Result<Parsed> parse(std::string_view der, const Struct& shape);

// An integer's content: -1, 0 or 1.
int sign(std::string_view integer);
int64_t to_int64(std::string_view integer);      // content of a kInt item
std::string oid_text(std::string_view content);  // dotted

}  // namespace pintle::crypt::der
