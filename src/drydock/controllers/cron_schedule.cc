#include "drydock/controllers/cron_schedule.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>
#include <vector>

#include "base/gotext.h"
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

Error bad(std::string why) { return Error(Code::kInvalidArgument, std::move(why)); }

Result<int> one(std::string_view t, std::span<const std::string_view> names, int base) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (same_word(t, names[i])) return static_cast<int>(i) + base;
  }
  int n = 0;
  auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), n);
  if (error != std::errc() || end != t.data() + t.size()) {
    return bad(cat("failed to parse int from ", t, ": strconv.Atoi: parsing ", quote(t), ": invalid syntax"));
  }
  if (n < 0) return bad(cat("negative number (", n, ") not allowed: ", t));
  return n;
}

// "5", "1-5", "*/15", "9-17/4".
Result<uint64_t> range(std::string_view text, int low, int high, std::span<const std::string_view> names) {
  const auto steps = split(text, "/");
  const auto ends = split(steps[0], "-");
  int first = low, last = high, step = 1;
  if (ends[0] != "*" && ends[0] != "?") {
    if (ends.size() > 2) return bad(cat("too many hyphens: ", text));
    first = TRY(one(ends[0], names, low));
    last = ends.size() == 2 ? TRY(one(ends[1], names, low)) : first;
  }
  if (steps.size() > 2) return bad(cat("too many slashes: ", text));
  if (steps.size() == 2) {
    step = TRY(one(steps[1], {}, 0));
    if (ends.size() == 1) last = high;
  }
  if (first < low) return bad(cat("beginning of range (", first, ") below minimum (", low, "): ", text));
  if (last > high) return bad(cat("end of range (", last, ") above maximum (", high, "): ", text));
  if (first > last) return bad(cat("beginning of range (", first, ") beyond end of range (", last, "): ", text));
  if (step == 0) return bad(cat("step of range should be a positive number: ", text));
  uint64_t bits = 0;
  for (int64_t i = first; i <= last; i += step) bits |= uint64_t{1} << i;
  return bits;
}

Result<uint64_t> field(std::string_view text, int low, int high, std::span<const std::string_view> names = {}) {
  uint64_t bits = 0;
  for (std::string_view part : split(text, ",")) {
    if (!part.empty()) bits |= TRY(range(part, low, high, names));
  }
  return bits;
}

// time.ParseDuration as far as schedules need it: whole numbers of h, m and s.
Result<int64_t> seconds_of(std::string_view all) {
  std::string_view t = all;
  int64_t total = 0;
  do {
    int64_t n = 0;
    auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), n);
    if (error != std::errc() || n < 0) return bad(cat("time: invalid duration ", quote(all)));
    t.remove_prefix(static_cast<size_t>(end - t.data()));
    if (t.empty()) return bad(cat("time: missing unit in duration ", quote(all)));
    const int64_t scale = t[0] == 's' ? 1 : t[0] == 'm' ? 60 : t[0] == 'h' ? 3600 : 0;
    if (scale == 0) return bad(cat("time: unknown unit ", quote(t), " in duration ", quote(all)));
    if (n > 1'000'000'000) return bad(cat("time: invalid duration ", quote(all)));
    total += n * scale;
    t.remove_prefix(1);
  } while (!t.empty());
  return total;
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

Result<CronSchedule> CronSchedule::parse(std::string_view text) {
  if (text.starts_with("TZ=") || text.starts_with("CRON_TZ=")) {
    const size_t space = text.find(' ');
    text = space == text.npos ? std::string_view() : trim_space(text.substr(space));
  }
  if (text.empty()) return bad("empty spec string");
  const std::string_view given = text;
  if (text == "@hourly") text = "0 * * * *";
  if (text == "@daily" || text == "@midnight") text = "0 0 * * *";
  if (text == "@weekly") text = "0 0 * * 0";
  if (text == "@monthly") text = "0 0 1 * *";
  if (text == "@yearly" || text == "@annually") text = "0 0 1 1 *";
  CronSchedule schedule;
  if (text.starts_with("@every ")) {
    auto seconds = seconds_of(text.substr(7));
    if (!seconds) return bad(cat("failed to parse duration ", given, ": ", seconds.error().text()));
    schedule.every_seconds = std::max<int64_t>(*seconds, 1);
    return schedule;
  }
  if (text.starts_with('@')) return bad(cat("unrecognized descriptor: ", given));
  std::vector<std::string> fields;
  std::string word;
  for (char c : cat(text, " ")) {
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') word.push_back(c);
    else if (!word.empty()) fields.push_back(std::exchange(word, {}));
  }
  if (fields.size() != 5) {
    return bad(cat("expected exactly 5 fields, found ", fields.size(), ": [", join(fields, " "), "]"));
  }
  schedule.minutes = TRY(field(fields[0], 0, 59));
  schedule.hours = TRY(field(fields[1], 0, 23));
  schedule.days = TRY(field(fields[2], 1, 31));
  schedule.months = TRY(field(fields[3], 1, 12, kMonths));
  schedule.weekdays = TRY(field(fields[4], 0, 6, kDays));
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
