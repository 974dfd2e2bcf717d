// Sprig's date functions. A value that is no time and no integer silently means the current time
// (sprig's own choice, which charts with numbers from values files live with).
#include <algorithm>
#include <vector>

#include "base/gotext.h"
#include "funcs/duration.h"
#include "funcs/families.h"
#include "funcs/funcs.h"
#include "funcs/objects.h"
#include "sys/clock.h"

namespace pintle::funcs {
namespace {

using value::Call;
using value::FuncDef;
using value::Type;
using value::Value;

Time now(const Call& c) {
  const Env& world = env(c);
  if (world.now_ns) {
    return make_date(1970, 1, 1, 0, 0, 0, world.now_ns(), Zone::utc()).in(Zone::local());
  }
  sys::Clock& clock = sys::real_clock();
  Time t = make_date(1970, 1, 1, 0, 0, 0, clock.now_ns(), Zone::utc()).in(Zone::local());
  // Go counts from the start of the process; nothing of ours ran before that is worth telling.
  static const int64_t start = clock.monotonic_ns() - 1;
  t.monotonic = clock.monotonic_ns() - start;
  return t;
}

Time to_time(const Call& c, const Value& v) {
  if (const Time* t = time_of(v)) return *t;
  if (v.is_int()) return {v.as_int(), 0, Zone::local(), std::nullopt};
  return now(c);
}

bool format_in(Call& c, std::string_view layout, const Value& when, const Zone* zone) {
  const Zone* known = zone != nullptr ? zone : Zone::utc();
  return c.give(value::str(to_time(c, when).in(known).format(layout)));
}

const Zone* zone_named(const Value& v) { return Zone::load(std::string(v.as_string())); }

constexpr std::string_view kHtml = "2006-01-02";

bool date(Call& c) { return format_in(c, c[0].as_string(), c[1], Zone::local()); }
bool date_in_zone(Call& c) { return format_in(c, c[0].as_string(), c[1], zone_named(c[2])); }
bool html_date(Call& c) { return format_in(c, kHtml, c[0], Zone::local()); }
bool html_date_in_zone(Call& c) { return format_in(c, kHtml, c[0], zone_named(c[1])); }

bool date_modify(Call& c) {
  auto d = parse_duration(c[0].as_string());
  return c.give(d ? make_time(time_of(c[1])->add(*d)) : c[1]);
}

bool must_date_modify(Call& c) {
  auto d = parse_duration(c[0].as_string());
  if (!d) return c.fail(std::move(d).error());
  return c.give(make_time(time_of(c[1])->add(*d)));
}

bool to_date(Call& c) {
  auto t = parse_time(c[0].as_string(), c[1].as_string(), Zone::local());
  return c.give(make_time(t ? *t : Time()));
}

bool must_to_date(Call& c) {
  auto t = parse_time(c[0].as_string(), c[1].as_string(), Zone::local());
  return t ? c.give(make_time(*t)) : c.fail(std::move(t).error());
}

bool ago(Call& c) {
  const Time then = to_time(c, c[0]);
  return c.give(value::str(duration_text(duration_round(now(c).since(then), kSecond))));
}

bool duration(Call& c) {
  int64_t seconds = 0;
  if (c[0].is_string()) {
    ParseError why;  // out of range still yields the nearest value
    seconds = parse_int(c[0].as_string(), 10, 64, &why);
  } else if (c[0].is(Type::kInt64)) {
    seconds = c[0].as_int();
  }
  const uint64_t nanos = static_cast<uint64_t>(seconds) * static_cast<uint64_t>(kSecond);
  return c.give(value::str(duration_text(static_cast<int64_t>(nanos))));
}

// The largest unit that is strictly exceeded, sign dropped.
bool round_duration(Call& c) {
  int64_t d = 0;
  if (c[0].is_string()) {
    d = parse_duration(c[0].as_string()).value_or(0);
  } else if (c[0].is(Type::kInt64)) {
    d = c[0].as_int();
  } else if (const Time* t = time_of(c[0])) {
    d = now(c).since(*t);
  }
  const uint64_t n = d < 0 ? 0 - static_cast<uint64_t>(d) : static_cast<uint64_t>(d);
  struct Unit {
    uint64_t seconds;
    const char* name;
  };
  constexpr Unit kUnits[] = {{31536000, "y"}, {2592000, "mo"}, {86400, "d"},
                             {3600, "h"},     {60, "m"},       {1, "s"}};
  for (const Unit& u : kUnits) {
    const uint64_t size = u.seconds * static_cast<uint64_t>(kSecond);
    if (n > size) return c.give(value::str(std::to_string(n / size) + u.name));
  }
  return c.give(value::str("0s"));
}

constexpr FuncDef kRows[] = {
    {"ago", "v", ago},
    {"date", "sv", date},
    {"dateInZone", "svs", date_in_zone},
    {"dateModify", "st", date_modify},
    {"date_in_zone", "svs", date_in_zone},
    {"date_modify", "st", date_modify},
    {"duration", "v", duration},
    {"durationRound", "v", round_duration},
    {"htmlDate", "v", html_date},
    {"htmlDateInZone", "vs", html_date_in_zone},
    {"mustDateModify", "st", must_date_modify},
    {"mustToDate", "ss", must_to_date},
    {"must_date_modify", "st", must_date_modify},
    {"now", "", [](Call& c) { return c.give(make_time(now(c))); }},
    {"toDate", "ss", to_date},
    {"unixEpoch", "t",
     [](Call& c) { return c.give(value::str(std::to_string(time_of(c[0])->epoch))); }},
};

}  // namespace

Family date_family() {
  static const std::vector<FuncDef> rows = [] {
    std::vector<FuncDef> all(std::begin(kRows), std::end(kRows));
    Family durations = duration_family();
    all.insert(all.end(), durations.begin(), durations.end());
    return all;
  }();
  return rows;
}

}  // namespace pintle::funcs
