#include "kube/time.h"

namespace pintle::kube {
namespace {

bool digits(std::string_view s, size_t at, size_t n, int64_t& out) {
  if (at + n > s.size()) return false;
  out = 0;
  for (size_t i = at; i < at + n; ++i) {
    if (s[i] < '0' || s[i] > '9') return false;
    out = out * 10 + (s[i] - '0');
  }
  return true;
}

// Days since 1970-01-01 of a civil date.
int64_t days(int64_t y, int64_t m, int64_t d) {
  y -= m <= 2;
  const int64_t era = (y >= 0 ? y : y - 399) / 400;
  const int64_t yoe = y - era * 400;
  const int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
  return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

}  // namespace

std::optional<int64_t> parse_time(std::string_view s) {
  int64_t y, mo, d, h, mi, sec;
  if (!digits(s, 0, 4, y) || !digits(s, 5, 2, mo) || !digits(s, 8, 2, d) || !digits(s, 11, 2, h) ||
      !digits(s, 14, 2, mi) || !digits(s, 17, 2, sec) || s[4] != '-' || s[7] != '-' ||
      (s[10] != 'T' && s[10] != 't') || s[13] != ':' || s[16] != ':' || mo < 1 || mo > 12) {
    return std::nullopt;
  }
  int64_t nanos = 0;
  size_t at = 19;
  if (at < s.size() && s[at] == '.') {
    int64_t unit = 100'000'000;
    for (++at; at < s.size() && s[at] >= '0' && s[at] <= '9'; ++at, unit /= 10) {
      nanos += (s[at] - '0') * unit;
    }
  }
  int64_t offset = 0;
  if (at < s.size() && (s[at] == '+' || s[at] == '-')) {
    int64_t oh, om;
    if (!digits(s, at + 1, 2, oh) || !digits(s, at + 4, 2, om)) return std::nullopt;
    offset = (oh * 60 + om) * (s[at] == '+' ? 60 : -60);
  } else if (at >= s.size() || (s[at] != 'Z' && s[at] != 'z')) {
    return std::nullopt;
  }
  return (days(y, mo, d) * 86400 + h * 3600 + mi * 60 + sec - offset) * 1'000'000'000 + nanos;
}

}  // namespace pintle::kube
