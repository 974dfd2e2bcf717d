// Format: how one verb with its flags, width and precision prints a basic value (fmt's format.go).
// Inside this room only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pintle::tmpl {

// Text longer than this stops growing (a width of a million on every element of a long list).
inline constexpr size_t kMaxPrinted = size_t{16} << 20;

class Format {
 public:
  explicit Format(std::string& out) : out_(out) {}

  void clear();
  bool flag(char c);  // takes one of "#0+- " and says so

  void pad(std::string_view s);
  void str(std::string_view s);  // %s: cut at the precision, then padded
  void quoted(std::string_view s);
  void hex(std::string_view bytes, bool upper);
  void integer(uint64_t u, unsigned base, bool is_signed, char32_t verb);
  void hex_number(uint64_t u, bool with_0x);
  void floating(double d, char verb, int precision_default);
  void character(uint64_t c);
  void quoted_character(uint64_t c);
  void unicode(uint64_t u);

  bool width_set = false, precision_set = false;
  bool minus = false, plus = false, sharp = false, space = false, zero = false;
  bool plus_v = false, sharp_v = false;  // %+v and %#v: the flag means syntax, not sign or prefix
  int width = 0, precision = 0;

 private:
  void padding(int64_t n);
  void pad_without_zeros(std::string_view s);
  std::string_view cut(std::string_view s) const;
  void restore_point(std::string& number, char verb, int precision_used) const;

  std::string& out_;
};

}  // namespace pintle::tmpl
