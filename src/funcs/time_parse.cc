// Reading a time by its layout (time.ParseInLocation).
#include "funcs/go_time.h"

namespace pintle::funcs {
namespace {

using Kind = LayoutToken::Kind;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool digit_at(std::string_view s, size_t i) { return i < s.size() && is_digit(s[i]); }
bool is_point(char c) { return c == '.' || c == ','; }

// A signed decimal that must be all of s.
bool atoi(std::string_view s, int64_t* n) {
  bool negative = !s.empty() && s[0] == '-';
  if (negative || (!s.empty() && s[0] == '+')) s.remove_prefix(1);
  *n = 0;
  for (char c : s) {
    if (!is_digit(c)) return false;
    *n = *n * 10 + (c - '0');
  }
  if (negative) *n = -*n;
  return true;
}

// Go ignores the case of names, ASCII letters only.
bool same_letters(std::string_view a, std::string_view b) {
  for (size_t i = 0; i < a.size(); ++i) {
    const char x = static_cast<char>(a[i] | 0x20), y = static_cast<char>(b[i] | 0x20);
    if (a[i] != b[i] && (x != y || x < 'a' || x > 'z')) return false;
  }
  return true;
}

// Length of a zone abbreviation at the start of s; 0: none.
size_t signed_offset_length(std::string_view s) {
  if (s.empty() || (s[0] != '-' && s[0] != '+')) return 0;
  size_t i = 1;
  int64_t n = 0;
  for (; digit_at(s, i); ++i) n = n > 23 ? n : n * 10 + (s[i] - '0');
  return i == 1 || n > 23 ? 0 : i;
}

size_t zone_name_length(std::string_view s) {
  if (s.size() < 3) return 0;
  if (s.starts_with("ChST") || s.starts_with("MeST")) return 4;
  if (s.starts_with("GMT")) return 3 + signed_offset_length(s.substr(3));
  if (s[0] == '+' || s[0] == '-') return signed_offset_length(s);
  size_t upper = 0;
  while (upper < 6 && upper < s.size() && s[upper] >= 'A' && s[upper] <= 'Z') ++upper;
  if (upper == 5) return s[4] == 'T' ? 5 : 0;
  if (upper == 4) return s[3] == 'T' || s.starts_with("WITA") ? 4 : 0;
  return upper == 3 ? 3 : 0;
}

class Parser {
 public:
  Parser(std::string_view layout, std::string_view text, const Zone* zone)
      : layout_(layout), text_(text), rest_(text), zone_(zone) {}

  Result<Time> run() {
    for (std::string_view layout = layout_;;) {
      const LayoutToken token = next_token(layout);
      if (!skip_literal(token.before)) return misfit(token.before, rest_);
      if (token.kind == Kind::kNone) {
        if (!rest_.empty()) return wrong("extra text: " + quote_for_time(rest_));
        return finish();
      }
      layout = token.after;
      const std::string_view here = rest_;
      range_ = nullptr;
      const bool fits = read(token, layout);
      if (range_ != nullptr) return wrong(std::string(range_) + " out of range");
      if (!fits) return misfit(token.text, here);
    }
  }

 private:
  Error wrong(const std::string& message) const {
    return Error("parsing time " + quote_for_time(text_) + ": " + message, Code::kInvalidArgument);
  }
  Error misfit(std::string_view element, std::string_view at) const {
    return Error("parsing time " + quote_for_time(text_) + " as " + quote_for_time(layout_) +
                     ": cannot parse " + quote_for_time(at) + " as " + quote_for_time(element),
                 Code::kInvalidArgument);
  }

  // One run of spaces in the layout stands for any run, also for none at the end of the text.
  bool skip_literal(std::string_view prefix) {
    auto cut_spaces = [](std::string_view& s) {
      while (!s.empty() && s[0] == ' ') s.remove_prefix(1);
    };
    while (!prefix.empty()) {
      if (prefix[0] == ' ') {
        if (!rest_.empty() && rest_[0] != ' ') return false;
        cut_spaces(prefix);
        cut_spaces(rest_);
        continue;
      }
      if (rest_.empty() || rest_[0] != prefix[0]) return false;
      prefix.remove_prefix(1);
      rest_.remove_prefix(1);
    }
    return true;
  }

  std::string_view take(size_t n) {
    std::string_view out = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return out;
  }

  // One or two digits; two when `fixed`.
  static bool two_digits(std::string_view* s, bool fixed, int64_t* n) {
    *n = 0;
    if (!digit_at(*s, 0)) return false;
    if (!digit_at(*s, 1)) {
      if (fixed) return false;
      *n = (*s)[0] - '0';
      s->remove_prefix(1);
      return true;
    }
    *n = ((*s)[0] - '0') * 10 + ((*s)[1] - '0');
    s->remove_prefix(2);
    return true;
  }

  bool number(bool fixed, int64_t min, int64_t max, const char* name, int64_t* n) {
    const bool fits = two_digits(&rest_, fixed, n);
    if (fits && (*n < min || *n > max)) range_ = name;
    return fits;
  }

  bool name(int count, std::string_view (*name_of)(int), int first, bool brief, int64_t* index) {
    for (int i = 0; i < count; ++i) {
      std::string_view n = name_of(i + first);
      if (brief) n = n.substr(0, 3);
      if (rest_.size() >= n.size() && same_letters(rest_.substr(0, n.size()), n)) {
        rest_.remove_prefix(n.size());
        *index = i + first;
        return true;
      }
    }
    return false;
  }

  // `size` bytes of rest_, a point and digits.
  bool fraction(size_t size) {
    std::string_view s = take(size);
    if (!is_point(s[0])) return false;
    s = s.substr(1, 9);
    if (!atoi(s, &nanos_)) return false;
    if (nanos_ < 0) {
      range_ = "fractional second";
      return true;
    }
    for (size_t i = s.size(); i < 9; ++i) nanos_ *= 10;
    return true;
  }

  bool second(bool fixed, std::string_view layout) {
    if (!number(fixed, 0, 59, "second", &second_)) return false;
    if (range_ != nullptr) return true;
    // Digits of a fraction may follow although the layout does not say so.
    if (rest_.size() < 2 || !is_point(rest_[0]) || !is_digit(rest_[1])) return true;
    const Kind next = next_token(layout).kind;
    if (next == Kind::kFraction0 || next == Kind::kFraction9) return true;
    size_t n = 2;
    while (digit_at(rest_, n)) ++n;
    return fraction(n);
  }

  bool half_of_day(std::string_view am, std::string_view pm) {
    if (rest_.size() < 2) return false;
    std::string_view s = take(2);
    if (s == pm) pm_ = true;
    if (s == am) am_ = true;
    return s == pm || s == am;
  }

  bool offset(const LayoutToken::Offset& how) {
    if (how.z && rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      utc_ = true;
      return true;
    }
    // sign hh [:] [mm] [:] [ss]
    const size_t colon = how.colon ? 1 : 0;
    const size_t size = 3 + (how.minutes ? 2 + colon : 0) + (how.seconds ? 2 + colon : 0);
    if (rest_.size() < size) return false;
    if (how.colon && (rest_[3] != ':' || (how.seconds && rest_[6] != ':'))) return false;
    const std::string_view s = take(size);
    std::string_view hh = s.substr(1, 2);
    std::string_view mm = how.minutes ? s.substr(3 + colon, 2) : std::string_view("00");
    std::string_view ss = how.seconds ? s.substr(size - 2) : std::string_view("00");
    int64_t h = 0, m = 0, sec = 0;
    const bool fits =
        two_digits(&hh, true, &h) && two_digits(&mm, true, &m) && two_digits(&ss, true, &sec);
    if (h > 24) range_ = "time zone offset hour";
    if (m > 60) range_ = "time zone offset minute";
    if (sec > 60) range_ = "time zone offset second";
    int64_t n = (h * 60 + m) * 60 + sec;
    if (s[0] == '-') n = -n;
    offset_ = static_cast<int>(n);
    return fits && (s[0] == '-' || s[0] == '+');
  }

  bool read(const LayoutToken& token, std::string_view layout) {
    int64_t ignored = 0;
    switch (token.kind) {
      case Kind::kNone:
        return true;
      case Kind::kYear:
        if (rest_.size() < 2 || !atoi(take(2), &year_)) return false;
        year_ += year_ >= 69 ? 1900 : 2000;
        return true;
      case Kind::kLongYear:
        return rest_.size() >= 4 && is_digit(rest_[0]) && atoi(take(4), &year_);
      case Kind::kMonth:
      case Kind::kLongMonth:
        return name(12, month_name, 1, token.kind == Kind::kMonth, &month_);
      case Kind::kNumMonth:
      case Kind::kZeroMonth:
        return number(token.kind == Kind::kZeroMonth, 1, 12, "month", &month_);
      case Kind::kWeekDay:
      case Kind::kLongWeekDay:
        return name(7, week_day_name, 0, token.kind == Kind::kWeekDay, &ignored);
      case Kind::kDay:
      case Kind::kUnderDay:
      case Kind::kZeroDay:
        if (token.kind == Kind::kUnderDay && rest_.starts_with(' ')) rest_.remove_prefix(1);
        return two_digits(&rest_, token.kind == Kind::kZeroDay, &day_);
      case Kind::kUnderYearDay:
      case Kind::kZeroYearDay:
        return year_day(token.kind == Kind::kZeroYearDay);
      case Kind::kHour:
        return number(false, 0, 23, "hour", &hour_);
      case Kind::kHour12:
      case Kind::kZeroHour12:
        return number(token.kind == Kind::kZeroHour12, 0, 12, "hour", &hour_);
      case Kind::kMinute:
      case Kind::kZeroMinute:
        return number(token.kind == Kind::kZeroMinute, 0, 59, "minute", &minute_);
      case Kind::kSecond:
      case Kind::kZeroSecond:
        return second(token.kind == Kind::kZeroSecond, layout);
      case Kind::kUpperPm:
        return half_of_day("AM", "PM");
      case Kind::kLowerPm:
        return half_of_day("am", "pm");
      case Kind::kOffset:
        return offset(token.offset);
      case Kind::kZoneName: {
        if (rest_.starts_with("UTC")) {
          rest_.remove_prefix(3);
          utc_ = true;
          return true;
        }
        const size_t n = zone_name_length(rest_);
        zone_name_ = take(n);
        return n > 0;
      }
      case Kind::kFraction0: {
        const size_t size = 1 + static_cast<size_t>(token.digits);
        return rest_.size() >= size && fraction(size);
      }
      case Kind::kFraction9: {
        // Optional: whatever digits there are.
        if (rest_.size() < 2 || !is_point(rest_[0]) || !is_digit(rest_[1])) return true;
        size_t n = 1;
        while (digit_at(rest_, n)) ++n;
        return fraction(n);
      }
    }
    return false;
  }

  bool year_day(bool fixed) {
    for (int i = 0; i < 2 && !fixed && rest_.starts_with(' '); ++i) rest_.remove_prefix(1);
    size_t n = 0;
    int64_t value = 0;
    for (; n < 3 && digit_at(rest_, n); ++n) value = value * 10 + (rest_[n] - '0');
    if (n == 0 || (fixed && n != 3)) return false;
    rest_.remove_prefix(n);
    year_day_ = value;
    return true;
  }

  // Month and day from the day of the year, which must agree with what else was given.
  const char* settle_days() {
    if (year_day_ < 0) {
      if (month_ < 0) month_ = 1;
      if (day_ < 0) day_ = 1;
      return nullptr;
    }
    if (year_day_ < 1 || year_day_ > (is_leap(year_) ? 366 : 365)) {
      return "day-of-year out of range";
    }
    int month = 1;
    int64_t day = year_day_;
    while (day > days_in(month, year_)) day -= days_in(month++, year_);
    if (month_ >= 0 && month_ != month) return "day-of-year does not match month";
    if (day_ >= 0 && day_ != day) return "day-of-year does not match day";
    month_ = month;
    day_ = day;
    return nullptr;
  }

  Result<Time> finish() {
    if (pm_ && hour_ < 12) hour_ += 12;
    if (!pm_ && am_ && hour_ == 12) hour_ = 0;
    if (const char* why = settle_days()) return wrong(why);
    if (day_ < 1 || day_ > days_in(static_cast<int>(month_), year_)) {
      return wrong("day out of range");
    }
    auto made = [&](const Zone* z) {
      return make_date(year_, month_, day_, hour_, minute_, second_, nanos_, z);
    };
    if (utc_) return made(Zone::utc());
    if (offset_ && *offset_ != -1) {
      Time t = made(Zone::utc());
      t.epoch -= *offset_;
      const Zone::Period here = zone_->at(t.epoch);
      const bool same = here.offset == *offset_ && (zone_name_.empty() || here.name == zone_name_);
      t.zone = same ? zone_ : Zone::fixed(std::string(zone_name_), *offset_);
      return t;
    }
    if (!zone_name_.empty()) {
      Time t = made(Zone::utc());
      if (auto known = zone_->offset_of(zone_name_, t.epoch)) {
        t.epoch -= *known;
        t.zone = zone_;
        return t;
      }
      int64_t hours = 0;
      if (zone_name_.size() > 3 && zone_name_.starts_with("GMT")) {
        atoi(zone_name_.substr(3), &hours);
      }
      t.zone = Zone::fixed(std::string(zone_name_), static_cast<int>(hours * 3600));
      return t;
    }
    return made(zone_);
  }

  std::string_view layout_, text_, rest_;
  const Zone* zone_;
  const char* range_ = nullptr;
  int64_t year_ = 0, month_ = -1, day_ = -1, year_day_ = -1;
  int64_t hour_ = 0, minute_ = 0, second_ = 0, nanos_ = 0;
  bool pm_ = false, am_ = false, utc_ = false;
  std::optional<int> offset_;
  std::string_view zone_name_;
};

}  // namespace

Result<Time> parse_time(std::string_view layout, std::string_view text, const Zone* zone) {
  return Parser(layout, text, zone).run();
}

}  // namespace pintle::funcs
