#include <gtest/gtest.h>

#include "funcs/testing/render_text.h"

namespace pintle::funcs {
namespace {

TEST(Strings, TrimAndLook) {
  constexpr Row kRows[] = {
      {R"({{ trim "\u2003 a b\n" }}|)", "a b|"},
      {R"({{ trimAll "$%" "$%5$" }})", "5"},
      {R"({{ trimSuffix "-" "a--" }} {{ trimPrefix "v" "vv1" }})", "a- v1"},
      {R"({{ contains "b" "abc" }} {{ hasPrefix "b" "abc" }} {{ hasSuffix "" "abc" }})",
       "true false true"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Strings, CutsCountBytesAndFailLikeSlices) {
  constexpr Row kRows[] = {
      {R"({{ substr 1 3 "hello" }} {{ substr -1 2 "hello" }} {{ substr 2 -1 "hello" }})",
       "el he llo"},
      {R"({{ substr 5 1 "hello" }})", "error: runtime error: slice bounds out of range [5:1]"},
      {R"({{ substr 9 -1 "abc" }})", "error: runtime error: slice bounds out of range [9:3]"},
      {R"({{ substr -1 9 "abc" }})",
       "error: runtime error: slice bounds out of range [:9] with length 3"},
      {R"({{ trunc 2 "abc" }} {{ trunc -2 "abc" }} {{ trunc 9 "abc" }} {{ trunc -9 "abc" }})",
       "ab bc abc abc"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Strings, QuotesLeaveNilOut) {
  constexpr Row kRows[] = {
      {R"({{ quote "a\"b" nil 1 (list "x") }})", R"("a\"b" "1" "[x]")"},
      {R"({{ squote "a'b" nil 1.5 }})", "'a'b' '1.5'"},
      {R"({{ quote nil }}|{{ quote "" }}|{{ quote .missing }})", "|\"\"|"},
      {R"({{ cat "a" nil 1 (list 1 "b") true }})", "a 1 [1 b] true"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Strings, JoinAndSplit) {
  constexpr Row kRows[] = {
      {R"({{ join "-" (list 1 nil "b" 2.5) }} {{ join "-" "x" }} {{ join "-" nil }}|)",
       "1-b-2.5 x |"},
      {R"({{ splitList "," "a,,b" | len }} {{ (split "," "a,b")._1 }} {{ split "" "" }})",
       "3 b map[]"},
      {R"({{ splitn "." 2 "a.b.c" }} {{ splitn "." 0 "a" }} {{ splitList "" "h\u00e9" | len }})",
       "map[_0:a _1:b.c] map[] 2"},
      {R"({{ typeOf (split "," "a") }} {{ typeOf (splitList "," "a") }})",
       "map[string]string []string"},
      {R"({{ sortAlpha (list "b" 10 9 "a") }} {{ sortAlpha 5 | typeOf }} {{ toStrings nil }})",
       "[10 9 a b] []string []"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Strings, ReplaceAndRepeat) {
  constexpr Row kRows[] = {
      {R"({{ replace "a" "bb" "banana" }} {{ replace "" "-" "h\u00e9" }} {{ replace "x" "" "y" }})",
       "bbbnbbnbb -h-\u00e9- y"},
      {R"({{ repeat 3 "ab" }}{{ repeat 0 "ab" }})", "ababab"},
      {R"({{ repeat -1 "a" }})", "error: strings: negative Repeat count"},
      {R"({{ plural "one" "many" 1 }} {{ plural "one" "many" 0 }})", "one many"},
      {R"({{ initials "First Try" }} {{ nospace " a b\t" }} {{ hello }})", "FT ab Hello!"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Strings, SizesThatNobodyMeansAreRefusedOrFast) {
  constexpr const char* kTooLarge = "error: result is larger than 16777216 bytes";
  const Row rows[] = {
      {R"({{ repeat 1000000000 "abc" }})", kTooLarge},
      {R"({{ indent 1000000000 "a\nb" }})", kTooLarge},
      {R"({{ nindent 9223372036854775807 "a\nb" }})", kTooLarge},
      {R"({{ replace "a" (repeat 1000000 "b") (repeat 1000000 "a") }})", kTooLarge},
      {R"({{ replace "" (repeat 1000000 "b") (repeat 1000000 "a") }})", kTooLarge},
      {R"({{ join (repeat 1000000 "b") (until 1000) }})", kTooLarge},
      {R"({{ wrapWith 1 (repeat 1000000 "b") (repeat 1000 "a ") }})", kTooLarge},
      {R"({{ len (trimAll (repeat 1000000 "ab") (repeat 1000000 "ba")) }})", "0"},
      {R"({{ contains (print (repeat 500000 "a") "b") (repeat 1000000 "a") }})", "false"},
      {R"({{ replace (print (repeat 100 "a") "b") "-" (print (repeat 101 "a") "bc") }})", "a-c"},
      {R"({{ repeat 9223372036854775807 "abc" }})",
       "error: strings: Repeat output length overflow"},
      {R"({{ splitList "" (repeat 5000000 "a") }})",
       "error: result has more than 1048576 elements"},
  };
  EXPECT_ROWS(rows);
}

TEST(Layout, IndentsEveryLine) {
  constexpr Row kRows[] = {
      {R"({{ indent 2 "a\n\nb\n" }}|)", "  a\n  \n  b\n  |"},
      {R"({{ nindent 1 "a\nb" }}|{{ nindent 0 "" }}|{{ indent 0 "x" }})", "\n a\n b|\n|x"},
      {R"({{ indent -1 "a" }})", "error: strings: negative Repeat count"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Layout, WrapsAndShortens) {
  constexpr Row kRows[] = {
      {R"({{ wrap 5 "aaa bbb cccccccc d" }})", "aaa\nbbb\ncccccccc\nd"},
      {R"({{ wrapWith 5 "|" "aaa bbb cccccccc d" }})", "aaa|bbb|ccccc|ccc d"},
      {R"({{ wrapWith 0 "" "abc" }})", "a\nb\nc"},
      {R"({{ abbrev 5 "hello world" }} {{ abbrev 3 "hello" }} {{ abbrev 50 "hello" }})",
       "he... hello hello"},
      {R"({{ abbrevboth 5 10 "1234 5678 9123" }} {{ abbrevboth 4 10 "1234 5678 9123" }})",
       "...5678... 1234 56..."},
      {R"({{ abbrevboth 20 10 "1234 5678 9123" }} {{ abbrevboth 5 6 "1234 5678" }})",
       "...78 9123 1234 5678"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Case, MapsRunes) {
  constexpr Row kRows[] = {
      {R"({{ upper "stra\u00dfe" }} {{ lower "\u00c4B" }} {{ upper "ABC" }})",
       "STRA\u00dfE \u00e4b ABC"},
      {R"({{ title "don't a/b-c foo_bar a1b" }} {{ untitle "Hello World" }})",
       "Don'T A/B-C Foo_bar A1b hello world"},
      {R"({{ swapcase "This Is a.Test" }})", "tHIS iS A.tEST"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Case, SplitsWordsAsXstrings) {
  constexpr struct {
    const char* in;
    const char* camel;
    const char* snake;
  } kWords[] = {
      {"FirstName", "FirstName", "first_name"},
      {"HTTPServer", "Httpserver", "http_server"},
      {"NoHTTPS", "NoHTTPS", "no_https"},
      {"GO_PATH", "GoPath", "go_path"},
      {"GO PATH", "GoPath", "go_path"},
      {"http2xx", "Http2xx", "http_2xx"},
      {"HTTP20xOK", "Http20xOK", "http_20x_ok"},
      {"Duration2m3s", "Duration2m3s", "duration_2m3s"},
      {"Bld4Floor3rd", "Bld4Floor3rd", "bld4_floor_3rd"},
      {"no--dash", "No-Dash", "no__dash"},
      {"a b  c", "AB C", "a_b__c"},
      {"-", "--", "_"},
      {"", "", ""},
      {"\u4e2d\u6587abc", "\u4e2d\u6587abc", "\u4e2d\u6587_abc"},
  };
  for (const auto& w : kWords) {
    std::string data = std::string("{\"s\":\"") + w.in + "\"}";
    EXPECT_EQ(render_text("{{ camelcase .s }}", data), w.camel) << w.in;
    EXPECT_EQ(render_text("{{ snakecase .s }}", data), w.snake) << w.in;
  }
  EXPECT_EQ(render_text(R"({{ kebabcase "FooBar baz" }})"), "foo-bar-baz");
}

}  // namespace
}  // namespace pintle::funcs
