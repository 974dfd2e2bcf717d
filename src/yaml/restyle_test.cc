#include "yaml/restyle.h"

#include <gtest/gtest.h>

namespace pintle::yaml {
namespace {

struct Row {
  const char* claim;
  const char* text;
  const char* want;  // "": nothing
};

// What kyaml (kio.ParseAll, kio.StringAll) prints for the same text.
constexpr Row kRows[] = {
    {"keeps the order of keys", "b: 1\na: 2\n", "b: 1\na: 2\n"},
    {"indents by two, items at their key", "a:\n    b:\n        - x\n        - y\n",
     "a:\n  b:\n  - x\n  - y\n"},
    {"keeps styles", "a: 'x'\nb: \"y\"\nc: {d: e,f: [1,2]}\n",
     "a: 'x'\nb: \"y\"\nc: {d: e, f: [1, 2]}\n"},
    {"keeps comments of a line", "a: 1   # one\nb:  # two\n  c: 3\n", "a: 1 # one\nb: # two\n  c: 3\n"},
    {"moves comments with what follows them", "a:\n    # of b\n    b: 1\n# of c\nc: 2\n",
     "a:\n  # of b\n  b: 1\n# of c\nc: 2\n"},
    {"drops blank lines", "a: 1\n\n\nb: 2\n", "a: 1\nb: 2\n"},
    {"indents literals anew", "a:\n    b: |-\n        x\n          y\n", "a:\n  b: |-\n    x\n      y\n"},
    {"writes literals with blanks at line ends in quotes", "a: |\n  x \n  y\n", "a: \"x \\ny\\n\"\n"},
    {"keeps lists of maps and of lists", "- - a\n  - b\n-   c: 1\n    d: 2\n",
     "- - a\n  - b\n- c: 1\n  d: 2\n"},
    {"moves a value up to its key", "a:\n  {}\nb:\n  - x\n", "a: {}\nb:\n- x\n"},
    {"keeps anchors and merges", "a: &x\n  b: 1\nc:\n  <<: *x\n", "a: &x\n  b: 1\nc:\n  !!merge <<: *x\n"},
    {"does not know explicit keys", "? a\n: b\n", ""},
    {"does not know a text alone", "just text\n", ""},
    {"does not know broken YAML", "a: [1\n", ""},
    {"has nothing to say of comments alone", "# only\n", ""},
};

TEST(Restyle, PrintsAsKyaml) {
  for (const Row& row : kRows) {
    EXPECT_EQ(restyle(row.text).value_or(""), row.want) << row.claim;
  }
}

}  // namespace
}  // namespace pintle::yaml
