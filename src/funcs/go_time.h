// Go's time.Time, Location and Duration: the calendar, time zones, layouts ("2006-01-02") both
// ways; for templates, and for the times in releases. Behaviour: Go 1.26 package time. Pure, except
// that zones are read from the system's database and the local one from $TZ; both are read once and
// kept. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pintle::funcs {

constexpr int64_t kSecond = 1000000000;  // a Duration is an int64 of nanoseconds

// A time zone. Zones live for the whole process and are compared by address, as Go's are.
class Zone {
 public:
  // What holds from `start` until before `end` (unix seconds).
  struct Period {
    std::string name;
    int offset = 0;  // seconds east of UTC
    int64_t start = INT64_MIN, end = INT64_MAX;
    bool dst = false;
  };

  static const Zone* utc();
  static const Zone* local();
  // time.LoadLocation: "", "UTC", "Local" or a name of the database; null: unknown.
  static const Zone* load(const std::string& name);
  static const Zone* fixed(std::string name, int offset);
  // A TZif file's bytes; nullopt: malformed.
  static std::optional<Zone> parse(std::string name, std::string_view tzif);

  const std::string& name() const { return name_; }
  Period at(int64_t epoch) const;
  // The offset that goes by this abbreviation, best at that (local) time.
  std::optional<int> offset_of(std::string_view abbreviation, int64_t epoch) const;

 private:
  struct Kind {
    std::string name;
    int offset;
    bool dst;
  };
  struct Transition {
    int64_t when;
    size_t kind;
  };
  const Kind& first_kind() const;

  std::string name_;
  std::vector<Kind> kinds_;              // empty: UTC
  std::vector<Transition> transitions_;  // ascending
  std::string rule_;                     // POSIX TZ string for what comes after the last
};

struct Date {
  int64_t year = 1;
  int month = 1, day = 1;  // 1-based
  int year_day = 1;
  int week_day = 0;  // Sunday 0
};

struct Time {
  int64_t epoch = -62135596800;  // unix seconds; the default is Go's zero Time, year 1
  int32_t nanos = 0;             // 0 to 999,999,999
  const Zone* zone = Zone::utc();
  std::optional<int64_t> monotonic;  // nanoseconds since the first `now`; printed by text()

  bool operator==(const Time&) const = default;  // Go's ==, not Equal

  Date date() const;  // in its zone
  int second_of_day() const;
  Time in(const Zone* z) const { return {epoch, nanos, z, std::nullopt}; }
  Time add(int64_t duration) const;
  Time add_date(int64_t years, int64_t months, int64_t days) const;
  int64_t since(const Time& earlier) const;  // Sub: saturates
  int compare(const Time& o) const;
  Time truncate(int64_t duration) const;
  Time round(int64_t duration) const;
  bool is_zero() const { return epoch == -62135596800 && nanos == 0; }
  int64_t unix_nanos() const;  // wraps as Go's

  std::string format(std::string_view layout) const;
  std::string text() const;                    // String()
  std::optional<std::string> rfc3339() const;  // MarshalJSON's; nullopt: the year does not fit
};

// time.Date: every field may be out of its range.
Time make_date(int64_t year, int64_t month, int64_t day, int64_t hour, int64_t minute,
               int64_t second, int64_t nanos, const Zone* zone);
int64_t days_from_civil(int64_t year, int month, int day);  // since 1970-01-01
bool is_leap(int64_t year);
int days_in(int month, int64_t year);
std::string_view month_name(int month);  // "" outside 1 to 12
std::string_view week_day_name(int week_day);

// time.ParseInLocation(layout, text, zone). Error: Go's ("parsing time ... as ...: cannot parse").
Result<Time> parse_time(std::string_view layout, std::string_view text, const Zone* zone);

// The next token of a layout; kind 0 (none) at its end.
struct LayoutToken {
  enum Kind : uint8_t {
    kNone,
    kLongMonth,
    kMonth,
    kNumMonth,
    kZeroMonth,
    kLongWeekDay,
    kWeekDay,
    kDay,
    kUnderDay,
    kZeroDay,
    kUnderYearDay,
    kZeroYearDay,
    kHour,
    kHour12,
    kZeroHour12,
    kMinute,
    kZeroMinute,
    kSecond,
    kZeroSecond,
    kLongYear,
    kYear,
    kUpperPm,
    kLowerPm,
    kZoneName,
    kOffset,     // how: LayoutToken::offset
    kFraction0,  // fixed digits
    kFraction9,  // trailing zeros cut
  };
  struct Offset {
    bool z = false;  // "Z" for UTC
    bool colon = false, minutes = false, seconds = false;
  };
  Kind kind = kNone;
  Offset offset;
  int digits = 0;      // of a fraction
  char separator = 0;  // of a fraction: '.' or ','
  std::string_view before, text, after;
};
LayoutToken next_token(std::string_view layout);

// ---- durations ----

Result<int64_t> parse_duration(std::string_view text);  // time.ParseDuration
std::string duration_text(int64_t duration);            // Duration.String
int64_t duration_round(int64_t duration, int64_t multiple);
int64_t duration_truncate(int64_t duration, int64_t multiple);
// Package time's own quoting, in its error texts.
std::string quote_for_time(std::string_view text);

}  // namespace pintle::funcs
