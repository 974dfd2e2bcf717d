#include <gtest/gtest.h>

#include "funcs/testing/render_text.h"

namespace pintle::funcs {
namespace {

TEST(Paths, AreSlashPaths) {
  constexpr Row kRows[] = {
      {R"({{ base "a/b.c" }} {{ dir "a/b" }} {{ clean "a/../b//c" }} {{ ext "x.tar.gz" }})",
       "b.c a b/c .gz"},
      {R"({{ base "" }} {{ dir "" }} {{ clean "" }} {{ isAbs "/a" }} {{ osIsAbs "a" }})",
       ". . . true false"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Urls, ParseAndJoin) {
  constexpr Row kRows[] = {
      {R"({{ urlParse "http://u:p@h:80/p%20q?x=1#f" }})",
       "map[fragment:f host:h:80 hostname:h opaque: path:/p q query:x=1 scheme:http userinfo:u:p]"},
      {R"({{ urlParse "http://h:x" }})",
       R"(error: unable to parse url: parse "http://h:x": invalid port ":x" after host)"},
      {R"({{ urlJoin (dict "scheme" "http" "host" "h" "path" "a b" "query" "q=1" )"
       R"("fragment" "f" "userinfo" "u:p") }})",
       "http://u:p@h/a%20b?q=1#f"},
      {R"({{ urlJoin (dict "host" 1) }})",
       "error: unable to parse host key, must be of type string, but int found"},
      {R"({{ urlJoin dict }}|)", "|"},
  };
  EXPECT_ROWS(kRows);
}

}  // namespace
}  // namespace pintle::funcs
