#include "cel/time.h"

#include <array>
#include <cmath>

#include "base/gotext.h"
#include "base/strings.h"

namespace pintle::cel {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_leap(int64_t y) { return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0); }
int days_in(int64_t year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[month - 1];
}

// Reads a time piece by piece, with the complaint Go has about each.
class Reader {
 public:
  Reader(std::string_view whole, std::string_view layout) : x_whole(whole), x_layout(layout), x_rest(whole) {}

  std::optional<int> digits(size_t n, std::string_view element) {
    if (x_rest.size() < n || !std::all_of(x_rest.begin(), x_rest.begin() + static_cast<ptrdiff_t>(n), is_digit)) {
      return fail(element), std::nullopt;
    }
    int v = 0;
    for (char c : x_rest.substr(0, n)) v = v * 10 + (c - '0');
    x_rest.remove_prefix(n);
    return v;
  }
  bool sign(std::string_view one_of, std::string_view element) {
    if (!x_rest.empty() && one_of.find(x_rest[0]) != std::string_view::npos) return x_rest.remove_prefix(1), true;
    fail(element);
    return false;
  }
  bool range(int v, int low, int high, std::string_view what) {
    if (v >= low && v <= high) return true;
    x_error = cat("parsing time ", quote(x_whole), ": ", what, " out of range");
    return false;
  }
  void fail(std::string_view element) {
    x_error = cat("parsing time ", quote(x_whole), " as ", quote(x_layout), ": cannot parse ", quote(x_rest), " as ",
                  quote(element));
  }
  bool end() {
    if (x_rest.empty()) return true;
    x_error = cat("parsing time ", quote(x_whole), ": extra text: ", quote(x_rest));
    return false;
  }
  std::string_view& rest() { return x_rest; }
  Error error() const { return Error(x_error); }

 private:
  std::string_view x_whole, x_layout, x_rest;
  std::string x_error;
};

std::optional<Date> read_date(Reader& in) {
  auto year = in.digits(4, "2006");
  if (!year || !in.sign("-", "-")) return std::nullopt;
  auto month = in.digits(2, "01");
  if (!month || !in.range(*month, 1, 12, "month") || !in.sign("-", "-")) return std::nullopt;
  auto day = in.digits(2, "02");
  if (!day || !in.range(*day, 1, days_in(*year, *month), "day")) return std::nullopt;
  return Date{*year, *month, *day};
}

// Seconds east of UTC.
std::optional<int> read_zone(Reader& in) {
  std::string_view& rest = in.rest();
  if (rest.starts_with('Z')) return rest.remove_prefix(1), 0;
  const bool west = rest.starts_with('-');
  const bool shaped = rest.size() >= 6 && (west || rest[0] == '+') && is_digit(rest[1]) && is_digit(rest[2]) &&
                      rest[3] == ':' && is_digit(rest[4]) && is_digit(rest[5]);
  if (!shaped) return in.fail("Z07:00"), std::nullopt;
  const int hours = (rest[1] - '0') * 10 + rest[2] - '0', minutes = (rest[4] - '0') * 10 + rest[5] - '0';
  if (!in.range(hours, 0, 24, "time zone offset hour") || !in.range(minutes, 0, 60, "time zone offset minute")) {
    return std::nullopt;
  }
  rest.remove_prefix(6);
  return (hours * 60 + minutes) * (west ? -60 : 60);
}

// hh:mm:ss, a fraction, and a zone.
std::optional<Val> read_time(Reader& in, const Date& date, bool zone_needed) {
  auto hour = in.digits(2, "15");
  if (!hour || !in.range(*hour, 0, 23, "hour") || !in.sign(":", ":")) return std::nullopt;
  auto minute = in.digits(2, "04");
  if (!minute || !in.range(*minute, 0, 59, "minute") || !in.sign(":", ":")) return std::nullopt;
  auto second = in.digits(2, "05");
  if (!second || !in.range(*second, 0, 59, "second")) return std::nullopt;
  int64_t ns = 0;
  std::string_view& rest = in.rest();
  if (rest.size() > 1 && (rest[0] == '.' || rest[0] == ',') && is_digit(rest[1])) {
    int64_t unit = kSecond;
    for (rest.remove_prefix(1); !rest.empty() && is_digit(rest[0]); rest.remove_prefix(1)) {
      ns += (unit /= 10) * (rest[0] - '0');
    }
  }
  int offset = 0;
  if (zone_needed || !rest.empty()) {
    auto zone = read_zone(in);
    if (!zone) return std::nullopt;
    offset = *zone;
  }
  if (!in.end()) return std::nullopt;
  const int64_t seconds = days_of(date) * 86400 + *hour * 3600 + *minute * 60 + *second - offset;
  return Val::timestamp(seconds, static_cast<uint32_t>(ns), static_cast<int16_t>(offset / 60));
}

struct Unit {
  std::string_view name;
  int64_t ns;
};
constexpr Unit kUnits[] = {{"ns", 1}, {"us", 1000}, {"\xc2\xb5s", 1000}, {"\xce\xbcs", 1000},
                           {"ms", 1'000'000}, {"s", kSecond}, {"m", 60 * kSecond}, {"h", 3600 * kSecond}};
constexpr Unit kLongUnits[] = {
    {"ns", 1}, {"nano", 1}, {"nanosecond", 1}, {"nanoseconds", 1}, {"nanos", 1},
    {"us", 1000}, {"\xc2\xb5s", 1000}, {"micro", 1000}, {"micros", 1000}, {"microsecond", 1000}, {"microseconds", 1000},
    {"ms", 1'000'000}, {"milli", 1'000'000}, {"millis", 1'000'000}, {"millisecond", 1'000'000}, {"milliseconds", 1'000'000},
    {"s", kSecond}, {"sec", kSecond}, {"secs", kSecond}, {"second", kSecond}, {"seconds", kSecond},
    {"m", 60 * kSecond}, {"min", 60 * kSecond}, {"mins", 60 * kSecond}, {"minute", 60 * kSecond}, {"minutes", 60 * kSecond},
    {"h", 3600 * kSecond}, {"hr", 3600 * kSecond}, {"hrs", 3600 * kSecond}, {"hour", 3600 * kSecond},
    {"hours", 3600 * kSecond},
    {"d", 86400 * kSecond}, {"day", 86400 * kSecond}, {"days", 86400 * kSecond},
    {"w", 604800 * kSecond}, {"week", 604800 * kSecond}, {"weeks", 604800 * kSecond}};

const Unit* unit_named(std::span<const Unit> units, std::string_view name) {
  for (const Unit& u : units) {
    if (u.name == name) return &u;
  }
  return nullptr;
}

}  // namespace

int64_t days_of(const Date& d) {  // of the civil calendar, counted from a March
  const int64_t y = d.month <= 2 ? d.year - 1 : d.year;
  const int64_t era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
  const int64_t of_year = (153 * (d.month + (d.month > 2 ? -3 : 9)) + 2) / 5 + d.day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

Date date_of(int64_t days) {
  days += 719468;
  const int64_t era = (days >= 0 ? days : days - 146096) / 146097, day = days - era * 146097;
  const int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
  const int64_t of_year = day - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
  Date out;
  out.day = static_cast<int>(of_year - (153 * month + 2) / 5 + 1);
  out.month = static_cast<int>(month < 10 ? month + 3 : month - 9);
  out.year = year + era * 400 + (out.month <= 2 ? 1 : 0);
  return out;
}

Result<Val> parse_rfc3339(std::string_view s) {
  Reader in(s, "2006-01-02T15:04:05Z07:00");
  auto date = read_date(in);
  if (!date || !in.sign("T", "T")) return in.error();
  auto time = read_time(in, *date, true);
  if (!time) return in.error();
  return *time;
}

Result<Val> parse_date(std::string_view s) {
  Reader in(s, "2006-01-02");
  auto date = read_date(in);
  if (!date || !in.end()) return in.error();
  return Val::timestamp(days_of(*date) * 86400, 0);
}

Result<Val> parse_date_time(std::string_view s) {
  if (s.empty()) return Val::timestamp(0, 0);
  std::string upper(s);
  for (char& c : upper) c = c == 't' ? 'T' : c == 'z' ? 'Z' : c;
  Reader in(upper, "2006-01-02T15:04:05Z07:00");
  auto date = read_date(in);
  if (!date || !in.sign("T ", "T")) return in.error();
  auto time = read_time(in, *date, false);
  if (!time) return in.error();
  return *time;
}

std::string timestamp_text(const Val& t) {
  const int64_t local = t.i + t.zone * 60, days = local / 86400 - (local % 86400 < 0 ? 1 : 0);
  const int64_t of_day = local - days * 86400;
  const Date d = date_of(days);
  auto padded = [](int64_t n, size_t width) {
    std::string s = std::to_string(n);
    return std::string(width > s.size() ? width - s.size() : 0, '0') + s;
  };
  std::string out = cat(padded(d.year, 4), "-", padded(d.month, 2), "-", padded(d.day, 2), "T", padded(of_day / 3600, 2),
                        ":", padded(of_day / 60 % 60, 2), ":", padded(of_day % 60, 2));
  if (t.n != 0) {
    std::string fraction = padded(t.n, 9);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    out += "." + fraction;
  }
  if (t.zone == 0) return out + "Z";
  const int ahead = std::abs(t.zone);
  return out + cat(t.zone < 0 ? "-" : "+", padded(ahead / 60, 2), ":", padded(ahead % 60, 2));
}

std::optional<int64_t> parse_duration(std::string_view s) {
  const bool negative = s.starts_with('-');
  if (negative || s.starts_with('+')) s.remove_prefix(1);
  if (s == "0") return 0;
  if (s.empty()) return std::nullopt;
  __int128 total = 0;
  const __int128 limit = static_cast<__int128>(INT64_MAX) + (negative ? 1 : 0);
  while (!s.empty()) {
    __int128 whole = 0;
    size_t n = 0;
    for (; n < s.size() && is_digit(s[n]); ++n) {
      whole = whole * 10 + (s[n] - '0');
      if (whole > limit) return std::nullopt;
    }
    bool any = n > 0;
    double fraction = 0, scale = 1;
    if (n < s.size() && s[n] == '.') {
      for (++n; n < s.size() && is_digit(s[n]); ++n, any = true) {
        if (scale < 1e17) fraction = fraction * 10 + (s[n] - '0'), scale *= 10;
      }
    }
    if (!any) return std::nullopt;
    s.remove_prefix(n);
    const Unit* unit = unit_named(kUnits, s.substr(0, std::min(s.find_first_of(".0123456789"), s.size())));
    if (!unit) return std::nullopt;
    s.remove_prefix(unit->name.size());
    total += whole * unit->ns + static_cast<int64_t>(fraction * (static_cast<double>(unit->ns) / scale));
    if (total > limit) return std::nullopt;
  }
  return static_cast<int64_t>(negative ? -total : total);
}

std::optional<int64_t> parse_long_duration(std::string_view s) {
  if (auto plain = parse_duration(s)) return plain;
  double total = 0;
  bool any = false;
  const bool negative = s.starts_with('-');
  if (negative || s.starts_with('+')) s.remove_prefix(1);
  while (!(s = trim_space(s)).empty()) {
    size_t n = 0;
    while (n < s.size() && (is_digit(s[n]) || s[n] == '.')) ++n;
    auto number = parse_float(s.substr(0, n));
    if (n == 0 || !number) return std::nullopt;
    s = trim_space(s.substr(n));
    const size_t end = std::min(s.find_first_of(" \t.0123456789"), s.size());
    const Unit* unit = unit_named(kLongUnits, to_lower(s.substr(0, end)));
    if (!unit) return std::nullopt;
    s.remove_prefix(end);
    total += *number * static_cast<double>(unit->ns);
    any = true;
    if (total >= 9.2e18) return std::nullopt;
  }
  if (!any) return std::nullopt;
  return static_cast<int64_t>(negative ? -total : total);
}

std::string duration_text(int64_t ns) {
  std::string out;
  const int64_t whole = ns / kSecond, rest = ns % kSecond;
  append_float(out, static_cast<double>(whole) + static_cast<double>(rest) / 1e9, 'f', -1);
  return out + "s";
}

}  // namespace pintle::cel
