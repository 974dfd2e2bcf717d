#include <gtest/gtest.h>

#include "funcs/testing/render_text.h"

namespace pintle::funcs {
namespace {

TEST(Math, CoercesToInt64) {
  constexpr Row kRows[] = {
      {R"({{ add 1 "2" 3.9 true nil }} {{ add }} {{ typeOf (add 1) }})", "7 0 int64"},
      {R"({{ int "010" }} {{ int "08" }} {{ int "0x1F" }} {{ int "5.00" }} {{ int "3.9" }})",
       "8 0 31 5 0"},
      {R"({{ int64 "1_000" }} {{ int " 5 " }} {{ int (list) }} {{ int -3.9 }} {{ int 1e30 }})",
       "1000 0 0 -3 -9223372036854775808"},
      {R"({{ atoi "08" }} {{ atoi "x" }} {{ atoi "99999999999999999999" }} {{ toDecimal "777" }})",
       "8 0 9223372036854775807 511"},
      {R"({{ float64 "1e3" }} {{ float64 "x" }} {{ float64 "0x1p4" }} {{ float64 "1e999" }})",
       "1000 0 16 0"},
      {"{{ div 7 -2 }} {{ mod -7 2 }} {{ sub 1 5 }} {{ mul 2 3 4 }} {{ max 1 5 3 }} {{ min 4 2 }}",
       "-3 -1 -4 24 5 2"},
      {"{{ div 1 0 }}", "error: runtime error: integer divide by zero"},
      {"{{ mod 1 0 }}", "error: runtime error: integer divide by zero"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Math, WrapsAround) {
  constexpr Row kRows[] = {
      {"{{ add1 9223372036854775807 }}", "-9223372036854775808"},
      {"{{ div -9223372036854775808 -1 }} {{ mod -9223372036854775808 -1 }}",
       "-9223372036854775808 0"},
      {"{{ mul 9223372036854775807 2 }}", "-2"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Math, DecimalsAreExact) {
  constexpr Row kRows[] = {
      {"{{ addf 0.1 0.2 }} {{ subf 0.3 0.1 }} {{ mulf 1.1 1.1 }} {{ divf 10 3 }}",
       "0.3 0.2 1.21 3.3333333333333335"},
      {"{{ addf }} {{ add1f 0.1 }} {{ divf 1 3 3 }} {{ mulf -1 0 }} {{ divf -2 3 }}",
       "0 1.1 0.1111111111111111 0 -0.6666666666666667"},
      {"{{ addf 1e300 1e-300 }} {{ mulf 1e300 1e300 }} {{ divf 1e-300 1e300 }}", "1e+300 +Inf 0"},
      {"{{ divf 1 0 }}", "error: decimal division by 0"},
      {R"({{ addf (float64 "nan") }})", "error: Cannot create a Decimal from NaN"},
      {R"({{ addf (float64 "-inf") }})", "error: Cannot create a Decimal from -Inf"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Math, RoundsAtAnyPlace) {
  constexpr Row kRows[] = {
      {"{{ round 123.5555 3 }} {{ round -123.5555 3 }} {{ round 2.5 0 }} {{ round 123.4 3 0.1 }}",
       "123.556 -123.556 3 123.4"},
      {"{{ round -2.5 -1 }} {{ round 15 -1 }} {{ floor -1.5 }} {{ ceil 1.2 }} {{ floor \"x\" }}",
       "-10 20 -2 2 0"},
      {"{{ maxf 1.5 3 }} {{ minf 1.5 3 }} {{ maxf 1 (float64 \"nan\") }}", "3 1.5 NaN"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Math, CountsAsTheShell) {
  constexpr Row kRows[] = {
      {"{{ until 3 }} {{ until -3 }} {{ until 0 }} {{ typeOf (until 1) }}",
       "[0 1 2] [0 -1 -2] [] []int"},
      {"{{ untilStep 3 9 3 }} {{ untilStep 9 3 -4 }} {{ untilStep 1 5 -1 }} {{ untilStep 1 5 0 }}",
       "[3 6] [9 5] [] []"},
      {"{{ seq 3 }}|{{ seq -1 }}|{{ seq 2 5 }}|{{ seq 5 2 }}|{{ seq 0 2 6 }}|{{ seq 6 -2 0 }}",
       "1 2 3|1 0 -1|2 3 4 5|5 4 3 2|0 2 4 6|6 4 2 0"},
      {"{{ seq }}|{{ seq 5 1 2 }}|{{ seq 1 2 3 4 }}|{{ seq 0 0 5 }}", "|||"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Math, RangesHaveABound) {
  constexpr const char* kTooMany = "error: result has more than 1048576 elements";
  const Row rows[] = {
      {"{{ until 1000000000 }}", kTooMany},
      {"{{ untilStep 0 -9223372036854775808 -1 }}", kTooMany},
      {"{{ seq 1000000000 }}", kTooMany},
      {"{{ untilStep -9223372036854775808 9223372036854775807 9223372036854775807 }}",
       "[-9223372036854775808 -1 9223372036854775806]"},
  };
  EXPECT_ROWS(rows);
}

}  // namespace
}  // namespace pintle::funcs
