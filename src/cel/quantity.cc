#include "cel/quantity.h"

#include <algorithm>
#include <array>

namespace pintle::cel {
namespace {

using Wide = __int128;
constexpr Wide kNano = 1'000'000'000;
constexpr Wide kMax = static_cast<Wide>(INT64_MAX) * kNano;

struct Suffix {
  std::string_view text;
  int exponent;  // of 10, or of 2
};
constexpr Suffix kBinary[] = {{"Ki", 10}, {"Mi", 20}, {"Gi", 30}, {"Ti", 40}, {"Pi", 50}, {"Ei", 60}};
constexpr Suffix kDecimal[] = {{"n", -9}, {"u", -6}, {"m", -3}, {"", 0},  {"k", 3},
                               {"M", 6},  {"G", 9},  {"T", 12}, {"P", 15}, {"E", 18}};

bool digit(char c) { return c >= '0' && c <= '9'; }

Wide times(Wide a, Wide b) {
  Wide out;
  return __builtin_mul_overflow(a, b, &out) ? kMax : std::min(out, kMax);
}


std::string decimal(Wide n) {
  if (n == 0) return "0";
  std::string out;
  bool negative = n < 0;
  for (Wide rest = negative ? -n : n; rest > 0; rest /= 10) {
    out.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
  }
  if (negative) out.push_back('-');
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace

std::optional<Quantity> parse_quantity(std::string_view s) {
  size_t i = 0;
  bool negative = false;
  if (i < s.size() && (s[i] == '+' || s[i] == '-')) negative = s[i++] == '-';
  size_t whole = i;
  while (i < s.size() && digit(s[i])) ++i;
  std::string digits(s.substr(whole, i - whole));
  int scale = 0;
  if (i < s.size() && s[i] == '.') {
    size_t from = ++i;
    while (i < s.size() && digit(s[i])) ++i;
    digits += s.substr(from, i - from);
    scale = static_cast<int>(i - from);
  }
  if (digits.empty()) return std::nullopt;
  std::string_view suffix = s.substr(i);
  Quantity q;
  int two = 0, ten = 0;
  bool known = false;
  for (const Suffix& k : kBinary) {
    if (k.text == suffix) {
      two = k.exponent;
      q.format = Quantity::Format::kBinarySI;
      known = true;
    }
  }
  for (const Suffix& k : kDecimal) {
    if (k.text == suffix) {
      ten = k.exponent;
      known = true;
    }
  }
  if (!known) {
    if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return std::nullopt;
    size_t j = 1;
    bool minus = false;
    if (suffix[j] == '+' || suffix[j] == '-') minus = suffix[j++] == '-';
    if (j == suffix.size() || suffix.size() - j > 4) return std::nullopt;
    for (; j < suffix.size(); ++j) {
      if (!digit(suffix[j])) return std::nullopt;
      ten = ten * 10 + (suffix[j] - '0');
    }
    if (minus) ten = -ten;
    q.format = Quantity::Format::kDecimalExponent;
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  Wide mantissa = 0;
  bool inexact = false;
  for (char c : digits) {
    if (mantissa > kMax * 1000) {  // beyond any exact value: keep the magnitude
      --scale;
      inexact = inexact || c != '0';
    } else {
      mantissa = mantissa * 10 + (c - '0');
    }
  }
  Wide nano = mantissa;
  for (int k = 0; k < two && nano < kMax; ++k) nano = times(nano, 2);
  int exponent = ten - scale + 9;
  for (; exponent > 0 && nano != 0 && nano < kMax; --exponent) nano = times(nano, 10);
  bool rest = inexact;
  for (; exponent < 0 && nano != 0; ++exponent) {
    rest = rest || nano % 10 != 0;
    nano /= 10;
  }
  if (exponent < 0) rest = rest || nano != 0;
  if (rest && !negative) ++nano;
  nano = std::min(nano, kMax);
  // Binary suffixes hold no fractions: "1.5" of them is written in bytes or milli.
  q.nano = negative ? -nano : nano;
  return q;
}

std::string canonical(const Quantity& q) {
  Wide n = q.nano;
  if (n == 0) return "0";
  Quantity::Format format = q.format;
  Wide magnitude = n < 0 ? -n : n;
  if (format == Quantity::Format::kBinarySI) {
    if (magnitude < 1024 * kNano || magnitude % kNano != 0) {
      format = Quantity::Format::kDecimalSI;
    } else {
      Wide units = n / kNano;
      size_t k = 0;
      while (units % 1024 == 0 && k < std::size(kBinary)) {
        units /= 1024;
        ++k;
      }
      return decimal(units) + (k == 0 ? std::string() : std::string(kBinary[k - 1].text));
    }
  }
  int exponent = -9;
  while (n % 1000 == 0 && exponent < 18) {
    n /= 1000;
    exponent += 3;
  }
  std::string out = decimal(n);
  if (format == Quantity::Format::kDecimalExponent) {
    return exponent == 0 ? out : out + "e" + std::to_string(exponent);
  }
  for (const Suffix& k : kDecimal) {
    if (k.exponent == exponent) return out + std::string(k.text);
  }
  return out;
}

std::string quantity_error() {
  return "quantities must match the regular expression "
         "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
}

}  // namespace pintle::cel
