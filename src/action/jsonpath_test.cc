#include "action/jsonpath.h"

#include <gtest/gtest.h>

#include "yaml/yaml.h"

namespace pintle::action {
namespace {

std::string eval(std::string_view path) {
  const auto data = yaml::read(
      "a: {b: x, m: 1.5, z: null}\nlist: [1, 2, 3, 4]\n"
      "people: [{name: ann, age: 30}, {name: bob, age: 40, tags: [t]}]\n");
  const auto parsed = JsonPath::parse(path);
  if (!parsed) return "parse: " + parsed.error().text();
  std::string out;
  const Status printed = parsed->print(*data, out);
  return printed ? out : "error: " + printed.error().text();
}

TEST(JsonPath, EvaluatesAsKubectl) {
  const std::pair<const char*, const char*> rows[] = {
      {"plain", "plain"},
      {"{.a.b}", "x"},
      {"{$.a.b}{\"\\n\"}{.a.m}", "x\n1.5"},
      {"{.a}", "{\"b\":\"x\",\"m\":1.5,\"z\":null}"},
      {"{.a.z}", "null"},
      {"{['a']['b']}", "x"},
      {"{.list[0]}", "1"},
      {"{.list[-1]}", "4"},
      {"{.list[1:3]}", "2 3"},
      {"{.list[::2]}", "1 3"},
      {"{.list[*]}", "1 2 3 4"},
      {"{.list[0,2]}", "1 3"},
      {"{.people[*].name}", "ann bob"},
      {"{..name}", "ann bob"},
      {"{.people[?(@.name==\"bob\")].age}", "40"},
      {"{.people[?(@.tags)].name}", "bob"},
      {"{.people[?(@.age>35.0)].name}", "bob"},
      {"{range .people[*]}{.name}={.age};{end}", "ann=30;bob=40;"},
      {"{range .people[*]}[{range .tags}{@}{end}]{end}!", "error: tags is not found"},
      {"{.none}", "error: none is not found"},
      {"{.list[9]}", "error: array index out of bounds: index 9, length 4"},
      {"{.a[0]}", "error: map[string]interface {} is not array or slice"},
      {"{.people[?(@.age>35)].name}", "error: incompatible types for comparison"},
      {"{end}", "error: not in range, nothing to end"},
      {"{foo}", "error: unrecognized identifier foo"},
      {"{.a", "parse: unclosed action"},
      {"{.list[x]}", "parse: invalid array index x"},
      {"{.list[1}", "parse: unterminated array"},
      {"{%}", "parse: unrecognized character in action: U+0025 '%'"},
      {"{\"x}", "parse: unterminated quoted string"},
  };
  for (const auto& [path, want] : rows) EXPECT_EQ(eval(path), want) << path;
}

}  // namespace
}  // namespace pintle::action
