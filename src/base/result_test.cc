#include "base/result.h"

#include <memory>

#include <gtest/gtest.h>

namespace pintle {
namespace {

struct Where : ErrorDetail {
  int line = 0;
};

Result<int> parse(bool good) {
  if (!good) return Error(Code::kInvalidArgument, "bad");
  return 7;
}

Result<std::string> describe(bool good) {
  int n = TRY(parse(good));
  return std::to_string(n);
}

Status check(bool good) {
  (void)TRY(parse(good));
  TRY(ok());
  return ok();
}

Result<std::unique_ptr<int>> boxed(bool good) {
  if (!good) return Error("no box");
  return std::make_unique<int>(3);
}

Result<int> unbox(bool good) {
  std::unique_ptr<int> p = TRY(boxed(good));
  return *p;
}

TEST(Try, YieldsTheValueOrLeavesWithTheError) {
  EXPECT_EQ(*describe(true), "7");
  auto r = describe(false);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().text(), "bad");
  EXPECT_EQ(r.error().code(), Code::kInvalidArgument);
}

TEST(Try, WorksForStatus) {
  EXPECT_TRUE(check(true));
  EXPECT_FALSE(check(false));
}

TEST(Try, MovesWhatCannotBeCopied) {
  EXPECT_EQ(*unbox(true), 3);
  EXPECT_EQ(unbox(false).error().text(), "no box");
}

TEST(Error, WrapChainsTextsAndKeepsTheCause) {
  Error inner(Code::kNotFound, "no such file");
  inner.set_detail([] {
    auto d = std::make_unique<Where>();
    d->line = 4;
    return d;
  }());
  Error outer = Error::wrap("load chart", Error::wrap("read values", inner));
  EXPECT_EQ(outer.text(), "load chart: read values: no such file");
  EXPECT_EQ(outer.code(), Code::kNotFound);
  ASSERT_NE(outer.cause(), nullptr);
  EXPECT_EQ(outer.cause()->cause()->text(), "no such file");
  ASSERT_NE(outer.find<Where>(), nullptr);
  EXPECT_EQ(outer.find<Where>()->line, 4);
}

TEST(Error, WithCauseTakesTheWholeText) {
  Error e = Error::with_cause("cannot parse \"x\": bad", Error("bad"));
  EXPECT_EQ(e.text(), "cannot parse \"x\": bad");
  EXPECT_EQ(e.cause()->text(), "bad");
  EXPECT_EQ(e.find<Where>(), nullptr);
}

}  // namespace
}  // namespace pintle
