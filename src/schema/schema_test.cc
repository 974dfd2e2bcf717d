#include "schema/schema.h"
#include <gtest/gtest.h>
#include "json/json.h"
namespace pintle::schema {
TEST(Schema, Smoke) {
  auto v = json::read(R"({"a":1})");
  auto s = validate(*v, R"({"properties":{"a":{"type":"string"}}})", {});
  EXPECT_FALSE(s);
  EXPECT_EQ(s.error().text(), "- at '/a': got number, want string\n");
}
}
