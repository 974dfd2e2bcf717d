#include "cli/helm3_log.h"

#include <gtest/gtest.h>

#include "sys/testing/fake_clock.h"

namespace pintle::cli {
namespace {

std::string line(std::string_view level, std::string_view message, const LogAttrs& attrs = {}) {
  sys::FakeClock clock;
  return helm3_log_line(level, message, attrs, clock).value_or("(nothing)");
}

TEST(Helm3Log, NamesThePlaceInHelmsSource) {
  EXPECT_EQ(line("INFO", "funcMap fail", {{"message", "no"}}), "engine.go:227: [INFO] Fail: no");
  EXPECT_EQ(line("WARN", "missing required value", {{"message", "need a"}}),
            "engine.go:206: [INFO] Missing required value: need a");
}

TEST(Helm3Log, LeavesItsOwnTextsAlone) {
  EXPECT_EQ(line("INFO", "coalesce.go:286: warning: x"), "coalesce.go:286: warning: x");
}

TEST(Helm3Log, SaysLittleWhenDebugging) {
  EXPECT_EQ(line("DEBUG", "number of dependencies in the chart"), "(nothing)");
  const std::string text = line("DEBUG", "Original chart version", {{"version", ""}});
  EXPECT_TRUE(text.starts_with("install.go:225: ")) << text;
  EXPECT_TRUE(text.ends_with(" [debug] Original chart version: \"\"")) << text;
}

}  // namespace
}  // namespace pintle::cli
