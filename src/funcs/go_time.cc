// The calendar: proleptic Gregorian over 64-bit years, days counted from 1970-01-01.
//
// Civil dates and day counts convert by shifting the year to begin in March, so that the leap day
// is the last and month lengths follow one linear formula within eras of 400 years.
#include "funcs/go_time.h"

namespace pintle::funcs {
namespace {

constexpr int64_t kDaySeconds = 86400;
constexpr int64_t kUnixToYearOne = 62135596800;  // seconds from 0001-01-01 to 1970-01-01

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// Moves whole multiples of base from low to high, so that 0 <= low < base.
void carry(int64_t* high, int64_t* low, int64_t base) {
  int64_t n = floor_div(*low, base);
  *high = static_cast<int64_t>(static_cast<uint64_t>(*high) + static_cast<uint64_t>(n));
  *low -= n * base;
}

int64_t wrap_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t wrap_mul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

// Time since year 1 modulo d, 0 <= result < d.
int64_t modulo(const Time& t, int64_t d) {
  __int128 n = static_cast<__int128>(t.epoch) + kUnixToYearOne;
  n = (n * kSecond + t.nanos) % d;
  return static_cast<int64_t>(n < 0 ? n + d : n);
}

constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};
constexpr std::string_view kWeekDays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                          "Thursday", "Friday", "Saturday"};

}  // namespace

bool is_leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_in(int month, int64_t year) {
  if (month == 2) return is_leap(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

std::string_view month_name(int month) {
  return month >= 1 && month <= 12 ? kMonths[month - 1] : std::string_view();
}
std::string_view week_day_name(int week_day) {
  return week_day >= 0 && week_day <= 6 ? kWeekDays[week_day] : std::string_view();
}

int64_t days_from_civil(int64_t year, int month, int day) {
  if (month <= 2) --year;
  const int64_t era = floor_div(year, 400);
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return wrap_add(wrap_mul(era, 146097), day_of_era - 719468);
}

Date Time::date() const {
  const int64_t days = floor_div(wrap_add(epoch, zone->at(epoch).offset), kDaySeconds);
  Date d;
  d.week_day = static_cast<int>(((days % 7) + 11) % 7);  // 1970-01-01 was a Thursday
  const int64_t shifted = days + 719468;
  const int64_t era = floor_div(shifted, 146097);
  const int64_t day_of_era = shifted - era * 146097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted_month = (5 * day_of_year + 2) / 153;
  d.day = static_cast<int>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  d.month = static_cast<int>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  d.year = year_of_era + era * 400 + (d.month <= 2 ? 1 : 0);
  d.year_day = static_cast<int>(days - days_from_civil(d.year, 1, 1)) + 1;
  return d;
}

int Time::second_of_day() const {
  const int64_t local = wrap_add(epoch, zone->at(epoch).offset);
  const int64_t second = local % kDaySeconds;
  return static_cast<int>(second < 0 ? second + kDaySeconds : second);
}

Time make_date(int64_t year, int64_t month, int64_t day, int64_t hour, int64_t minute,
               int64_t second, int64_t nanos, const Zone* zone) {
  --month;
  carry(&year, &month, 12);
  carry(&second, &nanos, kSecond);
  carry(&minute, &second, 60);
  carry(&hour, &minute, 60);
  carry(&day, &hour, 24);
  const int64_t days =
      wrap_add(days_from_civil(year, static_cast<int>(month) + 1, 1), wrap_add(day, -1));
  int64_t epoch = wrap_add(wrap_mul(days, kDaySeconds), hour * 3600 + minute * 60 + second);
  // The zone wants UTC: try the offset of the unshifted time, then look again if that was wrong.
  Zone::Period period = zone->at(epoch);
  if (period.offset != 0) {
    const int64_t guess = wrap_add(epoch, -period.offset);
    if (guess < period.start || guess >= period.end) period = zone->at(guess);
    epoch = wrap_add(epoch, -period.offset);
  }
  return {epoch, static_cast<int32_t>(nanos), zone, std::nullopt};
}

Time Time::add(int64_t duration) const {
  Time t = *this;
  int64_t n = t.nanos + duration % kSecond;
  t.epoch = wrap_add(t.epoch, duration / kSecond);
  if (n >= kSecond) {
    t.epoch = wrap_add(t.epoch, 1);
    n -= kSecond;
  } else if (n < 0) {
    t.epoch = wrap_add(t.epoch, -1);
    n += kSecond;
  }
  t.nanos = static_cast<int32_t>(n);
  if (t.monotonic) {
    int64_t sum = 0;
    if (__builtin_add_overflow(*t.monotonic, duration, &sum)) {
      t.monotonic.reset();
    } else {
      t.monotonic = sum;
    }
  }
  return t;
}

Time Time::add_date(int64_t years, int64_t months, int64_t days) const {
  const Date d = date();
  const int s = second_of_day();
  return make_date(wrap_add(d.year, years), wrap_add(d.month, months), wrap_add(d.day, days),
                   s / 3600, s / 60 % 60, s % 60, nanos, zone);
}

int Time::compare(const Time& o) const {
  if (monotonic && o.monotonic) {
    return *monotonic < *o.monotonic ? -1 : *monotonic > *o.monotonic ? 1 : 0;
  }
  if (epoch != o.epoch) return epoch < o.epoch ? -1 : 1;
  return nanos < o.nanos ? -1 : nanos > o.nanos ? 1 : 0;
}

int64_t Time::since(const Time& earlier) const {
  __int128 d = static_cast<__int128>(epoch) - earlier.epoch;
  d = d * kSecond + nanos - earlier.nanos;
  if (monotonic && earlier.monotonic) d = static_cast<__int128>(*monotonic) - *earlier.monotonic;
  if (d > INT64_MAX) return INT64_MAX;
  if (d < INT64_MIN) return INT64_MIN;
  return static_cast<int64_t>(d);
}

Time Time::truncate(int64_t duration) const {
  Time t = *this;
  t.monotonic.reset();
  return duration <= 0 ? t : t.add(-modulo(t, duration));
}

Time Time::round(int64_t duration) const {
  Time t = *this;
  t.monotonic.reset();
  if (duration <= 0) return t;
  const int64_t r = modulo(t, duration);
  return r < duration - r ? t.add(-r) : t.add(duration - r);
}

int64_t Time::unix_nanos() const { return wrap_add(wrap_mul(epoch, kSecond), nanos); }

}  // namespace pintle::funcs
