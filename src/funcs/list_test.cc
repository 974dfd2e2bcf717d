#include <gtest/gtest.h>

#include "funcs/testing/render_text.h"

namespace pintle::funcs {
namespace {

TEST(Lists, TakeApart) {
  constexpr Row kRows[] = {
      {"{{ first (list 1 2) }} {{ last (list 1 2) }} {{ rest (list 1 2) }} {{ initial (list 1 2) "
       "}}",
       "1 2 [2] [1]"},
      {"{{ first list }} {{ rest list | toJson }} {{ initial list | toJson }}",
       "<no value> null null"},
      {"{{ slice (list 1 2 3) 1 }} {{ slice (list 1 2 3) 1 2 }} {{ slice list | toJson }}",
       "[2 3] [2] null"},
      {"{{ slice (list 1 2 3) 0 4 }}", "error: reflect.Value.Slice: slice index out of bounds"},
      {"{{ typeOf (slice (until 4) 1) }} {{ typeOf (rest (until 4)) }}", "[]int []interface {}"},
      {"{{ chunk 2 (list 1 2 3) }} {{ chunk 9 (list 1) }} {{ chunk 3 list }}",
       "[[1 2] [3]] [[1]] []"},
      {"{{ chunk 0 (list 1) }}", "error: runtime error: makeslice: len out of range"},
      {"{{ chunk -1 (list 1) }}", "error: runtime error: makeslice: len out of range"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Lists, BuildNewOnes) {
  constexpr Row kRows[] = {
      {"{{ $l := list 1 }}{{ append $l 2 }} {{ push $l nil }} {{ prepend $l 0 }} {{ $l }}",
       "[1 2] [1 <nil>] [0 1] [1]"},
      {"{{ concat (list 1) (until 2) list }} {{ concat | toJson }}", "[1 0 1] null"},
      {"{{ reverse (list 1 2 3) }} {{ compact (list 0 1 \"\" nil false 2) }}", "[3 2 1] [1 2]"},
      {"{{ uniq (list 1 1.0 \"a\" \"a\" 1 nil nil) }}", "[1 1 a <nil>]"},
      {"{{ without (list 1 2 \"2\" 3.0) 2 3 }} {{ has 2 (list 2.0) }} {{ has \"a\" (list \"a\") }}",
       "[1 2 3] false true"},
      {"{{ has 1 nil }}", "false"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Lists, RefuseOtherTypes) {
  constexpr Row kRows[] = {
      {"{{ first 1 }}", "error: Cannot find first on type int"},
      {"{{ mustLast \"s\" }}", "error: Cannot find last on type string"},
      {"{{ append (dict) 1 }}", "error: Cannot push on type map"},
      {"{{ prepend true 1 }}", "error: Cannot prepend on type bool"},
      {"{{ concat (list) 1.5 }}", "error: Cannot concat type float64 as list"},
      {"{{ chunk 1 \"s\" }}", "error: Cannot chunk type string"},
      {"{{ slice 1 }}", "error: list should be type of slice or array but int"},
      {"{{ first nil }}",
       "error: runtime error: invalid memory address or nil pointer dereference"},
      {"{{ concat nil }}",
       "error: runtime error: invalid memory address or nil pointer dereference"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Lists, SortAlphaSortsAStringListInPlace) {
  EXPECT_EQ(render_text(R"({{ $l := splitList "," "c,a,b" }}{{ $s := sortAlpha $l }}{{ $l }})"),
            "[a b c]");
  EXPECT_EQ(render_text(R"({{ $l := list "c" "a" }}{{ $s := sortAlpha $l }}{{ $l }})"), "[c a]");
}

TEST(Lists, DoublingEndsInAnError) {
  EXPECT_EQ(
      render_text("{{ $l := until 1000 }}{{ range until 40 }}{{ $l = concat $l $l }}{{ end }}"),
      "error: result has more than 1048576 elements");
}

}  // namespace
}  // namespace pintle::funcs
