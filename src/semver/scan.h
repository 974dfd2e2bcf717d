// The shape v?S(.S)?(.S)?(-pre)?(+meta)? shared by versions and constraints. Inside this room only.
#pragma once

#include <cstddef>
#include <string_view>

namespace pintle::semver {

struct Parts {
  std::string_view major, minor, patch;  // without dots; empty when absent
  std::string_view prerelease, metadata;
  std::string_view prerelease_dashed;  // with the '-'
};

inline bool is_number_char(char c) { return c >= '0' && c <= '9'; }
inline bool is_identifier_char(char c) {
  return is_number_char(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

// Reads the longest such shape at the start of s, segments made of characters that `in_segment`
// accepts. Bytes read; 0 when there is none. An optional piece that is malformed is left unread.
template <typename InSegment>
size_t scan_version(std::string_view s, InSegment in_segment, Parts* parts) {
  size_t i = 0;
  auto run = [&](size_t from, auto accept) {
    size_t end = from;
    while (end < s.size() && accept(s[end])) ++end;
    return end;
  };
  auto identifiers = [&](size_t from) {  // id(.id)*; `from` itself when there is not even one
    size_t end = run(from, is_identifier_char);
    if (end == from) return from;
    while (end < s.size() && s[end] == '.') {
      size_t next = run(end + 1, is_identifier_char);
      if (next == end + 1) break;
      end = next;
    }
    return end;
  };
  *parts = Parts{};
  if (i < s.size() && s[i] == 'v') ++i;
  size_t end = run(i, in_segment);
  if (end == i) return 0;
  parts->major = s.substr(i, end - i);
  i = end;
  for (std::string_view* segment : {&parts->minor, &parts->patch}) {
    if (i >= s.size() || s[i] != '.') break;
    end = run(i + 1, in_segment);
    if (end == i + 1) break;
    *segment = s.substr(i + 1, end - i - 1);
    i = end;
  }
  if (i < s.size() && s[i] == '-' && (end = identifiers(i + 1)) > i + 1) {
    parts->prerelease = s.substr(i + 1, end - i - 1);
    parts->prerelease_dashed = s.substr(i, end - i);
    i = end;
  }
  if (i < s.size() && s[i] == '+' && (end = identifiers(i + 1)) > i + 1) {
    parts->metadata = s.substr(i + 1, end - i - 1);
    i = end;
  }
  return i;
}

// Precedence of two prerelease texts, neither considered "no prerelease".
int compare_prerelease(std::string_view a, std::string_view b);

}  // namespace pintle::semver
