#include "cli/screen.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"

namespace pintle::cli {
namespace {

// Bytes of the character that begins at s[0], and how many columns it takes.
std::pair<size_t, size_t> character(std::string_view s) {
  const auto lead = static_cast<unsigned char>(s[0]);
  const size_t bytes = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (bytes > s.size()) return {s.size(), 1};
  uint32_t rune = bytes == 1 ? lead : lead & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) rune = rune << 6 | (static_cast<unsigned char>(s[i]) & 0x3f);
  const bool wide = (rune >= 0x1100 && rune <= 0x115f) || (rune >= 0x2e80 && rune <= 0xa4cf) ||
                    (rune >= 0xac00 && rune <= 0xd7a3) || (rune >= 0xf900 && rune <= 0xfaff) ||
                    (rune >= 0xfe30 && rune <= 0xfe6f) || (rune >= 0xff00 && rune <= 0xff60) ||
                    (rune >= 0x1f300 && rune <= 0x1faff);
  return {bytes, wide ? 2 : 1};
}

std::string without_controls(std::string_view line) {
  std::string out;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) out += c;
  }
  return out;
}

}  // namespace

std::string cut_line(std::string_view line, size_t columns) {
  constexpr std::string_view kMore = "...";
  const size_t room = columns > kMore.size() ? columns - kMore.size() : 0;
  size_t used = 0, fits = 0;  // `fits`: bytes that leave room for kMore
  for (size_t i = 0; i < line.size();) {
    const auto [bytes, width] = character(line.substr(i));
    if (used + width > columns) {
      return cat(line.substr(0, fits), room > 0 ? kMore : "");
    }
    used += width;
    i += bytes;
    if (used <= room) fits = i;
  }
  return std::string(line);
}

void Screen::show(std::string_view picture) {
  Lock held(mutex_);
  if (picture.empty() && lines_ == 0) return;
  std::string out;
  if (lines_ > 0) {
    out = "\r";
    if (lines_ > 1) append(out, {"\x1b[", std::to_string(lines_ - 1), "A"});
    out += "\x1b[J";  // from here to the end of the screen
  }
  lines_ = 0;
  if (!picture.empty()) {
    const ScreenSize size = size_();
    for (std::string_view line : split(picture, "\n")) {
      if (lines_ + 1 >= std::max<size_t>(size.rows, 2)) break;
      // The last column stays free: a full line would wrap on some terminals.
      append(out, {lines_ > 0 ? "\n" : "",
                   cut_line(without_controls(line), std::max<size_t>(size.columns, 2) - 1)});
      ++lines_;
    }
  }
  write_(out);
}

}  // namespace pintle::cli
