#include "base/gotext.h"
#include "release/manifest.h"

namespace pintle::release {

namespace {

std::string_view trim_left(std::string_view s) {
  while (!s.empty()) {
    Rune r = decode_rune(s);
    if (!is_space(r.value)) break;
    s.remove_prefix(static_cast<size_t>(r.size));
  }
  return s;
}

// RE2's \s.
bool is_regexp_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

void keep(std::vector<std::string_view>& out, std::string_view document) {
  document = trim_left(document);
  if (!document.empty()) out.push_back(document);
}

// (?:^|\s*\n)---\s* with ^ at the start of the stream only.
std::vector<std::string_view> split_helm3(std::string_view stream) {
  std::vector<std::string_view> out;
  stream = trim_space(stream);
  size_t start = 0;
  auto skip_spaces = [&](size_t at) {
    while (at < stream.size() && is_regexp_space(stream[at])) ++at;
    return at;
  };
  if (stream.starts_with("---")) start = skip_spaces(3);
  for (;;) {
    size_t line = stream.find("\n---", start);
    size_t end = line == std::string_view::npos ? stream.size() : line;
    while (line != std::string_view::npos && end > start && is_regexp_space(stream[end - 1])) --end;
    std::string_view document = trim_space(stream.substr(start, end - start));
    if (!document.empty()) out.push_back(document);
    if (line == std::string_view::npos) return out;
    start = skip_spaces(line + 4);
  }
}

}  // namespace

std::vector<std::string_view> split_manifests(std::string_view stream, bool helm3) {
  if (helm3) return split_helm3(stream);
  std::vector<std::string_view> out;
  stream = trim_left(stream);
  size_t start = 0, at = 0;
  while (at != std::string_view::npos) {
    if (stream.substr(at).starts_with("---")) {
      keep(out, stream.substr(start, at - start));
      start = stream.find_first_not_of(" \t", at + 3);
      if (start == std::string_view::npos) return out;
      at = start;
    }
    size_t newline = stream.find('\n', at);
    at = newline == std::string_view::npos ? newline : newline + 1;
  }
  keep(out, stream.substr(start));
  return out;
}

}  // namespace pintle::release
