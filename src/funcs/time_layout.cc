// Layouts: text that spells a reference time, each part of it a token ("2006", "Jan", "-07:00").
// One scanner finds the tokens; formatting and parsing walk them.
//
// The parser keeps Go's order of complaints, which charts see: a token that does not fit names the
// text it stood at, a value out of range comes before that, and days are checked last.
#include <charconv>

#include "funcs/go_time.h"

namespace pintle::funcs {
namespace {

using Kind = LayoutToken::Kind;

bool digit_at(std::string_view s, size_t i) { return i < s.size() && s[i] >= '0' && s[i] <= '9'; }

// What fits at layout[at]: the token and its length; kNone otherwise.
struct Match {
  Kind kind = Kind::kNone;
  size_t size = 0;
  LayoutToken::Offset offset;
  size_t skip = 0;  // characters before it that stay literal
};

Match match_offset(std::string_view s, bool z) {
  struct Form {
    std::string_view text;
    bool colon, minutes, seconds;
  };
  constexpr Form kForms[] = {{"070000", false, true, true},
                             {"07:00:00", true, true, true},
                             {"0700", false, true, false},
                             {"07:00", true, true, false},
                             {"07", false, false, false}};
  for (const Form& f : kForms) {
    if (s.substr(1).starts_with(f.text)) {
      return {Kind::kOffset, f.text.size() + 1, {z, f.colon, f.minutes, f.seconds}, 0};
    }
  }
  return {};
}

Match match_at(std::string_view s) {
  auto lower_follows = [&](size_t i) { return i < s.size() && s[i] >= 'a' && s[i] <= 'z'; };
  switch (s[0]) {
    case 'J':
      if (s.starts_with("January")) return {Kind::kLongMonth, 7, {}, 0};
      if (s.starts_with("Jan") && !lower_follows(3)) return {Kind::kMonth, 3, {}, 0};
      break;
    case 'M':
      if (s.starts_with("Monday")) return {Kind::kLongWeekDay, 6, {}, 0};
      if (s.starts_with("Mon") && !lower_follows(3)) return {Kind::kWeekDay, 3, {}, 0};
      if (s.starts_with("MST")) return {Kind::kZoneName, 3, {}, 0};
      break;
    case '0': {
      constexpr Kind kZero[] = {Kind::kZeroMonth,  Kind::kZeroDay,    Kind::kZeroHour12,
                                Kind::kZeroMinute, Kind::kZeroSecond, Kind::kYear};
      if (s.size() >= 2 && s[1] >= '1' && s[1] <= '6') return {kZero[s[1] - '1'], 2, {}, 0};
      if (s.starts_with("002")) return {Kind::kZeroYearDay, 3, {}, 0};
      break;
    }
    case '1':
      if (s.starts_with("15")) return {Kind::kHour, 2, {}, 0};
      return {Kind::kNumMonth, 1, {}, 0};
    case '2':
      if (s.starts_with("2006")) return {Kind::kLongYear, 4, {}, 0};
      return {Kind::kDay, 1, {}, 0};
    case '_':
      if (s.starts_with("_2006")) return {Kind::kLongYear, 4, {}, 1};
      if (s.starts_with("_2")) return {Kind::kUnderDay, 2, {}, 0};
      if (s.starts_with("__2")) return {Kind::kUnderYearDay, 3, {}, 0};
      break;
    case '3':
      return {Kind::kHour12, 1, {}, 0};
    case '4':
      return {Kind::kMinute, 1, {}, 0};
    case '5':
      return {Kind::kSecond, 1, {}, 0};
    case 'P':
      if (s.starts_with("PM")) return {Kind::kUpperPm, 2, {}, 0};
      break;
    case 'p':
      if (s.starts_with("pm")) return {Kind::kLowerPm, 2, {}, 0};
      break;
    case '-':
    case 'Z':
      return match_offset(s, s[0] == 'Z');
    case '.':
    case ',':
      if (s.size() > 1 && (s[1] == '0' || s[1] == '9')) {
        size_t end = s.find_first_not_of(s[1], 1);
        if (end == std::string_view::npos) end = s.size();
        if (!digit_at(s, end))
          return {s[1] == '0' ? Kind::kFraction0 : Kind::kFraction9, end, {}, 0};
      }
      break;
    default:
      break;
  }
  return {};
}

void append_padded(std::string& out, int64_t n, int width) {
  if (n < 0) out += '-';
  std::string digits =
      std::to_string(n < 0 ? 0 - static_cast<uint64_t>(n) : static_cast<uint64_t>(n));
  if (static_cast<int>(digits.size()) < width)
    out.append(static_cast<size_t>(width) - digits.size(), '0');
  out += digits;
}

void append_fraction(std::string& out, int32_t nanos, const LayoutToken& token) {
  const bool trim = token.kind == Kind::kFraction9;
  if (trim && (token.digits == 0 || nanos == 0)) return;
  std::string digits = std::to_string(1000000000 + static_cast<int64_t>(nanos)).substr(1);
  digits.resize(std::min<size_t>(9, static_cast<size_t>(token.digits)));
  if (trim) {
    while (!digits.empty() && digits.back() == '0') digits.pop_back();
    if (digits.empty()) return;
  }
  out.append(1, token.separator).append(digits);
}

void append_offset(std::string& out, int offset, const LayoutToken::Offset& how) {
  if (how.z && offset == 0) {
    out += 'Z';
    return;
  }
  int minutes = offset / 60;
  out += minutes < 0 ? '-' : '+';
  // The sign of the seconds follows the minutes', so an offset within a minute keeps its own.
  const int rest = minutes < 0 ? -offset : offset;
  if (minutes < 0) minutes = -minutes;
  append_padded(out, minutes / 60, 2);
  if (how.colon) out += ':';
  if (how.minutes) append_padded(out, minutes % 60, 2);
  if (how.seconds) {
    if (how.colon) out += ':';
    append_padded(out, rest % 60, 2);
  }
}

}  // namespace

LayoutToken next_token(std::string_view layout) {
  LayoutToken token;
  for (size_t i = 0; i < layout.size(); ++i) {
    Match m = match_at(layout.substr(i));
    if (m.kind == Kind::kNone) continue;
    token.kind = m.kind;
    token.offset = m.offset;
    token.before = layout.substr(0, i + m.skip);
    token.text = layout.substr(i + m.skip, m.size);
    token.after = layout.substr(i + m.skip + m.size);
    if (m.kind == Kind::kFraction0 || m.kind == Kind::kFraction9) {
      token.separator = token.text[0];
      token.digits = static_cast<int>((m.size - 1) & 0xfff);
    }
    return token;
  }
  token.before = layout;
  return token;
}

std::string Time::format(std::string_view layout) const {
  std::string out;
  const Zone::Period period = zone->at(epoch);
  const Date d = date();
  const int seconds = second_of_day();
  const int hour = seconds / 3600;
  const int hour12 = hour % 12 == 0 ? 12 : hour % 12;
  while (!layout.empty()) {
    const LayoutToken token = next_token(layout);
    out.append(token.before);
    layout = token.after;
    switch (token.kind) {
      case Kind::kNone:
        return out;
      case Kind::kYear:
        append_padded(out, (d.year < 0 ? -d.year : d.year) % 100, 2);
        break;
      case Kind::kLongYear:
        append_padded(out, d.year, 4);
        break;
      case Kind::kMonth:
        out.append(month_name(d.month).substr(0, 3));
        break;
      case Kind::kLongMonth:
        out.append(month_name(d.month));
        break;
      case Kind::kNumMonth:
        append_padded(out, d.month, 0);
        break;
      case Kind::kZeroMonth:
        append_padded(out, d.month, 2);
        break;
      case Kind::kWeekDay:
        out.append(week_day_name(d.week_day).substr(0, 3));
        break;
      case Kind::kLongWeekDay:
        out.append(week_day_name(d.week_day));
        break;
      case Kind::kDay:
        append_padded(out, d.day, 0);
        break;
      case Kind::kUnderDay:
        if (d.day < 10) out += ' ';
        append_padded(out, d.day, 0);
        break;
      case Kind::kZeroDay:
        append_padded(out, d.day, 2);
        break;
      case Kind::kUnderYearDay:
        if (d.year_day < 100) out += ' ';
        if (d.year_day < 10) out += ' ';
        append_padded(out, d.year_day, 0);
        break;
      case Kind::kZeroYearDay:
        append_padded(out, d.year_day, 3);
        break;
      case Kind::kHour:
        append_padded(out, hour, 2);
        break;
      case Kind::kHour12:
        append_padded(out, hour12, 0);
        break;
      case Kind::kZeroHour12:
        append_padded(out, hour12, 2);
        break;
      case Kind::kMinute:
        append_padded(out, seconds / 60 % 60, 0);
        break;
      case Kind::kZeroMinute:
        append_padded(out, seconds / 60 % 60, 2);
        break;
      case Kind::kSecond:
        append_padded(out, seconds % 60, 0);
        break;
      case Kind::kZeroSecond:
        append_padded(out, seconds % 60, 2);
        break;
      case Kind::kUpperPm:
        out.append(hour >= 12 ? "PM" : "AM");
        break;
      case Kind::kLowerPm:
        out.append(hour >= 12 ? "pm" : "am");
        break;
      case Kind::kZoneName:
        if (period.name.empty()) {
          append_offset(out, period.offset, {false, false, true, false});
        } else {
          out.append(period.name);
        }
        break;
      case Kind::kOffset:
        append_offset(out, period.offset, token.offset);
        break;
      case Kind::kFraction0:
      case Kind::kFraction9:
        append_fraction(out, nanos, token);
        break;
    }
  }
  return out;
}

std::string Time::text() const {
  std::string out = format("2006-01-02 15:04:05.999999999 -0700 MST");
  if (monotonic) {
    const uint64_t n =
        *monotonic < 0 ? 0 - static_cast<uint64_t>(*monotonic) : static_cast<uint64_t>(*monotonic);
    out.append(*monotonic < 0 ? " m=-" : " m=+").append(std::to_string(n / kSecond)).append(".");
    append_padded(out, static_cast<int64_t>(n % kSecond), 9);
  }
  return out;
}

std::optional<std::string> Time::rfc3339() const {
  std::string out = format("2006-01-02T15:04:05.999999999Z07:00");
  if (out[4] != '-' || out[0] == '-') return std::nullopt;
  if (out.back() != 'Z' && out.substr(out.size() - 5, 2) >= "24") return std::nullopt;
  return out;
}

}  // namespace pintle::funcs
