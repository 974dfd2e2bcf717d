#include "sys/process.h"

#include <gtest/gtest.h>

#include "sys/dynlib.h"
#include "sys/environ.h"
#include "sys/testing/fake_environ.h"

namespace pintle::sys {
namespace {

Command shell(std::string script) {
  Command c;
  c.argv = {"sh", "-c", std::move(script)};
  return c;
}

TEST(Process, CollectsOutputAndExitCode) {
  Command c = shell("cat; echo err >&2; echo $X; exit 3");
  c.input = "in\n";
  c.environ.emplace().emplace_back("X", "y");
  const Finished f = run(c).value();
  EXPECT_EQ(f.out, "in\ny\n");
  EXPECT_EQ(f.err, "err\n");
  EXPECT_EQ(f.exit_code, 3);
}

TEST(Process, InputNobodyReadsIsNoTrouble) {
  Command c = shell("exit 0");
  c.input = std::string(4 << 20, 'x');
  EXPECT_EQ(run(c)->exit_code, 0);
}

TEST(Process, TimeoutKillsTheWholeGroup) {
  Command c = shell("sleep 30 & sleep 30; echo no");
  c.timeout_ms = 50;
  const Finished f = run(c).value();
  EXPECT_TRUE(f.timed_out);
  EXPECT_EQ(f.exit_code, 128 + 9);
  EXPECT_EQ(f.out, "");
}

TEST(Process, EndlessOutputIsCut) {
  Command c = shell("yes");
  c.max_output = 1000000;
  const Finished f = run(c).value();
  EXPECT_TRUE(f.too_much);
  EXPECT_LE(f.out.size(), 1000000u);
}

TEST(Process, MissingProgramsGiveGosTexts) {
  Command c;
  c.argv = {"no-such-program"};
  EXPECT_EQ(run(c).error().text(), "exec: \"no-such-program\": executable file not found in $PATH");
  c.argv = {"/no/such"};
  EXPECT_EQ(run(c).error().text(), "fork/exec /no/such: no such file or directory");
}

TEST(Environ, RealAndFake) {
  EXPECT_TRUE(real_environ().find("PATH").has_value());
  EXPECT_FALSE(real_environ().all().empty());
  FakeEnviron fake;
  fake.vars["HOME"] = "/h";
  EXPECT_EQ(home_dir(fake), "/h");
  EXPECT_EQ(fake.get("NONE"), "");
}

TEST(DynLib, OpensTheFirstThatIsThere) {
  const auto lib = DynLib::open({"libnone.so.9", "libc.so.6"});
  ASSERT_TRUE(lib.has_value());
  EXPECT_NE(lib->symbol("strlen"), nullptr);
  EXPECT_EQ(lib->symbol("no_such_symbol"), nullptr);
  EXPECT_FALSE(DynLib::open({"libnone.so.9"}).has_value());
}

}  // namespace
}  // namespace pintle::sys
