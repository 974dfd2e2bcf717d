#include "chart/timestamp.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"

namespace pintle::chart {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// Days since 1970-01-01 of a date in the proleptic Gregorian calendar, years counted from March.
int64_t days_from_civil(int64_t year, int month, int day) {
  if (month <= 2) --year;
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719468;
}

struct Civil {
  int64_t year;
  int month, day;
};
Civil civil_from_days(int64_t days) {
  days += 719468;
  const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const int64_t day_of_era = days - era * 146097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted_month = (5 * day_of_year + 2) / 153;
  const int month = static_cast<int>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month,
          static_cast<int>(day_of_year - (153 * shifted_month + 2) / 5 + 1)};
}

int days_in_month(int64_t year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays[month - 1] + (month == 2 && leap ? 1 : 0);
}

void append_padded(std::string& out, int64_t n, size_t width) {
  const std::string digits = std::to_string(n);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

// Reads one layout element after another; remembers where it stopped.
class Scanner {
 public:
  explicit Scanner(std::string_view s) : rest_(s) {}
  bool number(size_t width, std::string_view element, int64_t* out) {
    if (!ok_) return false;
    int64_t n = 0;
    for (size_t i = 0; i < width; ++i) {
      if (i >= rest_.size() || rest_[i] < '0' || rest_[i] > '9') return stop(element);
      n = n * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(width);
    *out = n;
    return true;
  }
  bool literal(char c) {
    if (!ok_) return false;
    if (rest_.empty() || rest_[0] != c) return stop(std::string_view(&c, 1));
    rest_.remove_prefix(1);
    return true;
  }
  int64_t fraction() {
    if (!ok_ || rest_.size() < 2 || (rest_[0] != '.' && rest_[0] != ',') || rest_[1] < '0' ||
        rest_[1] > '9') {
      return 0;
    }
    rest_.remove_prefix(1);
    int64_t nanos = 0;
    for (int64_t scale = kSecond / 10; !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9';
         scale /= 10, rest_.remove_prefix(1)) {
      nanos += (rest_[0] - '0') * scale;
    }
    return nanos;
  }
  bool stop(std::string_view element) {
    ok_ = false;
    element_ = element;
    return false;
  }
  bool ok() const { return ok_; }
  const std::string& element() const { return element_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
  std::string element_;
};

}  // namespace

std::string format_rfc3339(int64_t unix_ns, int offset_seconds) {
  int64_t seconds = unix_ns / kSecond, nanos = unix_ns % kSecond;
  if (nanos < 0) {
    nanos += kSecond;
    --seconds;
  }
  seconds += offset_seconds;
  int64_t days = seconds / 86400, clock = seconds % 86400;
  if (clock < 0) {
    clock += 86400;
    --days;
  }
  const Civil date = civil_from_days(days);
  std::string out;
  append_padded(out, date.year, 4);
  out += '-';
  append_padded(out, date.month, 2);
  out += '-';
  append_padded(out, date.day, 2);
  out += 'T';
  append_padded(out, clock / 3600, 2);
  out += ':';
  append_padded(out, clock / 60 % 60, 2);
  out += ':';
  append_padded(out, clock % 60, 2);
  if (nanos > 0) {
    out += '.';
    append_padded(out, nanos, 9);
    out.erase(out.find_last_not_of('0') + 1);
  }
  if (offset_seconds == 0) return out + "Z";
  const int minutes = std::abs(offset_seconds) / 60;
  out += offset_seconds < 0 ? '-' : '+';
  append_padded(out, minutes / 60, 2);
  out += ':';
  append_padded(out, minutes % 60, 2);
  return out;
}

Result<Timestamp> parse_rfc3339(std::string_view s) {
  const auto parsing = [&] { return "parsing time " + quote(s); };
  Scanner in(s);
  int64_t year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0;
  (void)(in.number(4, "2006", &year) && in.literal('-') && in.number(2, "01", &month) &&
         in.literal('-') && in.number(2, "02", &day) && in.literal('T') &&
         in.number(2, "15", &hour) && in.literal(':') && in.number(2, "04", &minute) &&
         in.literal(':') && in.number(2, "05", &second));
  const int64_t nanos = in.fraction();
  int64_t offset = 0;
  std::string_view zone = in.rest();
  std::string zone_text;
  if (in.ok()) {
    if (zone.starts_with('Z')) {
      zone_text = "Z";
    } else {
      Scanner z(zone.substr(zone.empty() ? 0 : 1));
      int64_t h = 0, m = 0;
      const bool sign = zone.starts_with('+') || zone.starts_with('-');
      if (sign && z.number(2, "", &h) && z.literal(':') && z.number(2, "", &m) && h <= 24 &&
          m < 60) {
        offset = (h * 60 + m) * 60 * (zone[0] == '-' ? -1 : 1);
        zone_text = zone.substr(0, 6);
      } else {
        in.stop("Z07:00");
      }
    }
  }
  if (!in.ok()) {
    return Error(Code::kInvalidArgument,
                 cat(parsing(), " as \"2006-01-02T15:04:05Z07:00\": cannot parse ",
                     quote(in.rest()), " as ", quote(in.element())));
  }
  const auto out_of_range = [&](const char* what) {
    return Error(Code::kInvalidArgument, cat(parsing(), ": ", what, " out of range"));
  };
  if (month < 1 || month > 12) return out_of_range("month");
  if (day < 1 || day > days_in_month(year, static_cast<int>(month))) return out_of_range("day");
  if (hour > 23) return out_of_range("hour");
  if (minute > 59) return out_of_range("minute");
  if (second > 59) return out_of_range("second");
  if (zone.size() > zone_text.size()) {
    return Error(Code::kInvalidArgument,
                 cat(parsing(), ": extra text: ", quote(zone.substr(zone_text.size()))));
  }
  const int64_t seconds =
      days_from_civil(year, static_cast<int>(month), static_cast<int>(day)) * 86400 + hour * 3600 +
      minute * 60 + second - offset;
  Timestamp out;
  int64_t ns = 0;
  if (!__builtin_mul_overflow(seconds, kSecond, &ns)) out.unix_ns = ns + nanos;
  out.text = s.substr(0, 19);
  if (nanos > 0) {
    out.text += '.';
    append_padded(out.text, nanos, 9);
    out.text.erase(out.text.find_last_not_of('0') + 1);
  }
  out.text += offset == 0 ? "Z" : zone_text;
  return out;
}

}  // namespace pintle::chart
