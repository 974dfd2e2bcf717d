#include "httpd/query.h"

#include "base/strings.h"

namespace pintle::httpd {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Error bad(std::string text) { return Error(std::move(text), Code::kInvalidArgument); }

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (text.size() - i < 3) return std::nullopt;
      const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

Result<std::vector<std::string>> decode_path(std::string_view path) {
  if (!path.starts_with('/')) return bad("path does not start with a slash");
  const auto decoded = percent_decode(path);
  if (!decoded) return bad("invalid URL escape in path");
  std::string_view rest = *decoded;
  while (rest.starts_with('/')) rest.remove_prefix(1);
  while (rest.ends_with('/')) rest.remove_suffix(1);
  std::vector<std::string> segments;
  if (rest.empty()) return segments;
  for (std::string_view segment : split(rest, "/")) segments.emplace_back(segment);
  return segments;
}

Query parse_query(std::string_view query) {
  Query pairs;
  for (std::string_view part : split(query, "&")) {
    if (part.empty() || part.find(';') != std::string_view::npos) continue;
    const size_t equals = part.find('=');
    auto name = percent_decode(part.substr(0, equals), true);
    auto value = equals == std::string_view::npos
                     ? std::string()
                     : percent_decode(part.substr(equals + 1), true);
    if (name && value) pairs.emplace_back(std::move(*name), std::move(*value));
  }
  return pairs;
}

const std::string* find(const Query& query, std::string_view name) {
  for (const auto& [key, value] : query) {
    if (key == name) return &value;
  }
  return nullptr;
}

}  // namespace pintle::httpd
