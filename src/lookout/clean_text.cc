#include "base/gotext.h"
#include "lookout/observe.h"

namespace pintle::lookout {
namespace {

bool plain(char c) {
  const auto b = static_cast<unsigned char>(c);
  return (b >= 0x20 && b < 0x7f) || c == '\n' || c == '\t';
}

}  // namespace

std::string clean_text(std::string_view text, size_t limit) {
  size_t good = 0;
  while (good < text.size() && good < limit && plain(text[good])) ++good;
  std::string out(text.substr(0, good));
  text.remove_prefix(good);
  while (!text.empty()) {
    const auto [rune, size] = decode_rune(text);
    text.remove_prefix(static_cast<size_t>(size));
    // C0, DEL and C1: a terminal or a log would take them for commands.
    const bool control =
        (rune < 0x20 && rune != '\n' && rune != '\t') || (rune >= 0x7f && rune < 0xa0);
    if (control) continue;
    const size_t width = rune < 0x80 ? 1 : rune < 0x800 ? 2 : rune < 0x10000 ? 3 : 4;
    if (out.size() + width > limit) break;
    append_rune(out, rune);
  }
  return out;
}

}  // namespace pintle::lookout
