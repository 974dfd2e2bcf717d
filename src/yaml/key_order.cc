#include "yaml/key_order.h"

#include <algorithm>

#include "base/gotext.h"

namespace pintle::yaml {

namespace {

// A digit run from i on, as go-yaml sums it (any Unicode digit counts as its distance from '0').
struct Run {
  int64_t value;
  size_t end;
};

char32_t at(const std::u32string& s, size_t i) { return s[i]; }
char32_t at(std::string_view s, size_t i) { return static_cast<unsigned char>(s[i]); }

template <typename Text>
Run digit_run(const Text& s, size_t i, int64_t value) {
  while (i < s.size() && pintle::is_digit(at(s, i))) {
    value = static_cast<int64_t>(static_cast<uint64_t>(value) * 10 +
                                 static_cast<uint64_t>(static_cast<int64_t>(at(s, i)) - '0'));
    ++i;
  }
  return {value, i};
}

std::u32string runes(std::string_view s) {
  std::u32string out;
  out.reserve(s.size());
  while (!s.empty()) {
    Rune r = decode_rune(s);
    out.push_back(r.value);
    s.remove_prefix(static_cast<size_t>(r.size));
  }
  return out;
}

// Text: ASCII bytes or runes.
template <typename Text>
bool natural_less(const Text& a, const Text& b, bool v3) {
  bool after_digit = false;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    char32_t ca = at(a, i), cb = at(b, i);
    if (ca == cb) {
      after_digit = pintle::is_digit(ca);
      continue;
    }
    bool al = is_letter(ca), bl = is_letter(cb);
    if (al && bl) return ca < cb;
    if (al || bl) return v3 && after_digit ? al : bl;
    int64_t lead = 0;  // a zero inside a number is not a leading zero
    if (ca == '0' || cb == '0') {
      for (size_t j = i; j > 0 && pintle::is_digit(at(a, j - 1)); --j) {
        if (at(a, j - 1) != '0') {
          lead = 1;
          break;
        }
      }
    }
    Run ra = digit_run(a, i, lead), rb = digit_run(b, i, lead);
    if (ra.value != rb.value) return ra.value < rb.value;
    if (ra.end != rb.end) return ra.end < rb.end;
    return ca < cb;
  }
  return a.size() < b.size();
}

bool ascii_letter(unsigned char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
bool ascii_digit(unsigned char c) { return c >= '0' && c <= '9'; }
bool ascii(std::string_view s) {
  return std::none_of(s.begin(), s.end(), [](char c) { return (c & 0x80) != 0; });
}

}  // namespace

bool key_less(std::string_view a, std::string_view b, bool v3) {
  size_t n = std::min(a.size(), b.size());
  size_t i = 0;
  while (i < n && a[i] == b[i]) ++i;
  if (i == n) return a.size() < b.size();
  auto ca = static_cast<unsigned char>(a[i]), cb = static_cast<unsigned char>(b[i]);
  bool shared_ascii = i == 0 || static_cast<unsigned char>(a[i - 1]) < 0x80;
  if (ca < 0x80 && cb < 0x80 && shared_ascii && !ascii_digit(ca) && !ascii_digit(cb)) {
    bool al = ascii_letter(ca), bl = ascii_letter(cb);
    if (al != bl) {
      bool after_digit = i > 0 && ascii_digit(static_cast<unsigned char>(a[i - 1]));
      return v3 && after_digit ? al : bl;
    }
    return ca < cb;
  }
  if (ascii(a) && ascii(b)) return natural_less(a, b, v3);
  return natural_less(runes(a), runes(b), v3);
}

void in_key_order(const value::Map& map, bool v3, std::vector<const value::Map::Entry*>& sorted) {
  sorted.clear();
  const value::Map::Entry* before = nullptr;
  bool fine = true;
  for (const auto& e : map) {
    if (before != nullptr && !key_less(before->key, e.key, v3)) {
      fine = false;
      break;
    }
    before = &e;
  }
  if (fine) return;
  for (const auto& e : map) sorted.push_back(&e);
  std::stable_sort(sorted.begin(), sorted.end(), [v3](const auto* a, const auto* b) {
    return key_less(a->key, b->key, v3);
  });
}

}  // namespace pintle::yaml
