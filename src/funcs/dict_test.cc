#include <gtest/gtest.h>

#include "funcs/testing/render_text.h"

namespace pintle::funcs {
namespace {

TEST(Dicts, ReadAndChange) {
  constexpr Row kRows[] = {
      {R"({{ dict "a" 1 "b" }} {{ dict 1 2 nil 3 }} {{ dict "a" 1 "a" 2 }})",
       "map[a:1 b:] map[1:2 <nil>:3] map[a:2]"},
      {R"({{ get .m "a" }} {{ get .m "x" }}|{{ get .m "n" | toJson }} {{ hasKey .m "n" }})",
       "1 |null true", R"({"m":{"a":1,"n":null}})"},
      {R"({{ $d := dict }}{{ $e := set $d "k" 1 }}{{ $d }} {{ unset $e "k" }} {{ $d }})",
       "map[k:1] map[] map[]"},
      {R"({{ keys (dict "b" 1 "a" 2) (dict "c" 3) }} {{ values (dict "b" 1 "a" 2) }})",
       "[a b c] [2 1]"},
      {R"({{ pick .m "a" "x" }} {{ omit .m "a" }} {{ pluck "a" .m (dict) (dict "a" 5) }})",
       "map[a:1] map[b:2] [1 5]", R"({"m":{"a":1,"b":2}})"},
      {R"({{ set nil "a" 1 }})", "error: assignment to entry in nil map"},
      {R"({{ get nil "a" }}|{{ keys nil }} {{ unset nil "a" }})", "|[] map[]"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Dig, StopsAtWhatIsNoMap) {
  constexpr Row kRows[] = {
      {R"({{ dig "a" "b" "no" .m }} {{ dig "a" "x" "no" .m }} {{ dig "n" "no" .m | toJson }})",
       "1 no null", R"({"m":{"a":{"b":1},"n":null}})"},
      {R"({{ dig "a" "b" "no" (dict "a" 1) }})",
       "error: interface conversion: interface {} is int, not map[string]interface {}"},
      {R"({{ dig "a" "b" "no" (dict "a" nil) }})",
       "error: interface conversion: interface {} is nil, not map[string]interface {}"},
      {R"({{ dig 1 "no" (dict) }})",
       "error: interface conversion: interface {} is int, not string"},
      {R"({{ dig "a" (dict) }})", "error: dig needs at least three arguments"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Merge, FillsWhatIsAbsentOrEmpty) {
  constexpr Row kRows[] = {
      {R"({{ merge .d .s | toJson }})", R"({"a":5,"b":1,"c":{"x":1,"y":2},"l":[1]})",
       R"({"d":{"a":0,"b":1,"c":{"x":1}},"s":{"a":5,"b":9,"c":{"x":7,"y":2},"l":[1],"n":null}})"},
      {R"({{ merge (dict "a" "") (dict "a" (dict "x" 1)) | toJson }})", R"({"a":{"x":1}})"},
      {R"({{ merge (dict "a" (list)) (dict "a" (list 1)) | toJson }})", R"({"a":[1]})"},
      {R"({{ $d := dict }}{{ $_ := merge $d (dict "a" 1) }}{{ $d }})", "map[a:1]"},
      {R"({{ merge nil nil | toJson }} {{ merge nil (dict "a" 1) | toJson }})", R"(null {"a":1})"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Merge, OverwriteLetsEmptyValuesWinToo) {
  constexpr Row kRows[] = {
      {R"({{ mergeOverwrite .d .s | toJson }})", R"({"a":0,"b":null,"c":{"x":1},"l":[],"m":3})",
       R"({"d":{"a":1,"b":"x","c":{"x":1},"l":[1],"m":{}},)"
        R"("s":{"a":0,"b":null,"c":{},"l":[],"m":3}})"},
      {R"({{ mustMergeOverwrite (dict "a" 1) (dict "a" 2) (dict "a" 3) }})", "map[a:3]"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Merge, SharesMapsItTakesOver) {
  EXPECT_EQ(
      render_text(
          R"({{ $s := dict "m" (dict) }}{{ $d := merge dict $s }})"
                        R"({{ $_ := set $d.m "k" 1 }}{{ $s }})"),
      "map[m:map[k:1]]");
}

TEST(Merge, OfAMapWithItselfEnds) {
  const MayHoldItself scope;
  EXPECT_EQ(render_text(R"({{ $d := dict "a" 1 }}{{ merge $d $d }} {{ mergeOverwrite $d $d }})"),
            "map[a:1] map[a:1]");
  EXPECT_EQ(
      render_text(
          R"({{ $d := dict "a" 1 }}{{ $e := dict "d" $d }}{{ $_ := set $d "d" $d }})"
                        R"({{ mustMerge $d $e (dict "d" $d) | len }})"),
      "error: maps are nested deeper than 2000 levels");
}

}  // namespace
}  // namespace pintle::funcs
