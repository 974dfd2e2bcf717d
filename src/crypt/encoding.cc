// base64, base32, hex, Adler-32.
//
// The decoders are our own because Go's error positions are part of what charts see, and they
// follow from where its loop stands when it stops: groups of 4 (8) characters, line breaks skipped,
// padding checked before anything behind it. Cost: one table look-up per input byte.
#include <array>

#include "crypt/crypt.h"

namespace pintle::crypt {
namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kBase32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr uint8_t kBad = 0xff;

constexpr std::array<uint8_t, 256> reverse_of(std::string_view alphabet) {
  std::array<uint8_t, 256> table{};
  for (auto& t : table) t = kBad;
  for (size_t i = 0; i < alphabet.size(); ++i) {
    table[static_cast<uint8_t>(alphabet[i])] = static_cast<uint8_t>(i);
  }
  return table;
}
constexpr auto kFromBase64 = reverse_of(kBase64);
constexpr auto kFromBase32 = reverse_of(kBase32);

Error corrupt(std::string_view base, size_t at) {
  return Error("illegal " + std::string(base) + " data at input byte " + std::to_string(at),
               Code::kInvalidArgument);
}

bool is_line_break(char c) { return c == '\n' || c == '\r'; }

}  // namespace

std::string hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (unsigned char c : bytes) {
    out += kDigits[c >> 4];
    out += kDigits[c & 15];
  }
  return out;
}

uint32_t adler32(std::string_view data) {
  constexpr uint32_t kMod = 65521;
  constexpr size_t kBatch = 5552;  // the most bytes whose sums stay below 2^32
  uint32_t a = 1, b = 0;
  while (!data.empty()) {
    for (unsigned char c : data.substr(0, kBatch)) {
      a += c;
      b += a;
    }
    a %= kMod;
    b %= kMod;
    data.remove_prefix(std::min(kBatch, data.size()));
  }
  return b << 16 | a;
}

std::string base64_encode(std::string_view data) {
  std::string out((data.size() + 2) / 3 * 4, '=');
  char* to = out.data();
  size_t i = 0;
  auto byte = [&](size_t at) { return static_cast<uint32_t>(static_cast<uint8_t>(data[at])); };
  for (; i + 3 <= data.size(); i += 3) {
    uint32_t v = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    *to++ = kBase64[v >> 18];
    *to++ = kBase64[v >> 12 & 63];
    *to++ = kBase64[v >> 6 & 63];
    *to++ = kBase64[v & 63];
  }
  if (size_t left = data.size() - i; left != 0) {
    uint32_t v = byte(i) << 16 | (left == 2 ? byte(i + 1) << 8 : 0);
    *to++ = kBase64[v >> 18];
    *to++ = kBase64[v >> 12 & 63];
    if (left == 2) *to = kBase64[v >> 6 & 63];
  }
  return out;
}

Result<std::string> base64_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  const size_t size = text.size();
  size_t i = 0;
  while (i < size) {
    uint32_t group = 0;
    int have = 0;
    bool last = false;
    while (have < 4 && !last) {
      if (i == size) {
        if (have == 0) return out;
        return corrupt("base64", i - have);
      }
      char c = text[i++];
      if (uint8_t v = kFromBase64[static_cast<uint8_t>(c)]; v != kBad) {
        group = group << 6 | v;
        ++have;
        continue;
      }
      if (is_line_break(c)) continue;
      if (c != '=' || have < 2) return corrupt("base64", i - 1);
      if (have == 2) {
        while (i < size && is_line_break(text[i])) ++i;
        if (i == size) return corrupt("base64", size);
        if (text[i] != '=') return corrupt("base64", i - 1);
        ++i;
      }
      while (i < size && is_line_break(text[i])) ++i;
      if (i < size) return corrupt("base64", i);
      last = true;
    }
    group <<= 6 * (4 - have);
    out += static_cast<char>(group >> 16);
    if (have > 2) out += static_cast<char>(group >> 8);
    if (have > 3) out += static_cast<char>(group);
  }
  return out;
}

std::string base32_encode(std::string_view data) {
  std::string out;
  out.reserve((data.size() + 4) / 5 * 8);
  for (; !data.empty(); data.remove_prefix(std::min<size_t>(5, data.size()))) {
    std::string_view group = data.substr(0, 5);
    uint64_t v = 0;
    for (size_t i = 0; i < 5; ++i) {
      v = v << 8 | (i < group.size() ? static_cast<uint8_t>(group[i]) : 0);
    }
    size_t characters = (group.size() * 8 + 4) / 5;
    for (size_t i = 0; i < 8; ++i) {
      out += i < characters ? kBase32[v >> (35 - 5 * i) & 31] : '=';
    }
  }
  return out;
}

Result<std::string> base32_decode(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (char c : text) {
    if (!is_line_break(c)) clean += c;
  }
  std::string out;
  out.reserve(clean.size() / 8 * 5 + 5);
  const size_t size = clean.size();
  size_t i = 0;
  bool end = false;
  while (i < size && !end) {
    uint64_t group = 0;
    size_t have = 0;
    while (have < 8) {
      if (i == size) return corrupt("base32", size - have);
      char c = clean[i++];
      size_t left = size - i;
      if (c == '=' && have >= 2 && left < 8) {
        if (left + have < 7) return corrupt("base32", size);
        for (size_t k = 0; k < 7 - have; ++k) {
          if (left > k && clean[i + k] != '=') return corrupt("base32", i + k - 1);
        }
        end = true;
        if (have == 3 || have == 6) return corrupt("base32", i - 1);
        break;
      }
      uint8_t v = kFromBase32[static_cast<uint8_t>(c)];
      if (v == kBad) return corrupt("base32", i - 1);
      group = group << 5 | v;
      ++have;
    }
    group <<= 5 * (8 - have);
    for (size_t k = 0; k < have * 5 / 8; ++k) out += static_cast<char>(group >> (32 - 8 * k));
  }
  return out;
}

}  // namespace pintle::crypt
