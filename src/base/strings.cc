#include "base/strings.h"

namespace pintle {

namespace {

template <typename S>
std::string join_any(std::span<const S> parts, std::string_view separator) {
  std::string out;
  size_t n = parts.empty() ? 0 : separator.size() * (parts.size() - 1);
  for (const auto& p : parts) n += p.size();
  out.reserve(n);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out.append(separator);
    out.append(parts[i]);
  }
  return out;
}

}  // namespace

void append(std::string& out, std::initializer_list<std::string_view> parts) {
  size_t n = out.size();
  for (auto p : parts) n += p.size();
  out.reserve(n);
  for (auto p : parts) out.append(p);
}

std::vector<std::string_view> split(std::string_view s, std::string_view separator) {
  std::vector<std::string_view> out;
  for (size_t at; (at = s.find(separator)) != s.npos; s.remove_prefix(at + separator.size())) {
    out.push_back(s.substr(0, at));
  }
  out.push_back(s);
  return out;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return join_any(parts, separator);
}
std::string join(std::span<const std::string_view> parts, std::string_view separator) {
  return join_any(parts, separator);
}

std::string replace_all(std::string_view s, std::string_view from, std::string_view to) {
  std::string out;
  for (size_t at; (at = s.find(from)) != s.npos; s.remove_prefix(at + from.size())) {
    out.append(s.substr(0, at)).append(to);
  }
  out.append(s);
  return out;
}

}  // namespace pintle
