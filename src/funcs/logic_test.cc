#include <gtest/gtest.h>

#include "funcs/testing/render_text.h"

namespace pintle::funcs {
namespace {

TEST(Defaults, TakeEmptyForAbsent) {
  constexpr Row kRows[] = {
      {R"({{ default "d" .x }} {{ default "d" 0 }} {{ default "d" false }} )"
       R"({{ "v" | default "d" }})",
       "d d d v"},
      {R"({{ default "d" }} {{ default "d" "" "v" }} {{ coalesce 0 "" nil "x" }} {{ coalesce }})",
       "d d x <no value>"},
      {R"({{ empty (list) }} {{ empty (dict "a" 1) }} {{ empty "" }} {{ empty 0.0 }})",
       "true false true true"},
      {R"({{ all 1 "a" }} {{ all 1 0 }} {{ all }} {{ any 0 1 }} {{ any }})",
       "true false true true false"},
      {R"({{ ternary "y" "n" true }} {{ false | ternary "y" "n" }})", "y n"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Types, AreGos) {
  constexpr Row kRows[] = {
      {R"({{ typeOf 1 }} {{ typeOf .f }} {{ typeOf nil }} {{ typeOf (list) }} {{ typeOf (dict) }})",
       "int float64 <nil> []interface {} map[string]interface {}", R"({"f":1})"},
      {R"({{ kindOf nil }} {{ kindOf (list) }} {{ kindOf (dict) }} {{ kindIs "string" "" }})",
       "invalid slice map true"},
      {R"({{ typeIs "int" 1 }} {{ typeIs "int" 1.5 }} )"
       R"({{ typeIsLike "semver.Version" (semver "1.2.3") }})",
       "true false true"},
      {R"({{ deepEqual 1 1.0 }} {{ deepEqual (list 1) (list 1) }} )"
       R"({{ deepEqual (list) (rest list) }})",
       "false true false"},
  };
  EXPECT_ROWS(kRows);
}

TEST(DeepCopy, SeparatesAndKeepsWithinBounds) {
  const MayHoldItself scope;
  constexpr Row kRows[] = {
      {R"({{ $a := dict "m" (dict "x" 1) }}{{ $b := deepCopy $a }})"
       R"({{ $_ := set $b.m "x" 2 }}{{ $a }})",
       "map[m:map[x:1]]"},
      {"{{ deepCopy nil }}", "error: reflect: call of reflect.Value.Type on zero Value"},
      {R"({{ $d := dict }}{{ $_ := set $d "self" $d }}{{ deepCopy $d }})",
       "error: value is too deep or has more than 262144 elements"},
      {R"({{ $l := list 1 }}{{ range until 60 }}{{ $l = list $l $l }}{{ end }}{{ deepCopy $l }})",
       "error: value is too deep or has more than 262144 elements"},
  };
  EXPECT_ROWS(kRows);
}

}  // namespace
}  // namespace pintle::funcs
