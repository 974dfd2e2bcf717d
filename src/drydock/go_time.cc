#include "drydock/go_time.h"

#include <cinttypes>
#include <cstdio>
#include <ctime>

#include "base/gotext.h"
#include "base/strings.h"

namespace pintle::drydock {
namespace {

bool digit(std::string_view s, size_t i) { return i < s.size() && s[i] >= '0' && s[i] <= '9'; }

int days_in(int year, int month) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return kDays[month - 1] + (month == 2 && leap ? 1 : 0);
}

class Reader {
 public:
  Reader(std::string_view text, bool micro) : x_text(text), x_rest(text), x_micro(micro) {}

  Status read() {
    int year = 0, month = 0, day = 0, n = 0;
    TRY(number("2006", 4, 4, &year));
    TRY(literal("-"));
    TRY(number("01", 2, 2, &month));
    if (month < 1 || month > 12) return out_of_range("month");
    TRY(literal("-"));
    TRY(number("02", 2, 2, &day));
    TRY(literal("T"));
    TRY(number("15", 1, 2, &n));
    if (n > 23) return out_of_range("hour");
    TRY(literal(":"));
    TRY(number("04", 2, 2, &n));
    if (n > 59) return out_of_range("minute");
    TRY(literal(":"));
    TRY(number("05", 2, 2, &n));
    if (n > 59) return out_of_range("second");
    TRY(fraction());
    TRY(zone());
    if (!x_rest.empty()) return Error(Code::kInvalidArgument, cat("parsing time ", quote(x_text), ": extra text: ", quote(x_rest)));
    if (day < 1 || day > days_in(year, month)) return out_of_range("day");
    return ok();
  }

 private:
  Error cannot(std::string_view element) const {
    return Error(Code::kInvalidArgument,
                 cat("parsing time ", quote(x_text), " as ", quote(x_micro ? "2006-01-02T15:04:05.000000Z07:00" : "2006-01-02T15:04:05Z07:00"),
                     ": cannot parse ", quote(x_rest), " as ", quote(element)));
  }
  Error out_of_range(std::string_view what) const {
    return Error(Code::kInvalidArgument, cat("parsing time ", quote(x_text), ": ", what, " out of range"));
  }
  Status literal(std::string_view c) {
    if (!x_rest.starts_with(c)) return cannot(c);
    x_rest.remove_prefix(c.size());
    return ok();
  }
  Status number(std::string_view element, size_t least, size_t most, int* out) {
    size_t n = 0;
    *out = 0;
    while (n < most && digit(x_rest, n)) *out = *out * 10 + (x_rest[n++] - '0');
    if (n < least) return cannot(element);
    x_rest.remove_prefix(n);
    return ok();
  }
  Status fraction() {
    const bool there = x_rest.size() > 1 && (x_rest[0] == '.' || x_rest[0] == ',') && digit(x_rest, 1);
    size_t n = 1;
    while (digit(x_rest, n)) ++n;
    if (x_micro && (!there || n < 7)) return cannot(".000000");
    if (there) x_rest.remove_prefix(x_micro ? 7 : n);
    return ok();
  }
  Status zone() {
    if (x_rest.starts_with('Z')) return literal("Z");
    const bool shaped = x_rest.size() >= 6 && (x_rest[0] == '+' || x_rest[0] == '-') && digit(x_rest, 1) && digit(x_rest, 2) &&
                        x_rest[3] == ':' && digit(x_rest, 4) && digit(x_rest, 5);
    if (!shaped) return cannot("Z07:00");
    if (x_rest.substr(1, 2) > "24") return out_of_range("time zone offset hour");
    if (x_rest.substr(4, 2) > "60") return out_of_range("time zone offset minute");
    x_rest.remove_prefix(6);
    return ok();
  }

  const std::string_view x_text;
  std::string_view x_rest;
  const bool x_micro;
};

}  // namespace

std::string time_text(int64_t unix_ns, bool micro) {
  time_t seconds = unix_ns / 1'000'000'000;
  tm t{};
  gmtime_r(&seconds, &t);
  char buffer[64];
  size_t n = strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%S", &t);
  if (micro) n += static_cast<size_t>(snprintf(buffer + n, sizeof buffer - n, ".%06" PRId64, unix_ns % 1'000'000'000 / 1000));
  return std::string(buffer, n) + "Z";
}

Status check_time(std::string_view text, bool micro) { return Reader(text, micro).read(); }

}  // namespace pintle::drydock
