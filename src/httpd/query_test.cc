#include "httpd/query.h"

#include <gtest/gtest.h>

namespace pintle::httpd {
namespace {

using Segments = std::vector<std::string>;

TEST(DecodePath, SplitsAfterDecoding) {
  EXPECT_EQ(*decode_path("/"), Segments{});
  EXPECT_EQ(*decode_path("//"), Segments{});
  EXPECT_EQ(*decode_path("/api/v1/pods/"), (Segments{"api", "v1", "pods"}));
  EXPECT_EQ(*decode_path("/a%20b/c+d"), (Segments{"a b", "c+d"}));
  EXPECT_EQ(*decode_path("/a%2Fb"), (Segments{"a", "b"}));
  EXPECT_EQ(*decode_path("/a//b"), (Segments{"a", "", "b"}));
  EXPECT_EQ(*decode_path("/a/%2e%2e/b"), (Segments{"a", "..", "b"}));
}

TEST(DecodePath, RefusesWhatIsNoPath) {
  for (const char* path : {"", "a", "*", "/%", "/%2", "/%zz", "http://x/"}) {
    EXPECT_FALSE(decode_path(path)) << path;
  }
}

TEST(ParseQuery, KeepsOrderAndRepeats) {
  EXPECT_EQ(parse_query("b=2&a=1&b=3"), (Query{{"b", "2"}, {"a", "1"}, {"b", "3"}}));
  EXPECT_EQ(parse_query("a&b=&=c&&d=e=f"), (Query{{"a", ""}, {"b", ""}, {"", "c"}, {"d", "e=f"}}));
  EXPECT_EQ(parse_query("x=a%2Cb+c"), (Query{{"x", "a,b c"}}));
  EXPECT_EQ(parse_query(""), Query{});
}

TEST(ParseQuery, LeavesOutBadPairs) {
  EXPECT_EQ(parse_query("a=%zz&b=1&c;d=2&%=3"), (Query{{"b", "1"}}));
}

TEST(Find, GivesTheFirst) {
  const Query query = parse_query("a=1&a=2");
  ASSERT_NE(find(query, "a"), nullptr);
  EXPECT_EQ(*find(query, "a"), "1");
  EXPECT_EQ(find(query, "b"), nullptr);
}

}  // namespace
}  // namespace pintle::httpd
