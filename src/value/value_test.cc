#include "value/value.h"

#include <cmath>

#include <gtest/gtest.h>

namespace pintle::value {
namespace {

std::string text(size_t n) { return std::string(n, 'x'); }

TEST(Str, HoldsUpToFourteenBytesInside) {
  for (size_t n : {0, 1, 13, 14, 15, 16, 255, 256, 100000}) {
    Str s(text(n));
    EXPECT_EQ(s.size(), n);
    EXPECT_EQ(s.view(), text(n));
    auto* at = reinterpret_cast<const char*>(&s);
    bool inside = s.view().data() >= at && s.view().data() < at + sizeof s;
    EXPECT_EQ(inside, n <= Str::kInline) << n;
  }
}

TEST(Str, KeepsAnyByte) {
  std::string all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<char>(i));
  EXPECT_EQ(Str(all).view(), all);
  EXPECT_EQ(Str(std::string_view("a\0b", 3)).size(), 3u);
  EXPECT_EQ(Str(std::string_view(all).substr(250)).view(), std::string_view(all).substr(250));
}

TEST(Str, CopiesShareAndMovesEmpty) {
  Str a(text(40));
  Str b = a;
  EXPECT_EQ(a.view().data(), b.view().data());
  Str c = std::move(a);
  EXPECT_EQ(c.view().data(), b.view().data());
  EXPECT_TRUE(a.empty());  // NOLINT: moved-from is the empty string
  a = b;
  b = Str();
  c = Str("short");
  EXPECT_EQ(a.view(), text(40));
}

TEST(Str, SelfAssignmentIsHarmless) {
  Str a(text(40));
  Str& alias = a;
  a = alias;
  EXPECT_EQ(a.view(), text(40));
}

TEST(Str, BuildsAndConcatenates) {
  EXPECT_EQ(Str::concat("ab", "").view(), "ab");
  EXPECT_EQ(Str::concat(text(10), text(10)).view(), text(20));
  EXPECT_EQ(Str::build(3, [](char* p) { std::memcpy(p, "abc", 3); }).view(), "abc");
  EXPECT_LT(Str("a"), Str("b"));
  EXPECT_LT(Str("a"), Str("a\xff"));
}

TEST(Value, KeepsGosTypesApart) {
  struct Row {
    Value v;
    const char* type;
    const char* kind;
    bool truth;
  } rows[] = {
      {Value::nil(), "<nil>", "invalid", false},
      {Value::boolean(true), "bool", "bool", true},
      {Value::integer(-1), "int", "int", true},
      {Value::int64(0), "int64", "int64", false},
      {Value::uint8(255), "uint8", "uint8", true},
      {Value::uint32(1), "uint32", "uint32", true},
      {Value::uint64(UINT64_MAX), "uint64", "uint64", true},
      {Value::number(0.0), "float64", "float64", false},
      {Value::number(-0.0), "float64", "float64", false},
      {Value::number(NAN), "float64", "float64", true},
      {str("false"), "string", "string", true},
      {str(""), "string", "string", false},
      {Value::bytes("ab"), "[]uint8", "slice", true},
      {Value::list_of({}), "[]interface {}", "slice", false},
      {Value::list(nullptr), "[]interface {}", "slice", false},
      {Value::strings({"a"}), "[]string", "slice", true},
      {Value::list_of({Value::integer(0)}, Type::kIntList), "[]int", "slice", true},
      {Value::list_of({}, Type::kListList), "[][]interface {}", "slice", false},
      {Value::map(make_map()), "map[string]interface {}", "map", false},
      {Value::map(make_map(), Type::kStringMap), "map[string]string", "map", false},
      {Value::map(nullptr, Type::kValues), "common.Values", "map", false},
      {Value::map(nullptr, Type::kFiles), "engine.files", "map", false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(go_type(row.v), row.type);
    EXPECT_EQ(kind_name(row.v), row.kind) << row.type;
    EXPECT_EQ(truth(row.v), row.truth) << row.type;
  }
}

TEST(Value, ScalarsComeBackAsTheyWent) {
  EXPECT_EQ(Value::integer(INT64_MIN).as_int(), INT64_MIN);
  EXPECT_EQ(Value::uint64(UINT64_MAX).as_uint(), UINT64_MAX);
  EXPECT_EQ(Value::number(0.1).as_double(), 0.1);
  EXPECT_EQ(str(text(14)).as_string(), text(14));
  EXPECT_EQ(str(text(15)).as_string(), text(15));
}

TEST(Value, CopiesOfLongStringsShareBytes) {
  Value a = str(text(100));
  Value b = a;
  EXPECT_EQ(a.as_string().data(), b.as_string().data());
  EXPECT_TRUE(a.identical(b));
  a = Value::integer(1);
  EXPECT_EQ(b.as_string(), text(100));
  Value c = std::move(b);
  EXPECT_TRUE(b.is_nil());  // NOLINT: moved-from is nil
  c = c.str().view().empty() ? Value() : c;
  EXPECT_EQ(c.as_string(), text(100));
}

TEST(Value, AssigningAChildToItsParentIsSafe) {
  auto m = make_map();
  m->set("child", Value::list_of({str(text(50))}));
  Value v = Value::map(std::move(m));
  v = *v.get("child");
  EXPECT_EQ(v.items()[0].as_string(), text(50));
}

TEST(Value, MapsAreReferences) {
  auto m = make_map();
  Value a = Value::map(m);
  Value b = a;
  b.as_map()->set("k", Value::integer(1));
  ASSERT_NE(a.get("k"), nullptr);
  EXPECT_EQ(a.get("k")->as_int(), 1);
  EXPECT_EQ(m->use_count(), 3u);
}

TEST(Value, NilContainersAreEmpty) {
  Value list = Value::list(nullptr), map = Value::map(nullptr);
  EXPECT_EQ(list.length(), 0u);
  EXPECT_TRUE(list.items().empty());
  EXPECT_EQ(map.length(), 0u);
  EXPECT_EQ(map.get("x"), nullptr);
  EXPECT_EQ(Value::integer(3).get("x"), nullptr);
}

TEST(Map, StaysSortedAndUnique) {
  Map m;
  for (const char* k : {"m", "a", "z", "b", "m", "", "aa"}) m.set(k, str(k));
  std::string keys;
  for (const auto& e : m) keys.append(e.key).push_back(',');
  EXPECT_EQ(keys, ",a,aa,b,m,z,");
  EXPECT_EQ(m.size(), 6u);
  EXPECT_EQ(m.find("aa")->as_string(), "aa");
  EXPECT_EQ(m.find("ab"), nullptr);
  EXPECT_TRUE(m.erase("m"));
  EXPECT_FALSE(m.erase("m"));
  EXPECT_EQ(m.size(), 5u);
  m.at_or_insert("new") = Value::integer(1);
  EXPECT_EQ(m.find("new")->as_int(), 1);
}

TEST(Map, OrdersKeysByBytes) {
  Map m;
  for (std::string_view k : {std::string_view("\xff"), std::string_view("\x7f"),
                             std::string_view("\xc3\xa9"), std::string_view("a\0", 2)}) {
    m.set(k, Value());
  }
  std::string first;
  for (const auto& e : m) first.push_back(e.key.view()[0]);
  EXPECT_EQ(first, "a\x7f\xc3\xff");
}

TEST(MapBuilder, LetsTheLastOfEqualKeysWin) {
  MapBuilder b;
  const char* keys[] = {"b", "a", "b", "c", "a", "b"};
  for (int i = 0; i < 6; ++i) b.add(keys[i], Value::integer(i));
  auto m = b.finish();
  ASSERT_EQ(m->size(), 3u);
  EXPECT_EQ(m->find("a")->as_int(), 4);
  EXPECT_EQ(m->find("b")->as_int(), 5);
  EXPECT_EQ(m->find("c")->as_int(), 3);
  EXPECT_EQ(b.finish()->size(), 0u);  // finish hands everything over
}

TEST(MapBuilder, KeepsALargeSortedInputAsItIs) {
  MapBuilder b;
  for (int i = 0; i < 10000; ++i) b.add(std::to_string(100000 + i), Value::integer(i));
  auto m = b.finish();
  EXPECT_EQ(m->find("105000")->as_int(), 5000);
}

Value sample() {
  auto inner = make_map();
  inner->set("x", Value::number(1));
  auto outer = make_map();
  outer->set("list", Value::list_of({Value::map(inner), Value::nil(), str(text(30))}));
  outer->set("names", Value::strings({"a"}));
  outer->set("empty", Value::list(nullptr));
  return Value::map(outer, Type::kValues);
}

TEST(DeepCopy, SeparatesMapsAndKeepsTypes) {
  Value a = sample();
  Value b = deep_copy(a);
  EXPECT_TRUE(deep_equal(a, b));
  EXPECT_EQ(b.type(), Type::kValues);
  EXPECT_EQ(b.get("names")->type(), Type::kStringList);
  EXPECT_EQ(b.get("empty")->as_list(), nullptr);
  b.get("list")->items()[0].as_map()->set("x", Value::number(2));
  EXPECT_EQ(a.get("list")->items()[0].get("x")->as_double(), 1);
  EXPECT_FALSE(deep_equal(a, b));
}

TEST(DeepEqual, IsReflectDeepEqual) {
  struct Row {
    Value a, b;
    bool equal;
  } rows[] = {
      {Value::integer(1), Value::integer(1), true},
      {Value::integer(1), Value::int64(1), false},
      {Value::integer(1), Value::number(1), false},
      {Value::number(NAN), Value::number(NAN), false},
      {Value::number(0.0), Value::number(-0.0), true},
      {str(text(30)), str(text(30)), true},
      {str("a"), Value::bytes("a"), false},
      {Value::list(nullptr), Value::list_of({}), false},
      {Value::list(nullptr), Value::list(nullptr), true},
      {Value::list_of({str("a")}), Value::strings({"a"}), false},
      {Value::map(nullptr), Value::map(make_map()), false},
      {Value::map(make_map()), Value::map(make_map()), true},
      {Value::map(make_map()), Value::map(make_map(), Type::kValues), false},
      {Value::nil(), Value::nil(), true},
      {Value::nil(), Value::list(nullptr), false},
      {sample(), sample(), true},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(deep_equal(row.a, row.b), row.equal) << go_type(row.a) << ' ' << go_type(row.b);
    EXPECT_EQ(deep_equal(row.b, row.a), row.equal) << go_type(row.b) << ' ' << go_type(row.a);
  }
}

TEST(DeepEqual, SharedContainersAreEqualEvenWithNaNs) {
  Value list = Value::list_of({Value::number(NAN)});
  EXPECT_TRUE(deep_equal(list, list));  // Go compares slices by their first address before elements
}

struct Counter : Object {
  static inline int alive = 0;
  Counter() { ++alive; }
  ~Counter() override { --alive; }
  std::string_view go_type() const override { return "test.Counter"; }
  Kind kind() const override { return Kind::kStruct; }
  std::string_view kind_name() const override { return "struct"; }
  void print(std::string& out, bool) const override { out += "counter"; }
};

TEST(Object, LivesAsLongAsItsLastValue) {
  Value a = Value::object(Ref<Object>(new Counter));
  {
    Value b = a;
    Value list = Value::list_of({b, b});
    EXPECT_EQ(Counter::alive, 1);
    EXPECT_TRUE(deep_equal(a, deep_copy(list).items()[1]));
  }
  EXPECT_EQ(Counter::alive, 1);
  EXPECT_EQ(go_type(a), "test.Counter");
  EXPECT_TRUE(truth(a));
  a = Value();
  EXPECT_EQ(Counter::alive, 0);
}

TEST(Value, NestingIsNoMatterForTheStack) {
  Value list, map;
  for (int i = 0; i < 1000000; ++i) {
    list = Value::list_of({std::move(list)});
    auto m = make_map();
    m->set("k", std::move(map));
    map = Value::map(std::move(m));
  }
  EXPECT_TRUE(deep_equal(list, deep_copy(list)));
  EXPECT_TRUE(deep_equal(map, deep_copy(map)));
  EXPECT_FALSE(deep_equal(list, map));
}

TEST(Value, FreeingKeepsWhatOthersHold) {
  Value inner = Value::list_of({str(text(30))});
  Value deep = inner;
  for (int i = 0; i < 1000; ++i) deep = Value::list_of({deep, inner});
  deep = Value();
  EXPECT_EQ(inner.as_list()->use_count(), 1u);
  EXPECT_EQ(inner.items()[0].as_string(), text(30));
}

// A list of n levels, each holding the one below twice: 2^n leaves.
Value doubled(int n) {
  Value v = Value::integer(1);
  for (int i = 0; i < n; ++i) v = Value::list_of({v, v});
  return v;
}

TEST(DeepCopy, StopsAtItsBounds) {
  EXPECT_FALSE(deep_copy(doubled(60), 1000000, 100));
  EXPECT_TRUE(deep_copy(doubled(10), 10000, 10));
  EXPECT_FALSE(deep_copy(doubled(10), 10000, 8));
  auto m = make_map();
  m->set("self", Value::map(m));
  EXPECT_FALSE(deep_copy(Value::map(m), SIZE_MAX, 1000));
  m->clear();
}

TEST(DeepEqual, EndsForSharedAndCyclicValues) {
  EXPECT_TRUE(deep_equal(doubled(60), doubled(60)));
  auto a = make_map(), b = make_map();
  a->set("self", Value::map(a));
  b->set("self", Value::map(b));
  EXPECT_TRUE(deep_equal(Value::map(a), Value::map(b)));
  a->clear();
  b->clear();
}

}  // namespace
}  // namespace pintle::value
