#include "cli/index_parts.h"

#include <gtest/gtest.h>

#include "json/json.h"

namespace pintle::cli {
namespace {

// "name:row,row;..." and then the rest; or the error.
std::string parts(std::string_view text) {
  std::string out;
  const auto rest = read_index_parts(text, {[&](std::string_view chart) {
                                              out.append(chart).append(":");
                                              return ok();
                                            },
                                            [&](const value::Value& row) {
                                              out.append(json::write(row).value()).append(",");
                                              return ok();
                                            }});
  return rest ? out + json::write(*rest).value() : rest.error().text();
}

TEST(IndexParts, RowsComeOneByOne) {
  const struct {
    const char* claim;
    std::string_view text, want;
  } cases[] = {
      {"rows beside their key",
       "apiVersion: v1\nentries:\n  a:\n  - name: a\n    urls:\n    - x\n  - name: b\n  c:\n  - {}\ngenerated: x\n",
       R"(a:{"name":"a","urls":["x"]},{"name":"b"},c:{},{"apiVersion":"v1","generated":"x"})"},
      {"rows deeper than their key", "entries:\n    a:\n      - 1\n      - 2\n    b:\n      - 3\n", "a:1,2,b:3,null"},
      {"blank lines, comments and CRLF",
       "# c\r\nentries:\r\n\r\n  # d\r\n  a: # e\r\n  # f\r\n  - k: 1\r\n\r\n    m: 2\r\n", R"(a:{"k":1,"m":2},null)"},
      {"block texts keep what looks like rows", "entries:\n  a:\n  - d: |\n      - x\n      b:\n    e: 1\n", R"(a:{"d":"- x\nb:\n","e":1},null)"},
      {"charts in flow style", "entries:\n  a: [1, 2]\n  b: []\n  c:\n", "a:1,2,b:c:null"},
      {"nulls are rows", "entries:\n  a:\n  -\n  - 1\n", "a:null,1,null"},
      {"keys quoted", "entries:\n  \"a\":\n  - 1\n", "a:1,null"},
      {"no entries", "apiVersion: v1\n", R"({"apiVersion":"v1"})"},
      {"entries after the rest", "z: 1\nentries:\n  a:\n  - 1", R"(a:1,{"z":1})"},
      {"a chart twice", "entries:\n  a:\n  - 1\n  a:\n  - 2\n", R"(key "a" already set in map)"},
      {"a bad row", "entries:\n  a:\n  - [\n",
       "entry \"a:\": error converting YAML to JSON: yaml: line 1: did not find expected node content"},
  };
  for (const auto& c : cases) EXPECT_EQ(parts(c.text), c.want) << c.claim;
}

TEST(IndexParts, OnePartMayNotBeTooLarge) {
  const std::string much(size_t{5} << 20, 'x');
  EXPECT_EQ(parts("entries: {a: " + much + "}"), "the index is too large, or not of lines as Helm writes it");
  EXPECT_EQ(parts("entries:\n  a:\n  - " + much + "\n"), "entry \"a:\": is too large");
}

}  // namespace
}  // namespace pintle::cli
