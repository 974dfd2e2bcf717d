// Label and field selectors: every text below is what an API server of 1.36 answers.
#include "drydock/selectors.h"

#include <gtest/gtest.h>

namespace pintle::drydock {
namespace {

struct Parsed {
  const char *text, *error;  // "": it parses
};

constexpr Parsed kLabelTexts[] = {
    {"x in", "unable to parse requirement: found '' expected: '('"},
    {"x in (a", "unable to parse requirement: found '', expected: ',' or ')'"},
    {"x in a", "unable to parse requirement: found 'a' expected: '('"},
    {"x in (a b)", "unable to parse requirement: found 'b', expected: ',' or ')'"},
    {"x in ()", ""},
    {"x in (,)", ""},
    {"x in (a,,b)", ""},
    {"x notin (a)", ""},
    {"x,", "found '', expected: identifier after ','"},
    {"x,,y", "found ',', expected: identifier after ','"},
    {",x", "found ',', expected: !, identifier, or 'end of string'"},
    {"!", "unable to parse requirement: found '', expected: identifier"},
    {"!x", ""},
    {"!x=1", "found '=', expected: ',' or 'end of string'"},
    {"! x , y", ""},
    {"x==a", ""},
    {"x==", ""},
    {"x=a=b", "found '=', expected: ',' or 'end of string'"},
    {"x!=a", ""},
    {"x!=", ""},
    {"x>1", ""},
    {"x>a", "unable to parse requirement: values[0]: Invalid value: \"a\": for 'Gt', 'Lt' operators, the value must be an integer"},
    {"x gt 1", "unable to parse requirement: found 'gt', expected: in, notin, =, ==, !=, gt, lt"},
    {"x lt b", "unable to parse requirement: found 'lt', expected: in, notin, =, ==, !=, gt, lt"},
    {"x<", "unable to parse requirement: values[0]: Invalid value: \"\": for 'Gt', 'Lt' operators, the value must be an integer"},
    {"(x)", "found '(', expected: !, identifier, or 'end of string'"},
    {"=x", "found '=', expected: !, identifier, or 'end of string'"},
    {"x y z", "unable to parse requirement: found 'y', expected: in, notin, =, ==, !=, gt, lt"},
    {"x=a b", "found 'b', expected: ',' or 'end of string'"},
    {"in", ""},
    {"in in (in,notin)", ""},
    {"x in (in)", ""},
    {"notin=notin", ""},
    {"a/b/c", "unable to parse requirement: <nil>: Invalid value: \"a/b/c\": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"},
    {"/a", "unable to parse requirement: <nil>: Invalid value: \"/a\": prefix part must be non-empty"},
    {"A.b/c=d", "unable to parse requirement: <nil>: Invalid value: \"A.b/c\": prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"},
    {"a/", "unable to parse requirement: <nil>: Invalid value: \"a/\": name part must be non-empty; name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "unable to parse requirement: <nil>: Invalid value: \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\": name part must be no more than 63 bytes"},
    {"x=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "unable to parse requirement: values[0][x]: Invalid value: \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\": must be no more than 63 bytes"},
    {"x=a/b", "unable to parse requirement: values[0][x]: Invalid value: \"a/b\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"},
    {"x=-a", "unable to parse requirement: values[0][x]: Invalid value: \"-a\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"},
    {"x=!y", "unable to parse requirement: found '!', expected: identifier"},
    {"x===y", "unable to parse requirement: found '=', expected: identifier"},
    {"x !", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"},
    {"x=,y", ""},
    {"x in (a),y in", "unable to parse requirement: found '' expected: '('"},
    {"", ""},
    {"  ", ""},
    {"x>=1", "unable to parse requirement: found '=', expected: identifier"},
    {"x in (a) b", "found 'b', expected: ',' or 'end of string'"},
    {"\303\251", "unable to parse requirement: <nil>: Invalid value: \"\303\251\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
    {"x\\=1", "unable to parse requirement: <nil>: Invalid value: \"x\\\\\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
};

constexpr Parsed kFieldTexts[] = {
{"foo", "invalid selector: 'foo'; can't understand 'foo'"},
    {"metadata.name=a,metadata.namespace!=b", ""},
    {"metadata.name=a\\", "invalid field selector: invalid escape sequence: \\"},
    {"metadata.name=a\\x", "invalid field selector: invalid escape sequence: \\x"},
    {"metadata.name=a=b", "invalid field selector: unescaped character in value: 61"},
    {"metadata.name==a", ""},
    {"metadata.name!=a,,", ""},
    {"metadata.name=a\\,b", ""},
    {"metadata.nam", "invalid selector: 'metadata.nam'; can't understand 'metadata.nam'"},
    {"metadata.name=a,b", "invalid selector: 'metadata.name=a,b'; can't understand 'b'"},
    {"metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"},
    {"metadata.name===a", "invalid field selector: unescaped character in value: 61"},
};

TEST(LabelSelector, ParsesOrSaysWhyNot) {
  for (const Parsed& c : kLabelTexts) {
    auto got = parse_label_selector(c.text);
    EXPECT_EQ(got ? "" : got.error().text(), c.error) << "'" << c.text << "'";
  }
}

TEST(FieldSelector, ParsesOrSaysWhyNot) {
  for (const Parsed& c : kFieldTexts) {
    auto got = parse_field_selector(c.text);
    EXPECT_EQ(got ? "" : got.error().text(), c.error) << "'" << c.text << "'";
  }
}

TEST(LabelSelector, MatchesAsKubernetesDoes) {
  const Pairs labels = {{"app", "web"}, {"empty", ""}, {"n", "5"}};
  struct { const char* text; bool want; } cases[] = {
      {"", true}, {"app", true}, {"!app", false}, {"none", false}, {"!none", true},
      {"app=web", true}, {"app==web", true}, {"app=db", false}, {"app!=web", false}, {"app!=db", true},
      {"none!=db", true}, {"app in (db,web)", true}, {"app in (db)", false}, {"none in (db)", false},
      {"app notin (db)", true}, {"app notin (web)", false}, {"none notin (web)", true},
      {"empty=", true}, {"empty in (,a)", true}, {"app=", false}, {"n>4", true}, {"n>5", false},
      {"n<6", true}, {"app>1", false}, {"none<1", false}, {"app=web,n", true}, {"app=web,!n", false}};
  for (auto& c : cases) {
    auto got = parse_label_selector(c.text);
    ASSERT_TRUE(got) << c.text;
    EXPECT_EQ(got->matches(labels), c.want) << c.text;
  }
}

TEST(FieldSelector, MatchesNamesAndKnownFields) {
  const Pairs fields = {{"status.phase", "Running"}};
  struct { const char* text; bool want; } cases[] = {
      {"", true}, {"metadata.name=x", true}, {"metadata.name!=x", false}, {"metadata.namespace=ns", true},
      {"metadata.namespace=other", false}, {"status.phase=Running", true}, {"status.phase!=Running", false},
      {"spec.nodeName=", true}, {"metadata.name=x,status.phase=Failed", false}, {"metadata.name=a\\,b", false}};
  for (auto& c : cases) {
    auto got = parse_field_selector(c.text);
    ASSERT_TRUE(got) << c.text;
    EXPECT_EQ(got->matches("ns", "x", fields), c.want) << c.text;
  }
  EXPECT_EQ(*parse_field_selector("a!=b,metadata.name=a\\,b")->wanted("metadata.name"), "a,b");
  EXPECT_FALSE(parse_field_selector("metadata.name!=a")->wanted("metadata.name"));
}

}  // namespace
}  // namespace pintle::drydock
