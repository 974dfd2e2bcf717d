// Expressions and what the API server 1.36 (cel-go 0.26) made of them.
#include "cel/cel.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace pintle::cel {
namespace {

using value::Value;
using Kind = Schema::Kind;

std::unique_ptr<Schema> of(Kind kind) {
  auto out = std::make_unique<Schema>();
  out->kind = kind;
  return out;
}
std::unique_ptr<Schema> list_of(std::unique_ptr<Schema> item, Schema::List type = Schema::List::kAtomic) {
  auto out = of(Kind::kList);
  out->item = std::move(item);
  out->list = type;
  return out;
}
std::unique_ptr<Schema> object_of(std::vector<std::pair<std::string, std::unique_ptr<Schema>>> fields) {
  auto out = of(Kind::kObject);
  for (auto& [name, schema] : fields) out->add(name, std::move(schema));
  return out;
}
template <typename... F>
std::unique_ptr<Schema> object(F... named) {
  std::vector<std::pair<std::string, std::unique_ptr<Schema>>> fields;
  (fields.push_back(std::move(named)), ...);
  return object_of(std::move(fields));
}
std::pair<std::string, std::unique_ptr<Schema>> field(std::string name, std::unique_ptr<Schema> schema) {
  return {std::move(name), std::move(schema)};
}
std::pair<std::string, std::unique_ptr<Schema>> field(std::string name, Kind kind) { return {std::move(name), of(kind)}; }

const Schema& schema() {
  static const std::unique_ptr<Schema> all = [] {
    auto ml = list_of(object(field("k", Kind::kString), field("v", Kind::kInt)), Schema::List::kMap);
    ml->keys = {"k"};
    auto m = of(Kind::kMap);
    m->item = of(Kind::kString);
    auto nu = of(Kind::kString);
    nu->nullable = true;
    return object(field("a", Kind::kInt), field("b", Kind::kBool), field("s", Kind::kString),
                  field("l", list_of(of(Kind::kInt))), field("set", list_of(of(Kind::kString), Schema::List::kSet)),
                  field("ml", std::move(ml)), field("n", Kind::kDouble),
                  field("o", object(field("x", Kind::kString), field("z-z", Kind::kString), field("namespace", Kind::kString),
                                    field("a__b", Kind::kString), field("opt", Kind::kString))),
                  field("m", std::move(m)), field("p", Kind::kIntOrString), field("p2", Kind::kIntOrString),
                  field("d", Kind::kDuration), field("t", Kind::kDateTime), field("by", Kind::kBytes),
                  field("nu", std::move(nu)), field("u", object()));
  }();
  return *all;
}

Value map_of(std::initializer_list<std::pair<std::string_view, Value>> entries) {
  value::MapBuilder out;
  for (const auto& [key, v] : entries) out.add(value::Str(key), v);
  return Value::map(out.finish());
}
Value texts(std::initializer_list<std::string_view> all) {
  std::vector<Value> out;
  for (std::string_view s : all) out.push_back(value::str(s));
  return Value::list_of(std::move(out));
}
Value data() {
  auto n = [](int64_t i) { return Value::int64(i); };
  return map_of({{"a", n(1)}, {"b", Value::boolean(true)}, {"s", value::str("abc")},
                 {"l", Value::list_of({n(1), n(2), n(3)})}, {"set", texts({"x", "y"})},
                 {"ml", Value::list_of({map_of({{"k", value::str("a")}, {"v", n(1)}}), map_of({{"k", value::str("b")}, {"v", n(2)}})})},
                 {"n", Value::number(1.5)},
                 {"o", map_of({{"x", value::str("y")}, {"z-z", value::str("q")}, {"namespace", value::str("ns")}, {"a__b", value::str("ab")}})},
                 {"m", map_of({{"k", value::str("v")}, {"k2", value::str("v2")}})}, {"p", value::str("80")}, {"p2", n(443)},
                 {"d", value::str("1h30m")}, {"t", value::str("2024-02-29T12:34:56.789Z")}, {"by", value::str("aGVsbG8=")},
                 {"nu", Value()}, {"u", map_of({{"q", n(1)}})}});
}

std::string verdict(std::string_view text, const Value* old = nullptr, bool optional_old = false) {
  auto program = compile(text, schema(), optional_old);
  if (!program) return program.error().text();
  const Value self = data();
  Budget budget;
  auto out = evaluate(*program, {.self = &self, .old_self = old}, budget);
  if (!out) return out.error().text();
  if (out->is_string()) return std::string(out->as_string());
  return out->is(value::Type::kBool) ? (out->as_bool() ? "true" : "false") : "";
}

constexpr std::string_view kOperand =
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

// "1:5: undefined field 'x'; 1:9: ...": without the lines that show where.
std::string complaints(std::string_view text) {
  auto program = compile(text, schema());
  if (program) return "";
  std::string out;
  for (std::string_view line : split(program.error().text(), "\n")) {
    if (line.starts_with("ERROR: <input>:")) out += cat(out.empty() ? "" : "; ", line.substr(15));
  }
  return out.empty() ? program.error().text() : replace_all(out, kOperand, "OPERAND");
}

struct Case {
  std::string_view text, want;
};

TEST(Compile, ComplainsInCelGosWords) {
  const Case cases[] = {
      {"self.a ==",
       "1:10: Syntax error: mismatched input '<EOF>' expecting OPERAND"},
      {"self.a b",
       "1:8: Syntax error: extraneous input 'b' expecting <EOF>"},
      {"self.a = 1",
       "1:8: Syntax error: token recognition error at: '= '; 1:10: Syntax error: extraneous input '1' expecting <EOF>"},
      {"(self.a == 1",
       "1:13: Syntax error: missing ')' at '<EOF>'"},
      {"foo == 1",
       "1:1: undeclared reference to 'foo' (in container '')"},
      {"self.zz == 1",
       "1:5: undefined field 'zz'"},
      {"has(self.o.zz)",
       "1:4: undefined field 'zz'"},
      {"has(self)",
       "1:5: invalid argument to has() macro"},
      {"self.o.x.y == 1",
       "1:9: type 'string' does not support field selection"},
      {"self.a + 'x' == 1",
       "1:8: found no matching overload for '_+_' applied to '(int, string)'"},
      {"self.l.all(x, x)",
       "1:15: expected type 'bool' but found 'int'"},
      {"self.l.filter(x, x) == []",
       "1:14: found no matching overload for '_?_:_' applied to '(int, list(int), list(int))'"},
      {"self.l.all(self.a, true)",
       "1:16: argument must be a simple name"},
      {"self.a.foo() == 1",
       "1:11: undeclared reference to 'foo' (in container '')"},
      {"[1, 'a'] == []",
       "1:5: expected type 'int' but found 'string'"},
      {"{'a': 1, 'b': 'c'} == {}",
       "1:15: expected type 'int' but found 'string'"},
      {"duration('x') == duration('1s')",
       "1:10: invalid duration argument"},
      {"self.s.matches('[')",
       "1:16: invalid matches argument"},
      {"self.a ? true : false",
       "1:8: found no matching overload for '_?_:_' applied to '(int, bool, bool)'"},
      {"true ? 1 : 'a'",
       "1:6: found no matching overload for '_?_:_' applied to '(bool, int, string)'"},
      {"self.o == 1",
       "1:8: found no matching overload for '_==_' applied to '(selfType.o, int)'"},
      {"1 in self.m",
       "1:3: found no matching overload for '@in' applied to '(int, map(string, string))'"},
      {"if == 1",
       "1:1: reserved identifier: if"},
      {"self.?a == 1",
       "1:9: found no matching overload for '_==_' applied to '(optional_type(int), int)'"},
      {"cel.bind(x, 1, x == 1)",
       "1:1: undeclared reference to 'cel' (in container ''); 1:9: undeclared reference to 'bind' (in container ''); 1:10: undeclared reference to 'x' (in container ''); 1:16: undeclared reference to 'x' (in container '')"},
      {"Foo{a: 1} == 1",
       "1:4: undeclared reference to 'Foo' (in container '')"},
      {"self.`a` == 1",
       "1:6: unsupported syntax: '`'"},
      {"1 + + 2",
       "1:5: Syntax error: extraneous input '+' expecting OPERAND"},
      {"a..b",
       "1:3: Syntax error: no viable alternative at input '..'"},
      {"99999999999999999999 == 1",
       "1:1: invalid int literal"},
      {"self.s.size(1) == 1",
       "1:12: found no matching overload for 'size' applied to 'string.(int)'"},
      {"'a'.format([1]) == ''",
       "1:11: too many arguments supplied to string.format (expected 0, got 1)"},
      {"'%d'.format(['x']) == ''",
       "1:14: error during formatting: decimal clause can only be used on integers, was given string"},
      {"[1,2",
       "1:5: Syntax error: mismatched input '<EOF>' expecting {']', ','}"},
      {"{'a' 1}",
       "1:6: Syntax error: missing ':' at '1'"},
      {"self.a ! 1",
       "1:8: Syntax error: mismatched input '!' expecting <EOF>"},
      {"int('x') == 1",
       "type conversion error from 'string' to 'int'"},
      {"'abc'.reverse() == 'cba'",
       "1:14: found no matching overload for 'reverse' applied to 'string.()'"},
      {"self.a == null",
       "1:8: found no matching overload for '_==_' applied to '(int, null)'"},
      {"'é' == self.zz",
       "1:12: undefined field 'zz'"},
      {"self.u.q == 1",
       "1:7: undefined field 'q'"},
      {"'abc",
       "1:1: Syntax error: token recognition error at: ''abc'; 1:5: Syntax error: mismatched input '<EOF>' expecting OPERAND"},
  };
  for (const Case& c : cases) EXPECT_EQ(complaints(c.text), c.want) << c.text;
}

TEST(Compile, ShowsWhereInTheText) {
  auto program = compile("true &&\n\t'\u00e9' == self.zz", schema());
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().text(), "ERROR: <input>:2:13: undefined field 'zz'\n |  '\u00e9' == self.zz\n | ..\uff0e.........^");
}

TEST(Compile, RefusesDepthAndLength) {
  EXPECT_EQ(complaints(std::string(300, '(') + "1" + std::string(300, ')')), "-1:0: expression recursion limit exceeded: 250");
  EXPECT_TRUE(complaints(std::string(100001, ' ')).starts_with("-1:0: expression code point size exceeds limit"));
  std::string sum = "1";
  for (int i = 0; i < 2000; ++i) sum += "+1";
  EXPECT_EQ(complaints(sum + " == 1"), "-1:0: max recursion depth exceeded");
}

TEST(Compile, KnowsWhatARuleLooksAt) {
  EXPECT_FALSE(compile("self.a == 1", schema())->uses_old_self());
  EXPECT_TRUE(compile("self.a == oldSelf.a", schema())->uses_old_self());
  EXPECT_EQ(compile("self.l.map(x, string(x))", schema())->result_type(), "list(string)");
}

TEST(Evaluate, GivesWhatCelGoGives) {
  const Case cases[] = {
      {"self.a == 1 && self.s == 'abc'", "true"},
      {"self.l[5] == 1", "index out of bounds: 5"},
      {"self.m['zz'] == 'a'", "no such key: zz"},
      {"1/0 == 1", "division by zero"},
      {"9223372036854775807 + 1 == 0", "integer overflow"},
      {"self.p > 5", "no such overload"},
      {"self.p == '80' && self.p2 == 443", "true"},
      {"self.p2 + 1 == 444", "true"},
      {"dyn(1).charAt(1) == ''", "no such overload: charAt(int, int)"},
      {"dyn(true) + dyn(1) == 1", "no such overload: _+_"},
      {"dyn(null) < dyn('a')", "no such overload: _<_"},
      {"dyn(1).all(x, true)", "got 'types.Int', expected iterable type"},
      {"size(dyn(1)) == 1", "no such overload: size"},
      {"self.l[dyn('a')] == 1", "unsupported index type 'string' in list"},
      {"1/0 == 1 || true", "true"},
      {"1/0 == 1 || false", "division by zero"},
      {"false && 1/0 == 1", "false"},
      {"1/0 == 1 && true", "division by zero"},
      {"[0,1].exists(x, 1/x == 1)", "true"},
      {"[0,1].all(x, 1/x == 1)", "division by zero"},
      {"[0,2].all(x, 1/x == 1)", "false"},
      {"[0,1].map(x, 1/x) == [1]", "division by zero"},
      {"self.set == ['y','x']", "true"},
      {"self.set + ['x','z'] == ['x','y','z']", "true"},
      {"self.ml.exists(e, e.k == 'b' && e.v == 2)", "true"},
      {"self.ml.map(e, e.k).join(',') == 'a,b'", "true"},
      {"self.o.z__dash__z == 'q' && self.o.namespace == 'ns' && self.o.__namespace__ == 'ns' && self.o.a__underscores__b == 'ab'",
       "true"},
      {"self.n == 1.5 && self.a < 1.5 && self.a < 2u", "true"},
      {"self.d == duration('90m') && self.d.getMinutes() == 90", "true"},
      {"self.t.getFullYear() == 2024 && self.t.getMonth() == 1 && self.t.getDate() == 29 && self.t.getHours('-08:00') == 4",
       "true"},
      {"self.by == b'hello' && string(self.by) == 'hello'", "true"},
      {"has(self.nu)", "false"},
      {"has(self.o.opt) ? self.o.opt == 'a' : true", "true"},
      {"self.o.opt == 'a'", "no such key: opt"},
      {"self.?o.?opt.orValue('d') == 'd'", "true"},
      {"self.m[?'zz'].orValue('none') == 'none'", "true"},
      {"self.l[?1].optMap(x, x + 1) == optional.of(3)", "true"},
      {"optional.none().value() == 1", "optional.none() dereference"},
      {"self.l.all(i, v, i + 1 == v) && self.l.transformList(i, v, v > 1, i * v) == [2,6] && self.m.transformMap(k, v, v + k)['k'] == 'vk'",
       "true"},
      {"[1,1].transformMapEntry(i, v, {string(v): i})['1'] == 0",
       "insert failed: key 1 already exists"},
      {"self.l.exists_one(x, x == 2) && self.l.filter(x, x > 1).map(x, x * 2) == [4,6]",
       "true"},
      {"'😀é'.charAt(1) == 'é' && size('😀é') == 2 && 'hello'.lastIndexOf('l') == 3", "true"},
      {"'abc'.substring(2,1) == ''", "invalid substring range. start: 2, end: 1"},
      {R"cel('a,b,c'.split(',', 2) == ['a','b,c'] && 'ab'.replace('', '-', 2) == '-a-b' && strings.quote('a"b\n') == '"a\\"b\\n"')cel",
       "true"},
      {"{'a': 1}['%s %.3f %e %x %b'.format([[1.5, 'a'], 1234567.5, 1234.5, 'hi', 5])] == 1",
       R"cel(no such key: [1.500000, "a"] 1,234,567.500 1.234500×10⁰³ 6869 101)cel"},
      {"'abcabc'.findAll('b.') == ['bc','bc'] && 'abc'.findAll('x*') == ['','','','']",
       "true"},
      {"'abc'.matches('[' + self.s)", "error parsing regexp: missing closing ]: `[abc`"},
      {"quantity('1.5k').isInteger() && !quantity('1.0').isInteger() && quantity('1Gi').asInteger() == 1073741824 && quantity('1').add(2) == quantity('3')",
       "true"},
      {"quantity('1x') == quantity('1')",
       "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
      {"semver('v1.2', true).compareTo(semver('1.2.0')) == 0 && semver('1.2.3-a').isLessThan(semver('1.2.3'))",
       "true"},
      {"semver('1.02.3') == semver('1.2.3')",
       R"cel(Minor number must not contain leading zeroes "02")cel"},
      {"cidr('10.0.0.0/8').containsIP('10.1.1.1') && cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && string(ip('2001:DB8:0:0:1:0:0:1')) == '2001:db8::1:0:0:1'",
       "true"},
      {"ip('::ffff:1.2.3.4') == ip('::1')",
       R"cel(IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed)cel"},
      {"cidr('1.2.3.4') == cidr('::1/2')",
       R"cel(network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("1.2.3.4"): no '/')cel"},
      {"url('https://e.com:8080/a b?x=1&x=3').getQuery()['x'] == ['1','3'] && url('https://e.com:8080/a b').getEscapedPath() == '/a%20b'",
       "true"},
      {"url('a b') == url('x')",
       R"cel(URL parse error during conversion from string: parse "a b": invalid URI for request)cel"},
      {"[3,1,2].sort() == [1,2,3] && [3,1,2].sortBy(x, -x) == [3,2,1] && [[1],[2]].flatten() == [1,2] && lists.range(3).sum() == 3",
       "true"},
      {"[].max() == 1", "max called on empty list"},
      {"[1,2,3].slice(2,5) == []", "cannot slice(2, 5), list is length 3"},
      {"sets.equivalent([1,2],[2,1,1]) && sets.intersects([1,2],[2,3])", "true"},
      {"type(self.a) == int && type(self.d) == google.protobuf.Duration && type(self.o) == map",
       "true"},
      {"timestamp('9999-12-31T23:59:59Z') + duration('1s') == self.t", "timestamp overflow"},
      {"string(timestamp('2020-01-01T00:00:00.120+01:00')) == '2020-01-01T00:00:00.12+01:00'",
       "true"},
      {"self.l.map(x, self.l.map(y, x*y)) == [[1,2,3],[2,4,6],[3,6,9]]", "true"},
      {R"cel(-7 % 4 == -3 && 0x1F == 31 && b'\xff' == b'\377' && r'\d' == '\\d')cel", "true"},
      {"{'a': 1, 'a': 2}['a'] == 2 && {1: 'a'}[dyn(1.0)] == 'a'", "true"},
  };
  for (const Case& c : cases) EXPECT_EQ(verdict(c.text), c.want) << c.text;
}

TEST(Evaluate, SeesWhatAnUpdateReplaces) {
  const Value old = map_of({{"a", Value::int64(5)}});
  EXPECT_EQ(verdict("self.a < oldSelf.a", &old), "true");
  EXPECT_EQ(verdict("oldSelf.hasValue() ? 'old' : 'new'", nullptr, true), "new");
  EXPECT_EQ(verdict("'was %d'.format([oldSelf.value().a])", &old, true), "was 5");
}

TEST(Evaluate, EndsWhenTheBudgetDoes) {
  auto slow = compile("lists.range(1000).all(x, lists.range(1000).all(y, lists.range(1000).all(z, x + y + z >= 0)))", schema());
  ASSERT_TRUE(slow) << slow.error().text();
  const Value self = data();
  Budget budget;
  auto out = evaluate(*slow, {.self = &self}, budget);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code(), Code::kResourceExhausted);
  EXPECT_EQ(out.error().text(), "operation cancelled: actual cost limit exceeded");
  EXPECT_LT(budget.left, Budget().left - kCallLimit + 1);
}

TEST(Fields, AreEscapedAndBack) {
  for (Case c : {Case{"a", "a"}, Case{"a-b", "a__dash__b"}, Case{"a.b/c", "a__dot__b__slash__c"}, Case{"namespace", "__namespace__"},
                 Case{"a__b", "a__underscores__b"}}) {
    EXPECT_EQ(escape_field(c.text), std::string(c.want));
    EXPECT_EQ(unescape_field(c.want), std::string(c.text));
  }
  EXPECT_FALSE(escape_field("1a"));
  EXPECT_FALSE(escape_field("a b"));
  EXPECT_FALSE(unescape_field("a__no__b"));
}

}  // namespace
}  // namespace pintle::cel
