// time.Time, Duration, Month, Weekday and *Location as charts meet them: fields, methods, printing.
// Methods that text/template refuses (several results, parameters a chart cannot make) are absent.
#include <cmath>

#include "funcs/method_table.h"
#include "funcs/objects.h"

namespace pintle::funcs {
namespace {

using value::Call;
using value::FuncDef;
using value::Kind;
using value::Object;
using value::Value;

// A named integer: Duration (int64), Month and Weekday (int).
class NamedInteger : public Object {
 public:
  explicit NamedInteger(int64_t n) : n_(n) {}
  int64_t number() const { return n_; }
  Kind kind() const override { return Kind::kInt; }
  bool truth() const override { return n_ != 0; }
  bool equals(const Object& o) const override {
    auto* other = dynamic_cast<const NamedInteger*>(&o);
    return other != nullptr && other->go_type() == go_type() && other->n_ == n_;
  }
  void print(std::string& out, bool) const override { out += text(); }
  virtual std::string text() const = 0;

 private:
  int64_t n_;
};

std::string unknown(std::string_view type, int64_t n) {
  return "%!" + std::string(type) + "(" + std::to_string(n) + ")";
}

bool integer_text(Call& c) {
  return c.give(value::str(static_cast<NamedInteger*>(c[0].as_object())->text()));
}
constexpr FuncDef kStringOnly[] = {{"String", "", integer_text}};

class MonthObject : public NamedInteger {
 public:
  using NamedInteger::NamedInteger;
  std::string_view go_type() const override { return "time.Month"; }
  std::string_view kind_name() const override { return "int"; }
  Value basic() const override { return Value::integer(number()); }
  Value plain() const override { return basic(); }
  const FuncDef* method(std::string_view n) const override { return find_method(kStringOnly, n); }
  std::string text() const override {
    std::string_view name = month_name(static_cast<int>(number()));
    return name.empty() ? unknown("Month", number()) : std::string(name);
  }
};

class WeekdayObject : public NamedInteger {
 public:
  using NamedInteger::NamedInteger;
  std::string_view go_type() const override { return "time.Weekday"; }
  std::string_view kind_name() const override { return "int"; }
  Value basic() const override { return Value::integer(number()); }
  Value plain() const override { return basic(); }
  const FuncDef* method(std::string_view n) const override { return find_method(kStringOnly, n); }
  std::string text() const override {
    return std::string(week_day_name(static_cast<int>(number())));
  }
};

// ---- Duration ----

class DurationObject : public NamedInteger {
 public:
  using NamedInteger::NamedInteger;
  std::string_view go_type() const override { return "time.Duration"; }
  std::string_view kind_name() const override { return "int64"; }
  Value basic() const override { return Value::int64(number()); }
  Value plain() const override { return basic(); }
  const FuncDef* method(std::string_view n) const override;
  std::string text() const override { return duration_text(number()); }
};

// A parameter of type time.Duration: literals arrive as int64.
int64_t duration_argument(const Value& v) {
  return v.is(value::Type::kInt64) ? v.as_int() : duration_of(v).value_or(0);
}
int64_t self_duration(const Call& c) {
  return static_cast<DurationObject*>(c[0].as_object())->number();
}
// Whole units and the rest apart, as Go does, so that the rounding is the same.
Value in_units(int64_t n, int64_t unit) {
  return Value::number(static_cast<double>(n / unit) +
                       static_cast<double>(n % unit) / static_cast<double>(unit));
}

constexpr FuncDef kDurationMethods[] = {
    {"Abs", "",
     [](Call& c) {
       int64_t n = self_duration(c);
       return c.give(make_duration(n == INT64_MIN ? INT64_MAX : n < 0 ? -n : n));
     }},
    {"Hours", "", [](Call& c) { return c.give(in_units(self_duration(c), 3600 * kSecond)); }},
    {"Microseconds", "", [](Call& c) { return c.give(Value::int64(self_duration(c) / 1000)); }},
    {"Milliseconds", "", [](Call& c) { return c.give(Value::int64(self_duration(c) / 1000000)); }},
    {"Minutes", "", [](Call& c) { return c.give(in_units(self_duration(c), 60 * kSecond)); }},
    {"Nanoseconds", "", [](Call& c) { return c.give(Value::int64(self_duration(c))); }},
    {"Round", "d",
     [](Call& c) {
       return c.give(make_duration(duration_round(self_duration(c), duration_argument(c[1]))));
     }},
    {"Seconds", "", [](Call& c) { return c.give(in_units(self_duration(c), kSecond)); }},
    {"String", "", integer_text},
    {"Truncate", "d",
     [](Call& c) {
       return c.give(make_duration(duration_truncate(self_duration(c), duration_argument(c[1]))));
     }},
};

const FuncDef* DurationObject::method(std::string_view n) const {
  return find_method(kDurationMethods, n);
}

// ---- *Location ----

class LocationObject : public Object {
 public:
  explicit LocationObject(const Zone* zone) : zone_(zone) {}
  const Zone* zone() const { return zone_; }
  std::string_view go_type() const override { return "*time.Location"; }
  Kind kind() const override { return Kind::kPtr; }
  std::string_view kind_name() const override { return "ptr"; }
  const FuncDef* method(std::string_view n) const override;
  void print(std::string& out, bool) const override { out += zone_->name(); }
  bool equals(const Object& o) const override {
    auto* other = dynamic_cast<const LocationObject*>(&o);
    return other != nullptr && other->zone_ == zone_;
  }

 private:
  const Zone* zone_;
};

constexpr FuncDef kLocationMethods[] = {
    {"String", "",
     [](Call& c) {
       return c.give(value::str(static_cast<LocationObject*>(c[0].as_object())->zone()->name()));
     }},
};
const FuncDef* LocationObject::method(std::string_view n) const {
  return find_method(kLocationMethods, n);
}

// ---- Time ----

class TimeObject : public Object {
 public:
  explicit TimeObject(Time t) : time_(t) {}
  const Time& time() const { return time_; }
  std::string_view go_type() const override { return "time.Time"; }
  Kind kind() const override { return Kind::kStruct; }
  std::string_view kind_name() const override { return "struct"; }
  bool has_unexported(std::string_view n) const override {
    return n == "wall" || n == "ext" || n == "loc";
  }
  const FuncDef* method(std::string_view n) const override;
  void print(std::string& out, bool) const override { out += time_.text(); }
  Value plain() const override {
    auto text = time_.rfc3339();
    return text ? value::str(*text) : Value::invalid();
  }
  bool equals(const Object& o) const override {
    auto* other = dynamic_cast<const TimeObject*>(&o);
    return other != nullptr && other->time_ == time_;
  }

 private:
  Time time_;
};

const Time& self_time(const Call& c) { return static_cast<TimeObject*>(c[0].as_object())->time(); }
template <typename T>
Value object(T n) {
  return Value::object(Ref<Object>(n));
}

constexpr FuncDef kTimeMethods[] = {
    {"Add", "d",
     [](Call& c) { return c.give(make_time(self_time(c).add(duration_argument(c[1])))); }},
    {"AddDate", "iii",
     [](Call& c) {
       return c.give(make_time(self_time(c).add_date(c[1].as_int(), c[2].as_int(), c[3].as_int())));
     }},
    {"After", "t",
     [](Call& c) { return c.give(Value::boolean(self_time(c).compare(*time_of(c[1])) > 0)); }},
    {"Before", "t",
     [](Call& c) { return c.give(Value::boolean(self_time(c).compare(*time_of(c[1])) < 0)); }},
    {"Compare", "t",
     [](Call& c) { return c.give(Value::integer(self_time(c).compare(*time_of(c[1])))); }},
    {"Day", "", [](Call& c) { return c.give(Value::integer(self_time(c).date().day)); }},
    {"Equal", "t",
     [](Call& c) { return c.give(Value::boolean(self_time(c).compare(*time_of(c[1])) == 0)); }},
    {"Format", "s",
     [](Call& c) { return c.give(value::str(self_time(c).format(c[1].as_string()))); }},
    {"Hour", "",
     [](Call& c) { return c.give(Value::integer(self_time(c).second_of_day() / 3600)); }},
    {"In", "v",
     [](Call& c) {
       auto* where = c[1].is_object() ? dynamic_cast<LocationObject*>(c[1].as_object()) : nullptr;
       if (where == nullptr) return c.fail("time: missing Location in call to Time.In");
       return c.give(make_time(self_time(c).in(where->zone())));
     }},
    {"IsDST", "",
     [](Call& c) {
       const Time& t = self_time(c);
       return c.give(Value::boolean(t.zone->at(t.epoch).dst));
     }},
    {"IsZero", "", [](Call& c) { return c.give(Value::boolean(self_time(c).is_zero())); }},
    {"Local", "", [](Call& c) { return c.give(make_time(self_time(c).in(Zone::local()))); }},
    {"Location", "", [](Call& c) { return c.give(object(new LocationObject(self_time(c).zone))); }},
    {"Minute", "",
     [](Call& c) { return c.give(Value::integer(self_time(c).second_of_day() / 60 % 60)); }},
    {"Month", "",
     [](Call& c) { return c.give(object(new MonthObject(self_time(c).date().month))); }},
    {"Nanosecond", "", [](Call& c) { return c.give(Value::integer(self_time(c).nanos)); }},
    {"Round", "d",
     [](Call& c) { return c.give(make_time(self_time(c).round(duration_argument(c[1])))); }},
    {"Second", "",
     [](Call& c) { return c.give(Value::integer(self_time(c).second_of_day() % 60)); }},
    {"String", "", [](Call& c) { return c.give(value::str(self_time(c).text())); }},
    {"Sub", "t", [](Call& c) { return c.give(make_duration(self_time(c).since(*time_of(c[1])))); }},
    {"Truncate", "d",
     [](Call& c) { return c.give(make_time(self_time(c).truncate(duration_argument(c[1])))); }},
    {"UTC", "", [](Call& c) { return c.give(make_time(self_time(c).in(Zone::utc()))); }},
    {"Unix", "", [](Call& c) { return c.give(Value::int64(self_time(c).epoch)); }},
    {"UnixMicro", "",
     [](Call& c) {
       const Time& t = self_time(c);
       return c.give(Value::int64(static_cast<int64_t>(static_cast<uint64_t>(t.epoch) * 1000000) +
                                  t.nanos / 1000));
     }},
    {"UnixMilli", "",
     [](Call& c) {
       const Time& t = self_time(c);
       return c.give(Value::int64(static_cast<int64_t>(static_cast<uint64_t>(t.epoch) * 1000) +
                                  t.nanos / 1000000));
     }},
    {"UnixNano", "", [](Call& c) { return c.give(Value::int64(self_time(c).unix_nanos())); }},
    {"Weekday", "",
     [](Call& c) { return c.give(object(new WeekdayObject(self_time(c).date().week_day))); }},
    {"Year", "", [](Call& c) { return c.give(Value::integer(self_time(c).date().year)); }},
    {"YearDay", "", [](Call& c) { return c.give(Value::integer(self_time(c).date().year_day)); }},
};

const FuncDef* TimeObject::method(std::string_view n) const { return find_method(kTimeMethods, n); }

}  // namespace

Value make_time(Time t) { return object(new TimeObject(t)); }

const Time* time_of(const Value& v) {
  auto* o = v.is_object() ? dynamic_cast<TimeObject*>(v.as_object()) : nullptr;
  return o != nullptr ? &o->time() : nullptr;
}

Value make_duration(int64_t nanos) { return object(new DurationObject(nanos)); }

std::optional<int64_t> duration_of(const Value& v) {
  auto* o = v.is_object() ? dynamic_cast<DurationObject*>(v.as_object()) : nullptr;
  if (o == nullptr) return std::nullopt;
  return o->number();
}

}  // namespace pintle::funcs
