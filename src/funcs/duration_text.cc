// Durations as text: "1h15m30.918s", both ways, and rounding.
#include "funcs/go_time.h"

namespace pintle::funcs {
namespace {

constexpr uint64_t kTop = uint64_t{1} << 63;

struct Unit {
  std::string_view name;
  uint64_t nanos;
};
constexpr Unit kUnits[] = {
    {"ns", 1},           {"us", 1000},
    {"\xc2\xb5s", 1000}, {"\xce\xbcs", 1000},  // the micro sign and the Greek letter
    {"ms", 1000000},     {"s", 1000000000},
    {"m", 60000000000},  {"h", 3600000000000},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The digits at the start of *s; false when they exceed 2^63.
bool leading_int(std::string_view* s, uint64_t* n) {
  *n = 0;
  while (!s->empty() && is_digit(s->front())) {
    if (*n > kTop / 10) return false;
    *n = *n * 10 + static_cast<uint64_t>(s->front() - '0');
    if (*n > kTop) return false;
    s->remove_prefix(1);
  }
  return true;
}

// The same behind a point; digits too many to hold are read and dropped.
void leading_fraction(std::string_view* s, uint64_t* n, double* scale) {
  *n = 0;
  *scale = 1;
  bool full = false;
  for (; !s->empty() && is_digit(s->front()); s->remove_prefix(1)) {
    if (full) continue;
    const uint64_t digit = static_cast<uint64_t>(s->front() - '0');
    if (*n > (kTop - 1) / 10 || *n * 10 + digit > kTop) {
      full = true;
      continue;
    }
    *n = *n * 10 + digit;
    *scale *= 10;
  }
}

// n / 10^digits with trailing zeros cut, then the unit.
std::string decimal(uint64_t n, int digits, std::string_view unit) {
  uint64_t power = 1;
  for (int i = 0; i < digits; ++i) power *= 10;
  std::string out = std::to_string(n / power);
  std::string rest = std::to_string(n % power + power).substr(1);
  while (!rest.empty() && rest.back() == '0') rest.pop_back();
  if (!rest.empty()) out.append(".").append(rest);
  return out.append(unit);
}

}  // namespace

std::string quote_for_time(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c >= 0x80 || c < ' ') {
      out.append("\\x").append(1, kDigits[c >> 4]).append(1, kDigits[c & 15]);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += static_cast<char>(c);
    }
  }
  return out += '"';
}

Result<int64_t> parse_duration(std::string_view text) {
  auto fail = [&](std::string_view why) {
    return Error("time: " + std::string(why) + " " + quote_for_time(text), Code::kInvalidArgument);
  };
  std::string_view s = text;
  bool negative = false;
  if (!s.empty() && (s[0] == '-' || s[0] == '+')) {
    negative = s[0] == '-';
    s.remove_prefix(1);
  }
  if (s == "0") return int64_t{0};
  if (s.empty()) return fail("invalid duration");
  uint64_t total = 0;
  while (!s.empty()) {
    if (s[0] != '.' && !is_digit(s[0])) return fail("invalid duration");
    uint64_t whole = 0, fraction = 0;
    double scale = 1;
    size_t before = s.size();
    if (!leading_int(&s, &whole)) return fail("invalid duration");
    bool any = s.size() != before;
    if (!s.empty() && s[0] == '.') {
      s.remove_prefix(1);
      before = s.size();
      leading_fraction(&s, &fraction, &scale);
      any = any || s.size() != before;
    }
    if (!any) return fail("invalid duration");
    size_t n = 0;
    while (n < s.size() && s[n] != '.' && !is_digit(s[n])) ++n;
    if (n == 0) return fail("missing unit in duration");
    const std::string_view name = s.substr(0, n);
    s.remove_prefix(n);
    const Unit* unit = nullptr;
    for (const Unit& u : kUnits) {
      if (u.name == name) unit = &u;
    }
    if (unit == nullptr) return fail("unknown unit " + quote_for_time(name) + " in duration");
    if (whole > kTop / unit->nanos) return fail("invalid duration");
    whole *= unit->nanos;
    if (fraction > 0) {
      whole += static_cast<uint64_t>(static_cast<double>(fraction) *
                                     (static_cast<double>(unit->nanos) / scale));
      if (whole > kTop) return fail("invalid duration");
    }
    total += whole;
    if (total > kTop) return fail("invalid duration");
  }
  if (negative) return static_cast<int64_t>(0 - total);
  if (total > kTop - 1) return fail("invalid duration");
  return static_cast<int64_t>(total);
}

std::string duration_text(int64_t duration) {
  const uint64_t n =
      duration < 0 ? 0 - static_cast<uint64_t>(duration) : static_cast<uint64_t>(duration);
  std::string out = duration < 0 ? "-" : "";
  if (n == 0) return "0s";
  if (n < 1000) return out + decimal(n, 0, "ns");
  if (n < 1000000) return out + decimal(n, 3, "\xc2\xb5s");
  if (n < 1000000000) return out + decimal(n, 6, "ms");
  const uint64_t minutes = n / 60000000000;
  if (minutes >= 60) out += std::to_string(minutes / 60) + "h";
  if (minutes > 0) out += std::to_string(minutes % 60) + "m";
  return out + decimal(n % 60000000000, 9, "s");
}

int64_t duration_truncate(int64_t duration, int64_t multiple) {
  return multiple <= 0 ? duration : duration - duration % multiple;
}

int64_t duration_round(int64_t duration, int64_t multiple) {
  if (multiple <= 0) return duration;
  int64_t r = duration % multiple;
  const uint64_t magnitude = static_cast<uint64_t>(r < 0 ? -r : r);
  if (magnitude + magnitude < static_cast<uint64_t>(multiple)) return duration - r;
  const int64_t away = multiple - static_cast<int64_t>(magnitude);
  int64_t out = 0;
  if (duration < 0) return __builtin_sub_overflow(duration, away, &out) ? INT64_MIN : out;
  return __builtin_add_overflow(duration, away, &out) ? INT64_MAX : out;
}

}  // namespace pintle::funcs
