// Parts of timestamps and durations. Zones are offsets ("+02:00") or UTC: the names of the time zone
// database are not known here.
#include "base/gotext.h"
#include "base/strings.h"
#include "cel/function.h"
#include "cel/time.h"

namespace pintle::cel {
namespace {

using Args = std::span<const Val>;
constexpr int64_t kSecond = 1'000'000'000, kDay = 86400;

struct Local {
  Date date;
  int64_t days, second_of_day;
  uint32_t ns;
};

// Seconds east of UTC of the second argument, if any.
Result<int64_t> zone_of(Args v) {
  if (v.size() < 2) return 0;
  const std::string_view zone = v[1].view();
  const size_t colon = zone.find(':');
  if (colon == std::string_view::npos) {
    if (zone.empty() || zone == "UTC") return 0;
    return Error(cat("unknown time zone ", zone));
  }
  int64_t parts[2];
  std::string_view texts[] = {zone.substr(0, colon), zone.substr(colon + 1)};
  for (size_t i = 0; i < 2; ++i) {
    ParseError error = ParseError::kNone;
    parts[i] = parse_int(texts[i], 10, 32, &error);
    if (error != ParseError::kNone) {
      return Error(cat("strconv.Atoi: parsing ", quote(texts[i]), ": ",
                       error == ParseError::kRange ? "value out of range" : "invalid syntax"));
    }
  }
  return (parts[0] * 60 + (zone[0] == '-' ? -parts[1] : parts[1])) * 60;
}

template <int64_t (*Part)(const Local&)>
Val part(Arena& a, Args v) {
  auto offset = zone_of(v);
  if (!offset) return a.error(offset.error().text());
  const int64_t t = v[0].i + *offset, days = t / kDay - (t % kDay < 0 ? 1 : 0);
  return Val::integer(Part({date_of(days), days, t - days * kDay, v[0].n}));
}
int64_t year(const Local& t) { return t.date.year; }
int64_t month(const Local& t) { return t.date.month - 1; }
int64_t day_of_year(const Local& t) { return t.days - days_of({t.date.year, 1, 1}); }
int64_t day_of_month(const Local& t) { return t.date.day - 1; }
int64_t date(const Local& t) { return t.date.day; }
int64_t day_of_week(const Local& t) { return ((t.days + 4) % 7 + 7) % 7; }
int64_t hours(const Local& t) { return t.second_of_day / 3600; }
int64_t minutes(const Local& t) { return t.second_of_day / 60 % 60; }
int64_t seconds(const Local& t) { return t.second_of_day % 60; }
int64_t milliseconds(const Local& t) { return t.ns / 1'000'000; }

template <int64_t Unit>
Val whole(Arena&, Args v) {
  return Val::integer(v[0].i / Unit);
}

constexpr Row kRows[] = {
    {"getFullYear", "timestamp.() -> int", part<year>},
    {"getFullYear", "timestamp.(string) -> int", part<year>},
    {"getMonth", "timestamp.() -> int", part<month>},
    {"getMonth", "timestamp.(string) -> int", part<month>},
    {"getDayOfYear", "timestamp.() -> int", part<day_of_year>},
    {"getDayOfYear", "timestamp.(string) -> int", part<day_of_year>},
    {"getDayOfMonth", "timestamp.() -> int", part<day_of_month>},
    {"getDayOfMonth", "timestamp.(string) -> int", part<day_of_month>},
    {"getDate", "timestamp.() -> int", part<date>},
    {"getDate", "timestamp.(string) -> int", part<date>},
    {"getDayOfWeek", "timestamp.() -> int", part<day_of_week>},
    {"getDayOfWeek", "timestamp.(string) -> int", part<day_of_week>},
    {"getHours", "timestamp.() -> int", part<hours>},
    {"getHours", "timestamp.(string) -> int", part<hours>},
    {"getHours", "duration.() -> int", whole<3600 * kSecond>},
    {"getMinutes", "timestamp.() -> int", part<minutes>},
    {"getMinutes", "timestamp.(string) -> int", part<minutes>},
    {"getMinutes", "duration.() -> int", whole<60 * kSecond>},
    {"getSeconds", "timestamp.() -> int", part<seconds>},
    {"getSeconds", "timestamp.(string) -> int", part<seconds>},
    {"getSeconds", "duration.() -> int", whole<kSecond>},
    {"getMilliseconds", "timestamp.() -> int", part<milliseconds>},
    {"getMilliseconds", "timestamp.(string) -> int", part<milliseconds>},
    {"getMilliseconds", "duration.() -> int", whole<kSecond / 1000>},
};

}  // namespace

std::span<const Row> time_rows() { return kRows; }

}  // namespace pintle::cel
