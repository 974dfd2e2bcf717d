// Time zones: TZif files as Go's LoadLocation reads them, POSIX rules for times after the last
// transition, the local zone from $TZ or /etc/localtime.
//
// Zones are kept for the life of the process, so that a Time can hold a plain pointer; only names
// that exist are kept, and there are some 600. Fixed zones (a parsed "+02:00") are kept too, once
// per name and offset: names are at most a few letters, offsets at most 90,000 values each way.
#include <map>

#include "base/mutex.h"
#include "funcs/go_time.h"
#include "sys/disk.h"
#include "sys/environ.h"

namespace pintle::funcs {
namespace {

constexpr size_t kMaxFile = 1 << 20;

// Big-endian numbers and byte runs; `bad` sticks once the input is too short.
class Reader {
 public:
  explicit Reader(std::string_view s) : s_(s) {}
  std::string_view take(uint64_t n) {
    if (n > s_.size()) {
      bad = true;
      return {};
    }
    std::string_view out = s_.substr(0, n);
    s_.remove_prefix(n);
    return out;
  }
  int64_t number(int size) {
    uint64_t n = 0;
    for (unsigned char c : take(static_cast<uint64_t>(size))) n = n << 8 | c;
    return size == 4 ? static_cast<int32_t>(n) : static_cast<int64_t>(n);
  }
  std::string_view rest() const { return s_; }
  bool bad = false;

 private:
  std::string_view s_;
};

struct Counts {
  uint64_t utc_local, std_wall, leap, time, zone, chars;
  static Counts read(Reader& r) {
    auto n = [&] { return static_cast<uint64_t>(static_cast<uint32_t>(r.number(4))); };
    Counts c{};
    for (uint64_t* f : {&c.utc_local, &c.std_wall, &c.leap, &c.time, &c.zone, &c.chars}) *f = n();
    return c;
  }
};

// ---- POSIX rules: "CET-1CEST,M3.5.0,M10.5.0/3" ----

struct Rule {
  enum Kind : uint8_t { kJulian, kDayOfYear, kMonthWeekDay } kind = kJulian;
  int64_t day = 0, week = 0, month = 0;
  int64_t time = 7200;
};

bool read_number(std::string_view* s, int64_t min, int64_t max, int64_t* n) {
  size_t i = 0;
  *n = 0;
  for (; i < s->size() && (*s)[i] >= '0' && (*s)[i] <= '9'; ++i) {
    *n = *n * 10 + ((*s)[i] - '0');
    if (*n > max) return false;
  }
  s->remove_prefix(i);
  return i > 0 && *n >= min;
}

bool read_name(std::string_view* s, std::string_view* name) {
  if (s->empty()) return false;
  if (s->front() == '<') {
    size_t end = s->find('>');
    if (end == std::string_view::npos) return false;
    *name = s->substr(1, end - 1);
    s->remove_prefix(end + 1);
    return true;
  }
  size_t end = s->find_first_of("0123456789,-+");
  *name = s->substr(0, end);
  s->remove_prefix(name->size());
  return name->size() >= 3;
}

bool read_offset(std::string_view* s, int64_t* offset) {
  if (s->empty()) return false;
  bool negative = s->front() == '-';
  if (negative || s->front() == '+') s->remove_prefix(1);
  int64_t part = 0;
  if (!read_number(s, 0, 24 * 7, &part)) return false;
  *offset = part * 3600;
  for (int64_t unit : {60, 1}) {
    if (s->empty() || s->front() != ':') break;
    s->remove_prefix(1);
    if (!read_number(s, 0, 59, &part)) return false;
    *offset += part * unit;
  }
  if (negative) *offset = -*offset;
  return true;
}

bool read_rule(std::string_view* s, Rule* rule) {
  auto dot = [&] {
    if (s->empty() || s->front() != '.') return false;
    s->remove_prefix(1);
    return true;
  };
  if (s->empty()) return false;
  if (s->front() == 'J') {
    s->remove_prefix(1);
    rule->kind = Rule::kJulian;
    if (!read_number(s, 1, 365, &rule->day)) return false;
  } else if (s->front() == 'M') {
    s->remove_prefix(1);
    rule->kind = Rule::kMonthWeekDay;
    if (!read_number(s, 1, 12, &rule->month) || !dot() || !read_number(s, 1, 5, &rule->week) ||
        !dot() || !read_number(s, 0, 6, &rule->day)) {
      return false;
    }
  } else {
    rule->kind = Rule::kDayOfYear;
    if (!read_number(s, 0, 365, &rule->day)) return false;
  }
  if (s->empty() || s->front() != '/') return true;
  s->remove_prefix(1);
  return read_offset(s, &rule->time);
}

// Seconds from the start of the year (UTC) to when the rule strikes.
int64_t rule_time(int64_t year, const Rule& rule, int64_t offset) {
  int64_t days = 0;
  switch (rule.kind) {
    case Rule::kJulian:
      days = rule.day - 1 + (is_leap(year) && rule.day >= 60 ? 1 : 0);
      break;
    case Rule::kDayOfYear:
      days = rule.day;
      break;
    case Rule::kMonthWeekDay: {
      const int month = static_cast<int>(rule.month);
      const int64_t first = days_from_civil(year, month, 1);
      const int64_t week_day = ((first % 7) + 11) % 7;
      int64_t day = rule.day - week_day;
      if (day < 0) day += 7;
      for (int64_t i = 1; i < rule.week && day + 7 < days_in(month, year); ++i) day += 7;
      days = first + day - days_from_civil(year, 1, 1);
      break;
    }
  }
  return days * 86400 + rule.time - offset;
}

std::optional<Zone::Period> by_rule(std::string_view s, int64_t last, int64_t epoch) {
  std::string_view standard, saving;
  int64_t standard_offset = 0, saving_offset = 0;
  if (!read_name(&s, &standard) || !read_offset(&s, &standard_offset)) return std::nullopt;
  standard_offset = -standard_offset;
  auto period = [](std::string_view name, int64_t offset, int64_t start, int64_t end, bool dst) {
    return Zone::Period{std::string(name), static_cast<int>(offset), start, end, dst};
  };
  if (s.empty() || s.front() == ',')
    return period(standard, standard_offset, last, INT64_MAX, false);
  if (!read_name(&s, &saving)) return std::nullopt;
  if (s.empty() || s.front() == ',') {
    saving_offset = standard_offset + 3600;
  } else {
    if (!read_offset(&s, &saving_offset)) return std::nullopt;
    saving_offset = -saving_offset;
  }
  if (s.empty()) s = ",M3.2.0,M11.1.0";
  if (s.front() != ',' && s.front() != ';') return std::nullopt;
  s.remove_prefix(1);
  Rule starts, ends;
  if (!read_rule(&s, &starts) || s.empty() || s.front() != ',') return std::nullopt;
  s.remove_prefix(1);
  if (!read_rule(&s, &ends) || !s.empty()) return std::nullopt;

  const int64_t year = Time{epoch, 0, Zone::utc(), std::nullopt}.date().year;
  const int64_t year_start = days_from_civil(year, 1, 1) * 86400;
  const int64_t at = epoch - year_start;
  int64_t start = rule_time(year, starts, standard_offset);
  int64_t end = rule_time(year, ends, saving_offset);
  bool dst = true;
  if (end < start) {  // the southern half: "saving" spans the new year
    std::swap(start, end);
    std::swap(standard, saving);
    std::swap(standard_offset, saving_offset);
    dst = false;
  }
  if (at < start) return period(standard, standard_offset, year_start, start + year_start, !dst);
  if (at >= end) {
    return period(standard, standard_offset, end + year_start, year_start + 365 * 86400, !dst);
  }
  return period(saving, saving_offset, start + year_start, end + year_start, dst);
}

// ---- finding zones ----

constexpr const char* kSources[] = {"/usr/share/zoneinfo/", "/usr/share/lib/zoneinfo/",
                                    "/usr/lib/locale/TZ/", "/etc/zoneinfo/"};

std::optional<Zone> read_zone(std::string name, const std::string& path) {
  auto data = sys::real_disk().read_file(path, kMaxFile);
  if (!data) return std::nullopt;
  return Zone::parse(std::move(name), *data);
}

std::optional<Zone> find_zone(const std::string& name) {
  for (const char* source : kSources) {
    if (auto zone = read_zone(name, source + name)) return zone;
  }
  return std::nullopt;
}

std::optional<Zone> find_local() {
  auto tz = sys::real_environ().find("TZ");
  if (!tz) return read_zone("Local", "/etc/localtime");
  if (tz->starts_with(':')) tz->erase(0, 1);
  if (tz->starts_with('/')) return read_zone(*tz == "/etc/localtime" ? "Local" : *tz, *tz);
  if (tz->empty() || *tz == "UTC") return std::nullopt;
  return find_zone(*tz);
}

template <typename Key>
class Kept {
 public:
  template <typename Make>
  const Zone* get(const Key& key, Make make) {
    Lock lock(mutex_);
    auto it = zones_.find(key);
    if (it != zones_.end()) return &it->second;
    std::optional<Zone> made = make();
    if (!made) return nullptr;
    return &zones_.emplace(key, *std::move(made)).first->second;
  }

 private:
  Mutex mutex_;
  std::map<Key, Zone> zones_ GUARDED_BY(mutex_);
};

}  // namespace

const Zone* Zone::utc() {
  static const Zone zone = [] {
    Zone z;
    z.name_ = "UTC";
    return z;
  }();
  return &zone;
}

const Zone* Zone::local() {
  static const Zone zone = find_local().value_or(*utc());
  return &zone;
}

const Zone* Zone::load(const std::string& name) {
  if (name.empty() || name == "UTC") return utc();
  if (name == "Local") return local();
  if (name.find("..") != std::string::npos || name[0] == '/' || name[0] == '\\' ||
      name.find('\0') != std::string::npos) {
    return nullptr;
  }
  static Kept<std::string>* kept = new Kept<std::string>;
  return kept->get(name, [&] { return find_zone(name); });
}

const Zone* Zone::fixed(std::string name, int offset) {
  static auto* kept = new Kept<std::pair<std::string, int>>;
  return kept->get({name, offset}, [&] {
    Zone z;
    z.name_ = name;
    z.kinds_ = {{name, offset, false}};
    z.transitions_ = {{INT64_MIN, 0}};
    return std::optional<Zone>(std::move(z));
  });
}

std::optional<Zone> Zone::parse(std::string name, std::string_view tzif) {
  Reader r(tzif);
  if (r.take(4) != "TZif") return std::nullopt;
  const std::string_view header = r.take(16);
  if (r.bad) return std::nullopt;
  const char version = header[0];
  if (version != '\0' && version != '2' && version != '3') return std::nullopt;
  Counts n = Counts::read(r);
  int size = 4;
  if (version != '\0') {  // the 32-bit part, then a second header for 64 bits
    r.take(n.time * 5 + n.zone * 6 + n.chars + n.leap * 8 + n.std_wall + n.utc_local + 20);
    n = Counts::read(r);
    size = 8;
  }
  Reader times(r.take(n.time * static_cast<uint64_t>(size)));
  const std::string_view kinds_of = r.take(n.time);
  Reader kinds(r.take(n.zone * 6));
  const std::string_view names = r.take(n.chars);
  r.take(n.leap * static_cast<uint64_t>(size + 4));
  r.take(n.std_wall);
  r.take(n.utc_local);
  if (r.bad || n.zone == 0) return std::nullopt;

  Zone zone;
  zone.name_ = std::move(name);
  for (uint64_t i = 0; i < n.zone; ++i) {
    const int offset = static_cast<int>(kinds.number(4));
    const bool dst = kinds.take(1)[0] != '\0';
    const size_t at = static_cast<unsigned char>(kinds.take(1)[0]);
    if (at >= names.size()) return std::nullopt;
    const std::string_view rest = names.substr(at);
    zone.kinds_.push_back({std::string(rest.substr(0, rest.find('\0'))), offset, dst});
  }
  for (uint64_t i = 0; i < n.time; ++i) {
    const size_t kind = static_cast<unsigned char>(kinds_of[i]);
    if (kind >= zone.kinds_.size()) return std::nullopt;
    zone.transitions_.push_back({times.number(size), kind});
  }
  if (zone.transitions_.empty()) zone.transitions_.push_back({INT64_MIN, 0});
  std::string_view rule = r.rest();
  if (rule.size() > 2 && rule.front() == '\n' && rule.back() == '\n') {
    zone.rule_ = rule.substr(1, rule.size() - 2);
  }
  return zone;
}

// For times before the first transition: the first kind if no transition leads to it, else the
// standard time that precedes an initial saving time, else the first standard time.
const Zone::Kind& Zone::first_kind() const {
  bool first_used = false;
  for (const Transition& t : transitions_) first_used = first_used || t.kind == 0;
  if (!first_used) return kinds_[0];
  if (!transitions_.empty() && kinds_[transitions_[0].kind].dst) {
    for (size_t i = transitions_[0].kind; i-- > 0;) {
      if (!kinds_[i].dst) return kinds_[i];
    }
  }
  for (const Kind& k : kinds_) {
    if (!k.dst) return k;
  }
  return kinds_[0];
}

Zone::Period Zone::at(int64_t epoch) const {
  if (kinds_.empty()) return {"UTC", 0, INT64_MIN, INT64_MAX, false};
  if (transitions_.empty() || epoch < transitions_[0].when) {
    const Kind& k = first_kind();
    int64_t end = transitions_.empty() ? INT64_MAX : transitions_[0].when;
    return {k.name, k.offset, INT64_MIN, end, k.dst};
  }
  size_t low = 0, high = transitions_.size();
  int64_t end = INT64_MAX;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (epoch < transitions_[middle].when) {
      end = transitions_[middle].when;
      high = middle;
    } else {
      low = middle;
    }
  }
  if (low + 1 == transitions_.size() && !rule_.empty()) {
    if (auto period = by_rule(rule_, transitions_[low].when, epoch)) return *period;
  }
  const Kind& k = kinds_[transitions_[low].kind];
  return {k.name, k.offset, transitions_[low].when, end, k.dst};
}

std::optional<int> Zone::offset_of(std::string_view abbreviation, int64_t epoch) const {
  for (const Kind& k : kinds_) {
    if (k.name != abbreviation) continue;
    Period p = at(epoch - k.offset);
    if (p.name == k.name) return p.offset;
  }
  for (const Kind& k : kinds_) {
    if (k.name == abbreviation) return k.offset;
  }
  return std::nullopt;
}

}  // namespace pintle::funcs
