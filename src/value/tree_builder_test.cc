#include "value/tree_builder.h"

#include <gtest/gtest.h>

namespace pintle::value {
namespace {

TEST(TreeBuilder, SortsKeysAndKeepsTheLastOfEqualOnes) {
  TreeBuilder b;
  b.open_map();
  for (int round = 0; round < 3; ++round) {
    for (char c = 'z'; c >= 'a'; --c) {
      b.key(Str(std::string(1, c)));
      b.add(Value::integer(round * 100 + c));
    }
  }
  b.close();
  Value v = b.take();
  ASSERT_EQ(v.length(), 26u);
  EXPECT_EQ(v.as_map()->entries()[0].key, std::string_view("a"));
  EXPECT_EQ(v.get("q")->as_int(), 200 + 'q');
}

TEST(TreeBuilder, NestsListsInMapsInLists) {
  TreeBuilder b;
  b.open_list();
  b.add(Value::integer(1));
  b.open_map();
  b.key("list");
  b.open_list();
  b.close();
  b.key("map");
  b.open_map();
  b.close();
  b.close();
  b.add(str("end"));
  b.close();
  Value v = b.take();
  ASSERT_EQ(v.length(), 3u);
  EXPECT_EQ(v.items()[1].get("list")->length(), 0u);
  EXPECT_TRUE(v.items()[1].get("map")->is_map());
  EXPECT_EQ(v.items()[2].as_string(), "end");
}

TEST(TreeBuilder, RootMayBeAScalar) {
  TreeBuilder b;
  b.add(Value::boolean(true));
  EXPECT_TRUE(b.take().as_bool());
}

}  // namespace
}  // namespace pintle::value
