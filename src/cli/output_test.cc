#include "cli/output.h"

#include <gtest/gtest.h>

namespace pintle::cli {
namespace {

TEST(Table, PadsEveryColumnToItsWidest) {
  Table t;
  t.add({"NAME", "URL"});
  t.add({"charts", "https://x"});
  EXPECT_EQ(t.text(), "NAME  \tURL      \ncharts\thttps://x");
}

TEST(Table, CutsLongCellsWithDots) {
  Table t(10);
  t.add({"abcdefghijklmnop", "short"});
  EXPECT_EQ(t.text(), "abcdefg...\tshort");
}

TEST(Table, ManyLinesInACellMakeManyRows) {
  Table t;
  t.add({"a\nbb", "c"});
  t.add({"long", "d"});
  EXPECT_EQ(t.text(), "a   \tc\nbb  \t \nlong\td");
}

TEST(Table, CutsACellWhoseLinesTogetherAreTooWide) {
  Table t;
  t.add({"first\nsecond", "c"});
  EXPECT_EQ(t.text(), "fir...\tc");
}

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("日本"), 4u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
  EXPECT_EQ(display_width("\x1b[32mok\x1b[0m"), 2u);
}

TEST(JsonObject, KeepsTheOrderOfItsMembers) {
  EXPECT_EQ(JsonObject().add("name", "a<b").add("app", "").close(),
            "{\"name\":\"a\\u003cb\",\"app\":\"\"}");
  EXPECT_EQ(json_array({}), "[]");
}

}  // namespace
}  // namespace pintle::cli
