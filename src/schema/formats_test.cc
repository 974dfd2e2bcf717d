#include "schema/formats.h"

#include <gtest/gtest.h>

namespace pintle::schema {
namespace {

struct Row {
  const char* format;
  const char* value;
  const char* error;  // "": of this format
};

constexpr Row kRows[] = {
    {"date", "2020-02-30", "parsing time \"2020-02-30\": day out of range"},
    {"date", "2020-13-01", "parsing time \"2020-13-01\": month out of range"},
    {"date", "2020-1-01",
     "parsing time \"2020-1-01\" as \"2006-01-02\": cannot parse \"1-01\" as \"01\""},
    {"date", "20-01-01",
     "parsing time \"20-01-01\" as \"2006-01-02\": cannot parse \"20-01-01\" as \"2006\""},
    {"date", "2020-01-01x", "parsing time \"2020-01-01x\": extra text: \"x\""},
    {"date", "2024-02-29", ""},
    {"date", "é",
     "parsing time \"\\xc3\\xa9\" as \"2006-01-02\": cannot parse \"\\xc3\\xa9\" as \"2006\""},
    {"time", "12:00:00Z", ""},
    {"time", "23:59:60Z", ""},
    {"time", "22:59:60Z", "invalid leap second"},
    {"time", "12:00:00", "less than 9 characters long"},
    {"time", "12:00:00+1:00", "offset must be 6 characters long"},
    {"time", "12:00:00.Z", "no digits in second fraction"},
    {"time", "12-00-00Z", "missing colon in correct place"},
    {"time", "25:00:00Z", "hour/min/sec out of range"},
    {"time", "12:00:00*01:00", "offset must begin with plus/minus"},
    {"time", "aa:00:00Z", "invalid hour/min/sec"},
    {"date-time", "2020-01-01T12:00:00Z", ""},
    {"date-time", "2020-01-01 12:00:00Z", "11th character must be t or T"},
    {"date-time", "2020-01-32T12:00:00Z",
     "invalid date element: parsing time \"2020-01-32\": day out of range"},
    {"date-time", "2020-01-01T12:00:61Z", "invalid time element: hour/min/sec out of range"},
    {"duration", "P1D", ""},
    {"duration", "P", "nothing after P"},
    {"duration", "PT", "no time elements"},
    {"duration", "P1", "missing unit"},
    {"duration", "P1H", "invalid unit 'H'"},
    {"duration", "P1D1Y", "unit 'Y' out of order"},
    {"duration", "1D", "must start with P"},
    {"duration", "P1W", ""},
    {"duration", "PxW", "invalid week"},
    {"duration", "P1DT1H", ""},
    {"duration", "PT1HT1M", "more than one T"},
    {"email", "a@b.c", ""},
    {"email", "a", "missing @"},
    {"email", ".a@b", "starts with dot"},
    {"email", "a.@b", "ends with dot"},
    {"email", "a..b@c", "consecutive dots"},
    {"email", "\"a b\"@c", ""},
    {"email", "\"a\\b\"@c", "backslash and quote are not allowed within quoted local part"},
    {"email", "a b@c", "invalid character ' '"},
    {"email", "a@-b", "invalid domain: label starts with hyphen"},
    {"email", "a@[1.2.3.4]", ""},
    {"email", "a@[1.2.3]", "invalid ipv4 address: expected four decimals"},
    {"email", "a@[IPv6:::1]", ""},
    {"email", "a@[IPv6:1]", "invalid ipv6 address: missing colon"},
    {"hostname", "a.b", ""},
    {"hostname", "-a", "label starts with hyphen"},
    {"hostname", "a-", "label ends with hyphen"},
    {"hostname", "a..b", "label must be 1 to 63 characters long"},
    {"hostname", "a_b", "invalid character '_'"},
    {"hostname", "a'b", "invalid character '\\''"},
    {"ipv4", "1.2.3.4", ""},
    {"ipv4", "1.2.3", "expected four decimals"},
    {"ipv4", "01.2.3.4", "leading zeros"},
    {"ipv4", "1.2.3.x", "strconv.Atoi: parsing \"x\": invalid syntax"},
    {"ipv4", "1.2.3.256", "decimal must be between 0 and 255"},
    {"ipv4", "1.2.3.99999999999999999999",
     "strconv.Atoi: parsing \"99999999999999999999\": value out of range"},
    {"ipv6", "::1", ""},
    {"ipv6", "1", "missing colon"},
    {"ipv6", "::1%e", "zone id is not a part of ipv6 address"},
    {"ipv6", "1::2::3", "ParseAddr(\"1::2::3\"): multiple :: in address (at \":3\")"},
    {"ipv6", "12345::",
     "ParseAddr(\"12345::\"): each group must have 4 or less digits (at \"12345::\")"},
    {"ipv6", "::ffff:1.2.3.4", ""},
    {"json-pointer", "/a~0", ""},
    {"json-pointer", "a", "not starting with /"},
    {"json-pointer", "/~2", "~ must be followed by 0 or 1"},
    {"relative-json-pointer", "0#", ""},
    {"relative-json-pointer", "01", "starts with zero"},
    {"relative-json-pointer", "x", "must start with non-negative integer"},
    {"relative-json-pointer", "1/a", ""},
    {"relative-json-pointer", "1a", "not starting with /"},
    {"period", "P1D/2020-01-01T00:00:00Z", ""},
    {"period", "2020-01-01T00:00:00Z/P1D", ""},
    {"period", "x", "missing slash"},
    {"period", "P/x", "invalid start duration: nothing after P"},
    {"period", "P1D/x", "invalid end date-time: less than 20 characters long"},
    {"semver", "1.2.3-a.1+b", ""},
    {"semver", "1.2", "versionCore must have 3 numbers separated by dot"},
    {"semver", "01.2.3", "major starts with zero"},
    {"semver", "1.2.x", "patch contains non-digit"},
    {"semver", "1..3", "minor is empty"},
    {"semver", "1.2.3-01", "pre-release numeric identifier starts with zero"},
    {"semver", "1.2.3-", "pre-release identifier is empty"},
    {"semver", "1.2.3+", "build is empty"},
    {"semver", "1.2.3-a_b", "invalid character '_' in pre-release identifier"},
    {"uri", "http://a/b", ""},
    {"uri", "/a", "relative url"},
    {"uri", "http://a b", "parse \"http://a b\": invalid character \" \" in host name"},
    {"uri", "http://[::1", "parse \"http://[::1\": missing ']' in host"},
    {"uri", "a:b", ""},
    {"uri", "http://[1.2.3.4]/", "parse \"http://[1.2.3.4]/\": invalid IP-literal"},
    {"uri", "%zz:", "parse \"%zz:\": first path segment in URL cannot contain colon"},
    {"uri", "http://a:b/", "parse \"http://a:b/\": invalid port \":b\" after host"},
    {"uri-reference", "/a b", ""},
    {"uri-reference", "a\\b", "contains \\"},
    {"uri-reference", ":a", "parse \":a\": missing protocol scheme"},
    {"uri-reference", "1:a", "parse \"1:a\": first path segment in URL cannot contain colon"},
    {"uri-reference", "%z", "parse \"%z\": invalid URL escape \"%z\""},
    {"uri-template", "/{a}", ""},
    {"uri-template", "/{a", "no matching closing brace"},
    {"uri-template", "/a}", "nested curly braces"},
    {"uri-template", "/{{a}}", "nested curly braces"},
    {"uuid", "00000000-0000-0000-0000-000000000000", ""},
    {"uuid", "0", "must have 5 elements"},
    {"uuid", "0000000-0000-0000-0000-000000000000", "element 1 must be 8 characters long"},
    {"uuid", "g0000000-0000-0000-0000-000000000000", "non-hex character 'g'"},
};

TEST(Formats, RefuseInTheLibrarysWords) {
  for (const Row& row : kRows) {
    const Format* format = find_format(row.format);
    ASSERT_NE(format, nullptr) << row.format;
    const auto verdict = format->check(row.value);
    EXPECT_EQ(verdict ? "" : verdict.error().text(), row.error)
        << row.format << " of " << row.value;
  }
}

TEST(Formats, UnknownOnesAssertNothing) { EXPECT_EQ(find_format("uriref"), nullptr); }

}  // namespace
}  // namespace pintle::schema
