#include "base/url.h"

#include <gtest/gtest.h>

namespace pintle {
namespace {

TEST(ParseUrl, TakesAUrlApart) {
  auto u = parse_url("HTTPS://us%20er:p%40ss@Host.example:8080/a%2Fb/c?x=1&y=2#fr%20ag");
  ASSERT_TRUE(u) << u.error().text();
  EXPECT_EQ(u->scheme, "https");
  EXPECT_EQ(u->userinfo, "us%20er:p%40ss");
  EXPECT_EQ(u->host, "Host.example:8080");
  EXPECT_EQ(u->hostname(), "Host.example");
  EXPECT_EQ(u->path, "/a/b/c");
  EXPECT_EQ(u->raw_path, "/a%2Fb/c");
  EXPECT_EQ(u->raw_query, "x=1&y=2");
  EXPECT_EQ(u->fragment, "fr ag");
}

TEST(ParseUrl, GivesItsTextBack) {
  for (auto text : {"http://h/p?q#f", "http://h/a%2Fb", "mailto:a@b", "/p", "//h/p", "http://h?",
                    "file:/x", "file:///x", "http://[::1%25en0]:80/", "http://u:@h", "a/b:c",
                    "http://h/#a%2Fb", "*", "", "oci://registry:5000/x/y"}) {
    auto u = parse_url(text);
    ASSERT_TRUE(u) << text << ": " << u.error().text();
    EXPECT_EQ(u->text(), text);
  }
}

TEST(ParseUrl, RefusesInGosWords) {
  struct Row {
    const char* in;
    const char* error;
  } rows[] = {
      {":x", "parse \":x\": missing protocol scheme"},
      {"1:2", "parse \"1:2\": first path segment in URL cannot contain colon"},
      {"http://h:x", "parse \"http://h:x\": invalid port \":x\" after host"},
      {"http://a b", "parse \"http://a b\": invalid character \" \" in host name"},
      {"http://[::1", "parse \"http://[::1\": missing ']' in host"},
      {"http://h/%zz", "parse \"http://h/%zz\": invalid URL escape \"%zz\""},
      {"http://h/\x7f", "parse \"http://h/\\x7f\": net/url: invalid control character in URL"},
      {"http://h#%z", "parse \"http://h#%z\": invalid URL escape \"%z\""},
      {"http://a@b[c/", "parse \"http://a@b[c/\": invalid IP-literal"},
  };
  for (const auto& row : rows) {
    auto u = parse_url(row.in);
    ASSERT_FALSE(u) << row.in;
    EXPECT_EQ(u.error().text(), row.error);
  }
}

TEST(ResolveUrl, FollowsRfc3986) {
  Url base = *parse_url("http://h/a/b?q#f");
  struct Row {
    const char* ref;
    const char* want;
  } rows[] = {
      {"c", "http://h/a/c"},       {"../c", "http://h/c"},  {"/c/./d/..", "http://h/c/"},
      {"?x", "http://h/a/b?x"},    {"#g", "http://h/a/b?q#g"}, {"", "http://h/a/b?q#f"},
      {"//other/x", "http://other/x"}, {"mailto:x", "mailto:x"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(resolve_url(base, *parse_url(row.ref)).text(), row.want) << row.ref;
  }
}

TEST(ParseIp, KnowsBothFamilies) {
  EXPECT_TRUE(parse_ip("127.0.0.1")->v4);
  EXPECT_TRUE(parse_ip("fe80::1%en0")->zone);
  EXPECT_EQ(parse_ip("1.2.3.256").error().text(),
            "ParseAddr(\"1.2.3.256\"): IPv4 field has value >255");
  EXPECT_EQ(parse_ip("x").error().text(), "ParseAddr(\"x\"): unable to parse IP");
}

}  // namespace
}  // namespace pintle
