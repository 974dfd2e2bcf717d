#include <gtest/gtest.h>

#include <set>

#include "funcs/funcs.h"

namespace pintle::funcs {
namespace {

TEST(Table, HasEveryNameOfHelmOnceAndSorted) {
  std::set<std::string_view> names;
  std::string_view last;
  for (const value::FuncDef& f : table()) {
    EXPECT_LT(last, f.name);
    last = f.name;
    names.insert(f.name);
    EXPECT_NE(f.fn, nullptr) << f.name;
  }
  EXPECT_EQ(names.size(), 233u);
  EXPECT_FALSE(names.contains("env"));
  EXPECT_FALSE(names.contains("expandenv"));
}

TEST(Table, ParametersAreKnownLetters) {
  for (const value::FuncDef& f : table()) {
    size_t star = f.params.find('*');
    EXPECT_TRUE(star == f.params.npos || (star > 0 && star + 1 == f.params.size())) << f.name;
    EXPECT_EQ(f.params.find_first_not_of("vrsilufbLmtcdSW*"), f.params.npos) << f.name;
  }
}

}  // namespace
}  // namespace pintle::funcs
