#include "schema/formats.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/gotext.h"
#include "base/strings.h"
#include "schema/quoting.h"
#include "base/url.h"

namespace pintle::schema {
namespace {

constexpr auto npos = std::string_view::npos;

bool digit(char32_t c) { return c >= '0' && c <= '9'; }
bool letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The first rune of `s` that is not `allowed`, as Go's %q prints it; "" when all are.
template <typename Allowed>
std::string first_refused(std::string_view s, Allowed allowed) {
  while (!s.empty()) {
    const Rune r = decode_rune(s);
    if (!allowed(r.value)) return quote_rune(r.value);
    s.remove_prefix(static_cast<size_t>(r.size));
  }
  return "";
}

size_t leading_digits(std::string_view s) {
  return static_cast<size_t>(std::find_if_not(s.begin(), s.end(), digit) - s.begin());
}

Error wrap(std::string_view what, const Error& cause) {
  return Error(std::string(what) + ": " + cause.text());
}

#define CHECK_PART(what, expr) \
  if (auto part_ = (expr); !part_) return wrap(what, part_.error())

Status json_pointer(std::string_view s) {
  if (s.empty()) return ok();
  if (s[0] != '/') return Error("not starting with /");
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '~' && (i + 1 == s.size() || (s[i + 1] != '0' && s[i + 1] != '1'))) {
      return Error("~ must be followed by 0 or 1");
    }
  }
  return ok();
}

Status relative_json_pointer(std::string_view s) {
  const size_t digits = leading_digits(s);
  if (digits == 0) return Error("must start with non-negative integer");
  if (digits > 1 && s[0] == '0') return Error("starts with zero");
  s.remove_prefix(digits);
  if (s == "#") return ok();
  return json_pointer(s);
}

Status uuid(std::string_view s) {
  static constexpr std::array<size_t, 5> kLengths = {8, 4, 4, 4, 12};
  const auto groups = split(s, "-");
  if (groups.size() != kLengths.size()) return Error("must have 5 elements");
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].size() != kLengths[i]) {
      return Error("element " + std::to_string(i + 1) + " must be " +
                   std::to_string(kLengths[i]) + " characters long");
    }
    const auto bad = first_refused(groups[i], [](char32_t c) {
      return digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    });
    if (!bad.empty()) return Error("non-hex character " + bad);
  }
  return ok();
}

// One side of a duration's 'T': numbers, each with a unit, in the order of `units`.
Status duration_part(std::string_view s, const std::string_view all_units) {
  std::string_view units = all_units;
  while (!s.empty()) {
    const size_t digits = leading_digits(s);
    if (digits == 0) return Error("missing number");
    s.remove_prefix(digits);
    if (s.empty()) return Error("missing unit");
    const size_t at = units.find(s[0]);
    if (at == npos) {
      const std::string unit = quote_rune(static_cast<unsigned char>(s[0]));
      if (all_units.find(s[0]) != npos) return Error("unit " + unit + " out of order");
      return Error("invalid unit " + unit);
    }
    units.remove_prefix(at + 1);
    s.remove_prefix(1);
  }
  return ok();
}

Status duration(std::string_view s) {
  if (!s.starts_with('P')) return Error("must start with P");
  s.remove_prefix(1);
  if (s.empty()) return Error("nothing after P");
  if (s.ends_with('W')) {
    s.remove_suffix(1);
    if (s.empty()) return Error("no number in week");
    if (leading_digits(s) != s.size()) return Error("invalid week");
    return ok();
  }
  const auto parts = split(s, "T");
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i != 0 && parts[i].empty()) return Error("no time elements");
    if (i > 1) return Error("more than one T");
    TRY(duration_part(parts[i], i == 0 ? "YMD" : "HMS"));
  }
  return ok();
}

Status ipv4(std::string_view s) {
  const auto groups = split(s, ".");
  if (groups.size() != 4) return Error("expected four decimals");
  for (const auto group : groups) {
    if (group.size() > 1 && group[0] == '0') return Error("leading zeros");
    ParseError fault = ParseError::kNone;
    const int64_t n = parse_int(group, 10, 64, &fault);
    if (fault != ParseError::kNone) {
      return Error("strconv.Atoi: parsing " + quote(group) + ": " +
                   (fault == ParseError::kRange ? "value out of range" : "invalid syntax"));
    }
    if (n < 0 || n > 255) return Error("decimal must be between 0 and 255");
  }
  return ok();
}

Status ipv6(std::string_view s) {
  if (s.find(':') == npos) return Error("missing colon");
  if (TRY(parse_ip(s)).zone) return Error("zone id is not a part of ipv6 address");
  return ok();
}

Status hostname(std::string_view s) {
  if (s.ends_with('.')) s.remove_suffix(1);
  if (s.size() > 253) return Error("more than 253 characters long");
  for (const auto label : split(s, ".")) {
    if (label.empty() || label.size() > 63) return Error("label must be 1 to 63 characters long");
    if (label.front() == '-') return Error("label starts with hyphen");
    if (label.back() == '-') return Error("label ends with hyphen");
    const auto bad =
        first_refused(label, [](char32_t c) { return letter(c) || digit(c) || c == '-'; });
    if (!bad.empty()) return Error("invalid character " + bad);
  }
  return ok();
}

Status email_local_part(std::string_view local) {
  if (local.size() > 64) return Error("local part more than 64 characters long");
  if (local.size() > 1 && local.starts_with('"') && local.ends_with('"')) {
    if (local.substr(1, local.size() - 2).find_first_of("\\\"") != npos) {
      return Error("backslash and quote are not allowed within quoted local part");
    }
    return ok();
  }
  if (local.starts_with('.')) return Error("starts with dot");
  if (local.ends_with('.')) return Error("ends with dot");
  if (local.find("..") != npos) return Error("consecutive dots");
  static constexpr std::string_view kMarks = ".!#$%&'*+-/=?^_`{|}~";
  const auto bad = first_refused(local, [](char32_t c) {
    return letter(c) || digit(c) || (c < 0x80 && kMarks.find(static_cast<char>(c)) != npos);
  });
  if (!bad.empty()) return Error("invalid character " + bad);
  return ok();
}

Status email(std::string_view s) {
  if (s.size() > 254) return Error("more than 255 characters long");
  const size_t at = s.rfind('@');
  if (at == npos) return Error("missing @");
  TRY(email_local_part(s.substr(0, at)));
  std::string_view domain = s.substr(at + 1);
  if (domain.starts_with('[') && domain.ends_with(']')) {
    domain = domain.substr(1, domain.size() - 2);
    if (domain.starts_with("IPv6:")) {
      CHECK_PART("invalid ipv6 address", ipv6(domain.substr(5)));
    } else {
      CHECK_PART("invalid ipv4 address", ipv4(domain));
    }
    return ok();
  }
  CHECK_PART("invalid domain", hostname(domain));
  return ok();
}

// time.Parse("2006-01-02", s) and its words.
Error date_error(std::string_view s, std::string_view rest, std::string_view element) {
  return Error("parsing time " + quote_time(s) + " as \"2006-01-02\": cannot parse " +
               quote_time(rest) + " as " + quote_time(element));
}

Error date_error(std::string_view s, std::string_view why) {
  return Error("parsing time " + quote_time(s) + ": " + std::string(why));
}

int days_in(int month, int year) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[month - 1];
}

Status date(std::string_view s) {
  std::string_view rest = s;
  if (rest.size() < 4 || leading_digits(rest.substr(0, 4)) != 4) {
    return date_error(s, rest, "2006");
  }
  auto number = [&rest](size_t n) {
    int v = 0;
    for (size_t i = 0; i < n; ++i) v = v * 10 + (rest[i] - '0');
    rest.remove_prefix(n);
    return v;
  };
  const int year = number(4);
  int month_and_day[2];
  for (int i = 0; i < 2; ++i) {
    if (!rest.starts_with('-')) return date_error(s, rest, "-");
    rest.remove_prefix(1);
    if (rest.size() < 2 || leading_digits(rest.substr(0, 2)) != 2) {
      return date_error(s, rest, i == 0 ? "01" : "02");
    }
    month_and_day[i] = number(2);
    if (i == 0 && (month_and_day[0] < 1 || month_and_day[0] > 12)) {
      return date_error(s, "month out of range");
    }
  }
  if (!rest.empty()) return date_error(s, "extra text: " + quote_time(rest));
  if (month_and_day[1] < 1 || month_and_day[1] > days_in(month_and_day[0], year)) {
    return date_error(s, "day out of range");
  }
  return ok();
}

// "hh:mm" or "hh:mm:ss": each field read by strconv.Atoi, which takes a sign.
Result<std::vector<int64_t>> clock_fields(std::string_view s, size_t count, std::string_view what) {
  std::vector<int64_t> out;
  while (out.size() < count) {
    const size_t colon = out.size() + 1 < count ? s.find(':') : npos;
    ParseError fault = ParseError::kNone;
    const int64_t n = parse_int(s.substr(0, colon), 10, 64, &fault);
    if (fault != ParseError::kNone) return Error("invalid " + std::string(what));
    if (n < 0) return Error("non-positive " + std::string(what));
    out.push_back(n);
    if (colon == npos) break;
    s.remove_prefix(colon + 1);
  }
  return out;
}

Status time_of_day(std::string_view s) {
  if (s.size() < 9) return Error("less than 9 characters long");
  if (s[2] != ':' || s[5] != ':') return Error("missing colon in correct place");
  const auto hms = TRY(clock_fields(s.substr(0, 8), 3, "hour/min/sec"));
  if (hms.size() != 3) return Error("missing hour/min/sec");
  int64_t hour = hms[0];
  int64_t minute = hms[1];
  if (hour > 23 || minute > 59 || hms[2] > 60) return Error("hour/min/sec out of range");
  s.remove_prefix(8);
  if (s.starts_with('.')) {
    const size_t digits = leading_digits(s.substr(1));
    if (digits == 0) return Error("no digits in second fraction");
    s.remove_prefix(1 + digits);
  }
  if (s != "z" && s != "Z") {
    if (s.size() != 6) return Error("offset must be 6 characters long");
    if (s[0] != '+' && s[0] != '-') return Error("offset must begin with plus/minus");
    if (s[3] != ':') return Error("missing colon in offset in correct place");
    const auto offset = TRY(clock_fields(s.substr(1), 2, "hour/min in offset"));
    if (offset[0] > 23 || offset[1] > 59) return Error("hour/min in offset out of range");
    int64_t utc = hour * 60 + minute + (s[0] == '+' ? -1 : 1) * (offset[0] * 60 + offset[1]);
    if (utc < 0) utc += 24 * 60;
    hour = utc / 60;
    minute = utc % 60;
  }
  if (hms[2] >= 60 && (hour != 23 || minute != 59)) return Error("invalid leap second");
  return ok();
}

Status date_time(std::string_view s) {
  if (s.size() < 20) return Error("less than 20 characters long");
  if (s[10] != 't' && s[10] != 'T') return Error("11th character must be t or T");
  CHECK_PART("invalid date element", date(s.substr(0, 10)));
  CHECK_PART("invalid time element", time_of_day(s.substr(11)));
  return ok();
}

Status period(std::string_view s) {
  const size_t slash = s.find('/');
  if (slash == npos) return Error("missing slash");
  const std::string_view start = s.substr(0, slash);
  const std::string_view end = s.substr(slash + 1);
  if (start.starts_with('P')) {
    CHECK_PART("invalid start duration", duration(start));
    CHECK_PART("invalid end date-time", date_time(end));
    return ok();
  }
  CHECK_PART("invalid start date-time", date_time(start));
  if (end.starts_with('P')) {
    CHECK_PART("invalid end duration", duration(end));
  } else {
    CHECK_PART("invalid end date-time", date_time(end));
  }
  return ok();
}

Result<Url> checked_url(std::string_view s) {
  Url url = TRY(parse_url(s));
  const std::string host = url.hostname();
  if (host.find(':') == std::string::npos) return url;
  if (url.host.find('[') == std::string::npos || url.host.find(']') == std::string::npos) {
    return Error("ipv6 address not enclosed in brackets");
  }
  CHECK_PART("invalid ipv6 address", ipv6(host));
  return url;
}

Status uri(std::string_view s) {
  if (!TRY(checked_url(s)).absolute()) return Error("relative url");
  return ok();
}

Status uri_reference(std::string_view s) {
  if (s.find('\\') != npos) return Error("contains \\");
  TRY(checked_url(s));
  return ok();
}

Status uri_template(std::string_view s) {
  const Url url = TRY(checked_url(s));
  for (const auto element : split(url.raw_path, "/")) {
    auto text = path_unescape(element);
    if (!text) return wrap("percent decode failed", text.error());
    bool open = false;
    for (const char c : *text) {
      if (c != '{' && c != '}') continue;
      if (open == (c == '{')) return Error("nested curly braces");
      open = !open;
    }
    if (open) return Error("no matching closing brace");
  }
  return ok();
}

bool identifier_char(char32_t c) { return digit(c) || letter(c) || c == '-'; }

Status semver_prerelease(std::string_view s) {
  for (const auto id : split(s, ".")) {
    if (id.empty()) return Error("pre-release identifier is empty");
    const auto bad = first_refused(id, identifier_char);
    if (!bad.empty()) return Error("invalid character " + bad + " in pre-release identifier");
    if (leading_digits(id) == id.size() && id.size() > 1 && id[0] == '0') {
      return Error("pre-release numeric identifier starts with zero");
    }
  }
  return ok();
}

Status semver(std::string_view s) {
  if (const size_t plus = s.find('+'); plus != npos) {
    const std::string_view build = s.substr(plus + 1);
    if (build.empty()) return Error("build is empty");
    for (const auto id : split(build, ".")) {
      if (id.empty()) return Error("build identifier is empty");
      const auto bad = first_refused(id, identifier_char);
      if (!bad.empty()) return Error("invalid character " + bad + " in build identifier");
    }
    s = s.substr(0, plus);
  }
  if (const size_t dash = s.find('-'); dash != npos) {
    TRY(semver_prerelease(s.substr(dash + 1)));
    s = s.substr(0, dash);
  }
  static constexpr std::string_view kNames[] = {"major", "minor", "patch"};
  const auto numbers = split(s, ".");
  if (numbers.size() != 3) return Error("versionCore must have 3 numbers separated by dot");
  for (size_t i = 0; i < 3; ++i) {
    const std::string name(kNames[i]);
    if (numbers[i].empty()) return Error(name + " is empty");
    if (numbers[i].size() > 1 && numbers[i][0] == '0') return Error(name + " starts with zero");
    if (leading_digits(numbers[i]) != numbers[i].size()) return Error(name + " contains non-digit");
  }
  return ok();
}

#undef CHECK_PART

constexpr Format kFormats[] = {
    {"date", date},
    {"date-time", date_time},
    {"duration", duration},
    {"email", email},
    {"hostname", hostname},
    {"ipv4", ipv4},
    {"ipv6", ipv6},
    {"iri", uri},
    {"iri-reference", uri_reference},
    {"json-pointer", json_pointer},
    {"period", period},
    {"relative-json-pointer", relative_json_pointer},
    {"semver", semver},
    {"time", time_of_day},
    {"uri", uri},
    {"uri-reference", uri_reference},
    {"uri-template", uri_template},
    {"uuid", uuid},
};

}  // namespace

const Format* find_format(std::string_view name) {
  const auto* it = std::lower_bound(std::begin(kFormats), std::end(kFormats), name,
                                    [](const Format& f, std::string_view n) { return f.name < n; });
  return it != std::end(kFormats) && it->name == name ? it : nullptr;
}

}  // namespace pintle::schema
