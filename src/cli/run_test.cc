#include "cli/run.h"

#include <gtest/gtest.h>

#include "sys/memory_disk.h"
#include "sys/testing/fake_clock.h"
#include "sys/testing/fake_environ.h"

namespace pintle::cli {
namespace {

class Text : public Sink {
 public:
  void write(std::string_view t) override { text += t; }
  std::string text;
};

// One run of the program in a world of its own.
struct World {
  Text out, err, log;
  sys::MemoryDisk disk;
  sys::FakeClock clock;
  sys::FakeEnviron environ;
  std::string program = "helm";
  bool helm3 = false;

  World() { environ.vars["HOME"] = "/home/u"; }
  int run(std::vector<std::string> args) {
    Env env{.program = program,
            .out = out,
            .err = err,
            .log = log,
            .disk = disk,
            .clock = clock,
            .environ = environ,
            .build = helm3 ? Build::helm3_22() : Build::helm4()};
    return cli::run(env, args);
  }
};

TEST(Run, PrintsTheVersionOfTheHelmItStandsInFor) {
  World w;
  EXPECT_EQ(w.run({"version", "--short"}), 0);
  EXPECT_EQ(w.out.text, "v4.3.1\n");
  EXPECT_EQ(w.err.text, "");
}

TEST(Run, Helm3IsOneSwitch) {
  World w;
  w.helm3 = true;
  EXPECT_EQ(w.run({"version", "-c", "--short"}), 0);
  EXPECT_EQ(w.out.text, "v3.22.0\n");
}

TEST(Run, AnUnknownCommandSuggestsCloseOnes) {
  World w;
  EXPECT_EQ(w.run({"s"}), 1);
  EXPECT_EQ(w.out.text, "");
  EXPECT_EQ(w.err.text,
            "Error: unknown command \"s\" for \"helm\"\n\nDid you mean this?\n\tshow\n\tsearch\n"
            "\tstatus\n\nRun 'helm --help' for usage.\n");
}

TEST(Run, AGroupShowsItsHelpWhateverFollows) {
  World w;
  EXPECT_EQ(w.run({"repo", "nonsense"}), 0);
  EXPECT_NE(w.out.text.find("Usage:\n  helm repo [command]\n"), std::string::npos);
}

TEST(Run, WrongNumbersOfArgumentsShowTheUseLine) {
  World w;
  EXPECT_EQ(w.run({"template"}), 1);
  EXPECT_EQ(w.err.text,
            "Error: \"helm template\" requires at least 1 argument\n\n"
            "Usage:  helm template [NAME] [CHART] [flags]\n");
}

TEST(Run, HelpIsPrintedOnStdoutAndBadColorsStopEverything) {
  World help;
  EXPECT_EQ(help.run({"help", "repo", "add"}), 0);
  EXPECT_EQ(help.out.text.substr(0, 22), "add a chart repository");
  World bad;
  EXPECT_EQ(bad.run({"--color=pink", "version"}), 1);
  EXPECT_EQ(bad.log.text,
            "level=WARN msg=\"command failed\" error=\"invalid color mode \\\"pink\\\": must be "
            "one of: never, auto, always\"\n");
}

TEST(Run, EnvironmentAndFlagsGiveTheSettings) {
  World w;
  w.environ.vars["HELM_NAMESPACE"] = "from-env";
  EXPECT_EQ(w.run({"env", "HELM_NAMESPACE"}), 0);
  EXPECT_EQ(w.run({"env", "HELM_NAMESPACE", "-n", "flag"}), 0);
  EXPECT_EQ(w.run({"env", "HELM_CACHE_HOME"}), 0);
  EXPECT_EQ(w.out.text, "from-env\nflag\n/home/u/.cache/helm\n");
}

TEST(Run, TheKubeconfigNamesTheNamespace) {
  World w;
  w.disk.add("/home/u/.kube/config",
             "current-context: a\n"
             "contexts:\n- name: a\n  context: {cluster: c, namespace: team}\n"
             "clusters:\n- name: c\n  cluster: {server: 'https://x'}\n");
  EXPECT_EQ(w.run({"env", "HELM_NAMESPACE"}), 0);
  EXPECT_EQ(w.out.text, "team\n");
}

TEST(Run, AClusterThatIsNotThereIsUnreachable) {
  World w;
  EXPECT_EQ(w.run({"list", "--kube-apiserver", "http://127.0.0.1:1"}), 1);
  EXPECT_EQ(w.err.text,
            "Error: kubernetes cluster unreachable: Get \"http://127.0.0.1:1/version\": dial tcp "
            "127.0.0.1:1: connect: connection refused\n");
}

TEST(Run, CompletionScriptsHookARenamedBinary) {
  World w;
  w.program = "/usr/bin/pintle";
  EXPECT_EQ(w.run({"completion", "zsh"}), 0);
  EXPECT_TRUE(w.out.text.ends_with("compdef _helm pintle\ncompdef _helm helm"));
}

std::string completed(std::vector<std::string> args) {
  World w;
  args.insert(args.begin(), "__complete");
  EXPECT_EQ(w.run(args), 0);
  return w.out.text;
}

TEST(Complete, NamesCommandsFlagsAndValues) {
  EXPECT_EQ(completed({"ver"}),
            "verify\tverify that a chart at the given path has been signed and is valid\n"
            "version\tprint the helm version information\n:4\n");
  EXPECT_EQ(completed({"version", "--sh"}), "--short\tprint the version number\n:4\n");
  EXPECT_EQ(completed({"list", "--color", "auto"}), "never\nauto\nalways\n:4\n");
  EXPECT_EQ(completed({"list", "-o="}),
            "json\tOutput result in JSON format\ntable\tOutput result in human-readable format\n"
            "yaml\tOutput result in YAML format\n:4\n");
}

TEST(Complete, SaysWhenNothingMoreIsExpected) {
  const std::string kNoMore =
      "_activeHelp_ This command does not take any more arguments (but may accept flags).\n:4\n";
  EXPECT_EQ(completed({"version", ""}), kNoMore);
  EXPECT_EQ(completed({"create", "x", ""}), kNoMore);
}

TEST(Complete, AfterTwoDashesThereAreNoFlags) {
  EXPECT_EQ(completed({"lint", "--", "--str"}), ":0\n");
}

TEST(Complete, AFlagExcludedByAnotherIsNotOffered) {
  EXPECT_EQ(completed({"upgrade", "--force-replace", "--force-c"}), ":4\n");
}

TEST(Plugins, ACliPluginIsACommandAndOthersAreNot) {
  World w;
  w.environ.vars["HELM_PLUGINS"] = "/p";
  w.disk.add("/p/a/plugin.yaml", "name: hello\nversion: 1.0.0\nusage: greets\ncommand: echo\n");
  w.disk.add("/p/b/plugin.yaml", "name: bad name\n");
  EXPECT_EQ(w.run({"help", "hello"}), 0);
  EXPECT_EQ(w.out.text.substr(0, 7), "greets\n");
  EXPECT_NE(w.log.text.find("failed to load plugin (ignoring)"), std::string::npos);
}

}  // namespace
}  // namespace pintle::cli
