#include "crypt/pem.h"

#include <algorithm>

#include "crypt/crypt.h"

namespace pintle::crypt {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kEnd = "\n-----END ";
constexpr std::string_view kDashes = "-----";

// The line at the start of s without trailing blanks; *next is where the line after it begins.
std::string_view first_line(std::string_view s, size_t* next) {
  size_t end = s.find('\n');
  *next = end == std::string_view::npos ? s.size() : end + 1;
  std::string_view line = s.substr(0, end);
  if (end != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
  while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::optional<PemBlock> pem_decode(std::string_view text) {
  size_t skip = 0;  // where the next search begins: behind the END seen last
  while (true) {
    if (skip > text.size()) return std::nullopt;
    text.remove_prefix(skip);
    size_t end = text.find(kEnd);
    if (end == std::string_view::npos) return std::nullopt;
    skip = end + kEnd.size();
    // The last BEGIN before that END, so that a BEGIN without an END of its own does no harm.
    size_t begin = text.substr(0, end).rfind(kBegin);
    if (begin == std::string_view::npos || (begin > 0 && text[begin - 1] != '\n')) continue;

    size_t at = begin + kBegin.size();
    size_t next = 0;
    std::string_view type = first_line(text.substr(at), &next);
    at += next;
    if (!type.ends_with(kDashes)) {
      skip = std::max(skip, at);
      continue;
    }
    type.remove_suffix(kDashes.size());

    bool headers = false;
    while (true) {
      if (at >= text.size()) return std::nullopt;
      std::string_view line = first_line(text.substr(at), &next);
      if (line.find(':') == std::string_view::npos) break;
      headers = true;
      at += next;
    }
    if (headers && end < at) return std::nullopt;

    // Behind "-----END ": the same type, five dashes, nothing else on the line.
    std::string_view trailer = text.substr(std::min(skip, text.size()));
    if (!trailer.starts_with(type) || !trailer.substr(type.size()).starts_with(kDashes)) continue;
    if (!first_line(trailer.substr(type.size() + kDashes.size()), &next).empty()) continue;

    PemBlock block{std::string(type), {}};
    if (end > at) {
      std::string body(text.substr(at, end - at));
      std::erase_if(body, [](char c) { return c == ' ' || c == '\t'; });
      auto bytes = base64_decode(body);
      if (!bytes) continue;
      block.bytes = *std::move(bytes);
    }
    return block;
  }
}

std::string pem_encode(std::string_view type, std::string_view bytes) {
  std::string out = "-----BEGIN ";
  out.append(type).append("-----\n");
  const std::string body = base64_encode(bytes);
  for (size_t i = 0; i < body.size(); i += 64) out.append(body, i, 64).append("\n");
  return out.append("-----END ").append(type).append("-----\n");
}

}  // namespace pintle::crypt
