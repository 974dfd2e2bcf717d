#include "crypt/clear_sign.h"

#include <algorithm>

#include "base/gotext.h"
#include "crypt/crypt.h"

namespace pintle::crypt {
namespace {

constexpr std::string_view kStart = "-----BEGIN PGP SIGNED MESSAGE-----";
constexpr std::string_view kSignature = "-----BEGIN PGP SIGNATURE-----";
constexpr std::string_view kEnd = "\n-----END PGP SIGNATURE-----";
constexpr std::string_view kHashes[] = {"MD5",    "SHA1",   "RIPEMD160", "SHA224",  "SHA256",
                                        "SHA384", "SHA512", "SHA3-256",  "SHA3-512"};

// The first line of *s without its line break; *s moves behind it.
std::string_view take_line(std::string_view* s) {
  const size_t end = s->find('\n');
  std::string_view line = s->substr(0, end);
  s->remove_prefix(end == std::string_view::npos ? s->size() : end + 1);
  if (end != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void trim_right(std::string_view* s, std::string_view characters) {
  const size_t last = s->find_last_not_of(characters);
  *s = s->substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// "Hash: SHA256, SHA512"; no other header may stand in a clear-signed message.
bool good_header(std::string_view line) {
  for (char c : line) {
    if (c < 0x20 || c > 0x7e) return false;
  }
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || trim_space(line.substr(0, colon)) != "Hash") return false;
  for (std::string_view rest = line.substr(colon + 1);;) {
    const size_t comma = rest.find(',');
    const std::string name = to_upper(trim_space(rest.substr(0, comma)));
    if (std::find(std::begin(kHashes), std::end(kHashes), name) == std::end(kHashes)) return false;
    if (comma == std::string_view::npos) return true;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace

Result<std::optional<Armored>> next_armored(std::string_view* text) {
  constexpr std::string_view kBegin = "-----BEGIN ", kDashes = "-----";
  constexpr size_t kLongLine = 96;
  while (!text->empty()) {
    std::string_view line = trim_space(take_line(text));
    if (line.size() <= kBegin.size() + kDashes.size() || !line.starts_with(kBegin)) continue;
    Armored block;
    block.type = line.substr(kBegin.size(), line.size() - kBegin.size() - kDashes.size());
    bool headers = true;
    while (true) {
      if (text->empty()) return std::optional<Armored>();
      line = trim_space(take_line(text));
      if (line.empty()) break;
      headers = line.find(':') != std::string_view::npos;
      if (!headers) break;
    }
    if (!headers) continue;  // not armor after all
    std::string body;
    while (true) {
      if (text->empty()) return Error("unexpected EOF", Code::kInvalidArgument);
      line = trim_space(take_line(text));
      if (line.starts_with("-----END ") || (line.size() == 5 && line[0] == '=')) break;
      if (line.size() > kLongLine) {
        return Error("openpgp: invalid data: armor invalid", Code::kInvalidArgument);
      }
      body.append(line);
    }
    block.bytes = TRY(base64_decode(body));
    return std::optional<Armored>(std::move(block));
  }
  return std::optional<Armored>();
}

std::optional<ClearSigned> decode_clear_signed(std::string_view message) {
  std::string_view rest = message;
  if (rest.starts_with(kStart)) {
    rest.remove_prefix(kStart.size());
  } else {
    const size_t at = rest.find("\n" + std::string(kStart));
    if (at == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(at + 1 + kStart.size());
  }
  if (!take_line(&rest).empty()) return std::nullopt;
  while (true) {
    if (rest.empty()) return std::nullopt;
    const std::string_view line = take_line(&rest);
    if (trim_space(line).empty()) break;
    if (!good_header(line)) return std::nullopt;
  }
  ClearSigned out;
  for (bool first = true;; first = false) {
    const std::string_view here = rest;
    std::string_view line = take_line(&rest);
    if (line.empty() && rest.empty()) return std::nullopt;
    if (line == kSignature) {
      rest = here;
      break;
    }
    if (line.starts_with("- ")) line.remove_prefix(2);
    trim_right(&line, " \t");
    if (!first) {
      out.canonical += "\r\n";
      out.text += '\n';
    }
    out.canonical.append(line);
    out.text.append(line);
  }
  const size_t end = rest.find(kEnd);
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view armored = rest.substr(0, end + kEnd.size());
  auto signature = next_armored(&armored);
  if (!signature || !*signature) return std::nullopt;
  out.signature = std::move((*signature)->bytes);
  return out;
}

std::string canonical_text(std::string_view text) {
  std::string out;
  for (bool first = true;; first = false) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    trim_right(&line, " \t\r");
    if (!first) out += "\r\n";
    out.append(line);
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::string encode_clear_signed(std::string_view text, std::string_view hash,
                                std::string_view signature) {
  std::string out(kStart);
  out.append("\nHash: ").append(hash).append("\n\n");
  while (true) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    trim_right(&line, " \t\r");
    if (line.starts_with('-')) out += "- ";
    out.append(line).append("\n");
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  out.append(kSignature).append("\n");
  const std::string body = base64_encode(signature);
  for (size_t i = 0; i < body.size(); i += 64) out.append("\n").append(body, i, 64);
  return out.append(kEnd);
}

}  // namespace pintle::crypt
