#include "drydock/controllers/cron_schedule.h"

#include <charconv>
#include <span>
#include <vector>

#include "base/strings.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kDays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

bool same_word(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if ((a[i] | 32) != b[i]) return false;
  }
  return true;
}

std::optional<int> one(std::string_view t, std::span<const std::string_view> names, int base) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (same_word(t, names[i])) return static_cast<int>(i) + base;
  }
  int n = 0;
  auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), n);
  if (error != std::errc() || end != t.data() + t.size()) return std::nullopt;
  return n;
}

std::optional<uint64_t> field(std::string_view text, int low, int high,
                              std::span<const std::string_view> names = {}) {
  uint64_t bits = 0;
  for (std::string_view part : split(text, ",")) {
    size_t slash = part.find('/');
    std::string_view range = part.substr(0, slash);
    int step = 1, first = low, last = high;
    if (slash != part.npos) {
      std::optional<int> n = one(part.substr(slash + 1), {}, 0);
      if (!n || *n <= 0) return std::nullopt;
      step = *n;
    }
    if (range != "*" && range != "?") {
      size_t dash = range.find('-');
      std::optional<int> a = one(range.substr(0, dash), names, low);
      if (!a) return std::nullopt;
      first = *a;
      last = dash == range.npos && slash == part.npos ? *a : high;
      if (dash != range.npos) {
        std::optional<int> b = one(range.substr(dash + 1), names, low);
        if (!b) return std::nullopt;
        last = *b;
      }
    }
    if (first < low || last > high || first > last) return std::nullopt;
    for (int i = first; i <= last; i += step) bits |= uint64_t{1} << i;
  }
  return bits;
}

struct Civil {
  int64_t year;
  int month, day;
};
Civil civil(int64_t days) {
  int64_t z = days + 719468, era = z / 146097, doe = z - era * 146097;
  int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
  int month = static_cast<int>(mp < 10 ? mp + 3 : mp - 9);
  return {yoe + era * 400 + (month <= 2), month, static_cast<int>(doy - (153 * mp + 2) / 5 + 1)};
}

}  // namespace

std::optional<CronSchedule> CronSchedule::parse(std::string_view text) {
  if (text.starts_with("TZ=") || text.starts_with("CRON_TZ=")) return std::nullopt;
  if (text == "@hourly") text = "0 * * * *";
  if (text == "@daily" || text == "@midnight") text = "0 0 * * *";
  if (text == "@weekly") text = "0 0 * * 0";
  if (text == "@monthly") text = "0 0 1 * *";
  if (text == "@yearly" || text == "@annually") text = "0 0 1 1 *";
  CronSchedule schedule;
  if (text.starts_with("@every ")) {
    std::string_view t = text.substr(7);
    int64_t n = 0;
    auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), n);
    std::string_view unit(end, static_cast<size_t>(t.data() + t.size() - end));
    int64_t scale = unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
    if (error != std::errc() || n <= 0 || scale == 0 || n > 1'000'000) return std::nullopt;
    schedule.every_seconds = n * scale;
    return schedule;
  }
  std::vector<std::string_view> fields;
  for (std::string_view part : split(text, " ")) {
    if (!part.empty()) fields.push_back(part);
  }
  if (fields.size() != 5) return std::nullopt;
  auto minutes = field(fields[0], 0, 59), hours = field(fields[1], 0, 23), days = field(fields[2], 1, 31);
  auto months = field(fields[3], 1, 12, kMonths), weekdays = field(fields[4], 0, 6, kDays);
  if (!minutes || !hours || !days || !months || !weekdays) return std::nullopt;
  schedule.minutes = *minutes;
  schedule.hours = *hours;
  schedule.days = *days;
  schedule.months = *months;
  schedule.weekdays = *weekdays;
  schedule.any_day = fields[2].starts_with("*") || fields[2] == "?";
  schedule.any_weekday = fields[4].starts_with("*") || fields[4] == "?";
  return schedule;
}

int64_t CronSchedule::next(int64_t now) const {
  if (every_seconds > 0) return now + every_seconds;
  int64_t minute = now / 60 + 1;
  int64_t last_day = minute / 1440 + 5 * 366;
  for (int64_t day = minute / 1440; day <= last_day; ++day) {
    Civil date = civil(day);
    bool by_day = days >> date.day & 1;
    bool by_weekday = weekdays >> ((day + 4) % 7) & 1;
    bool fits = any_day || any_weekday ? by_day && by_weekday : by_day || by_weekday;
    if (!(months >> date.month & 1) || !fits) continue;
    for (int64_t m = day == minute / 1440 ? minute % 1440 : 0; m < 1440; ++m) {
      if ((hours >> (m / 60) & 1) && (minutes >> (m % 60) & 1)) return (day * 1440 + m) * 60;
    }
  }
  return 0;
}

}  // namespace pintle::drydock
