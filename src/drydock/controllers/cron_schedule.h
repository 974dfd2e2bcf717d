// A CronJob's schedule: five fields (minute hour day month weekday) of lists, ranges and steps, names
// of months and days, or @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually, and
// "@every 90s". UTC: a time zone before it is not looked at. As robfig/cron: where both day and weekday are given, either will do.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace pintle::drydock {

struct CronSchedule {
  uint64_t minutes = 0, hours = 0, days = 0, months = 0, weekdays = 0;  // bit n: n is in
  bool any_day = false, any_weekday = false;
  int64_t every_seconds = 0;  // @every

  // Errors: what robfig/cron says of it.
  static Result<CronSchedule> parse(std::string_view text);
  // The first time after `unix_seconds`; 0: none within five years.
  int64_t next(int64_t unix_seconds) const;
};

}  // namespace pintle::drydock
