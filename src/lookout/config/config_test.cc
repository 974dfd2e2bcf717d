#include "lookout/config/config.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "lookout/config/section.h"
#include "sys/memory_disk.h"

namespace pintle::lookout {
namespace {

TEST(Config, TheExampleIsGood) {
  const auto c = parse_config(example_config(), "/etc/lookout.toml");
  ASSERT_TRUE(c.has_value()) << c.error().text();
  ASSERT_EQ(c->regions.size(), 1u);
  EXPECT_EQ(c->regions[0].kubeconfig, "/etc/eu-1.kubeconfig");
  EXPECT_EQ(c->database, "sqlite:/etc/lookout.db");
  EXPECT_EQ(c->secret_key_file, "/etc/lookout.key");
  ASSERT_EQ(c->subscriptions.size(), 1u);
  EXPECT_EQ(c->subscriptions[0].sink_public, R"({"url":"https://hooks.example.com/deployments"})");
  EXPECT_EQ(c->tracker.stuck_ms, 600'000);
  ASSERT_EQ(c->cleaning.size(), 2u);
  EXPECT_EQ(c->cleaning[0].keep_ms, int64_t{14} * 86'400'000);
  EXPECT_EQ(c->rules.size(), Rules::defaults().size() + 1);
  EXPECT_EQ(c->rules.front().name, "certificate-issued");
  EXPECT_TRUE(c->rules.back().off) << "a default rule changed where it stands";
}

TEST(Config, AnEmptyOneIsGood) {
  const auto c = parse_config("", "x");
  ASSERT_TRUE(c.has_value()) << c.error().text();
  EXPECT_EQ(c->listen, "127.0.0.1:8090");
}

TEST(Config, RefusesWhatIsWrongAndSaysWhere) {
  struct Case {
    const char *toml, *error;
  };
  const Case cases[] = {
      {"lisen = \"x\"\n", "f.toml:1: lisen: unknown key"},
      {"\n\nlisten = 7\n", "f.toml:3: listen: want a text"},
      {"listen = \"8090\"\n", "f.toml:1: listen: want HOST:PORT"},
      {"listen = \"0.0.0.0:80\"\n",
       "f.toml:1: listen: other machines reach this address: there must be [[tokens]]"},
      {"raw_events = \"yes\"\n", "f.toml:1: raw_events: want true or false"},
      {"stuck_after = \"10 minutes\"\n",
       "f.toml:1: stuck_after: want a duration, as \"90s\", \"1h30m\" or \"14d\""},
      {"stuck_after = 10\n",
       "f.toml:1: stuck_after: want a duration, as \"90s\", \"1h30m\" or \"14d\""},
      {"[[regions]]\nname = \"a\"\n",
       "f.toml:1: regions[0].kubeconfig: want a file, or \"in-cluster\" for the pod's own account"},
      {"[[regions]]\nname = \"a/b\"\nkubeconfig = \"k\"\n",
       "f.toml:2: regions[0].name: want letters, digits, '-', '_' and '.'"},
      {"[[regions]]\nname = \"a\"\nkubeconfig = \"k\"\n[[regions]]\nname = "
       "\"a\"\nkubeconfig=\"k\"\n",
       "f.toml: regions: there are two named \"a\""},
      {"[[regions]]\nname = \"a\"\nkubeconfig = \"k\"\n\n[[regions]]\nname = \"b\"\ncontxt = "
       "\"\"\n",
       "f.toml:7: regions[1].contxt: unknown key"},
      {"[regions]\nname = \"a\"\n", "f.toml:1: regions: want tables: [[regions]]"},
      {"[[subscriptions]]\nname = \"a\"\ntypes = [\"realease.*\"]\nsink = \"stdout\"\n",
       "f.toml:3: subscriptions[0].types: no event is of type \"realease.*\""},
      {"[[subscriptions]]\nname = \"a\"\norder_by = \"time\"\nsink = \"stdout\"\n",
       "f.toml:3: subscriptions[0].order_by: want \"subject\", \"release\", \"region\" or "
       "\"subscription\""},
      {"[[tokens]]\nname = \"a\"\nsha256 = \"abc\"\nrole = \"read\"\n",
       "f.toml:3: tokens[0].sha256: want the token's SHA-256 in 64 lower-case hex digits"},
      {"[[cleaning]]\ntype = \"*\"\n",
       "f.toml:1: cleaning[0].keep: want how long they are kept, as \"14d\""},
      {"[share]\n", "f.toml:1: share.namespace: want where the Leases are"},
      {"database = \"sqlite:x\"\n[share]\nnamespace = \"a\"\n",
       "f.toml:1: database: a file is one lookout's; [share] wants a \"postgresql:\""},
      {"[guard]\nports = [0]\n", "f.toml:2: guard.ports: want a list of numbers from 1 to 65535"},
      {"[[rules]]\nname = \"r\"\ntype = \"t\"\nmessages = [\"(\"]\n",
       "f.toml: rule \"r\": messages: \"(\": missing ): ("},
      {"[[cleaning]]\ntype = \"no.such\"\nkeep = \"1d\"\n",
       "f.toml:2: cleaning[0].type: no event is of type \"no.such\""},
      {"[[cleaning]]\ntype = \"*\"\nkeep = \"-1d\"\n",
       "f.toml:3: cleaning[0].keep: want a duration, as \"90s\", \"1h30m\" or \"14d\""},
      {"[[regions]]\nname = \"a\"\nkubeconfig = \"k\"\nnamespaces = \"x\"\n",
       "f.toml:4: regions[0].namespaces: want a list of texts"},
      {"[[regions]]\nname = \"..\"\nkubeconfig = \"k\"\n",
       "f.toml:2: regions[0].name: want letters"},
      {"regions = [1]\n", "f.toml:1: regions: want tables: [[regions]]"},
      {"[[subscriptions]]\nname = \"a\"\nsink = \"stdout\"\nlabels = [\"x\"]\n",
       "f.toml:4: subscriptions[0].labels: want a table of texts"},
      {"[[subscriptions]]\nname = \"a\"\nsink = \"stdout\"\nlabels = {a = 1}\n",
       "f.toml:4: subscriptions[0].labels: want a table of texts"},
      {"[[subscriptions]]\nname = \"a\"\nsink = \"stdout\"\noptions = 7\n",
       "f.toml:4: subscriptions[0].options: want a table"},
      {"[[subscriptions]]\nname = \"a\"\nsink = \"stdout\"\nmin_severity = \"loud\"\n",
       "f.toml:4: subscriptions[0].min_severity: want \"info\", \"warning\" or \"error\""},
      {"[[subscriptions]]\nname = \"a\"\nsink = \"pigeon\"\n",
       "f.toml:3: subscriptions[0].sink: want one of: dingtalk, email, "},
      {"[[subscriptions]]\nname = \"a\"\nsink = \"webhook\"\n[subscriptions.options]\nurl = "
       "\"ftp://x\"\n",
       "f.toml:4: subscriptions[0].options: url: the scheme \"ftp\" is not https"},
      {"[[subscriptions]]\nname = \"a\"\nsink = \"stdout\"\n[subscriptions.options]\ntemplate = "
       "\"{{ .x\"\n",
       "f.toml:4: subscriptions[0].options: template: "},
      {"[[tokens]]\nname = \"a\"\nsha256 = "
       "\"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"\nrole = \"root\"\n",
       "f.toml:4: tokens[0].role: want \"read\", \"operate\" or \"admin\""},
      {"[guard]\nports = \"443\"\n",
       "f.toml:2: guard.ports: want a list of numbers from 1 to 65535"},
      {"[guard]\nallow = [443]\n", "f.toml:2: guard.allow: want a list of texts"},
      {"guard = 1\n", "f.toml:1: guard: want a table"},
      {"[[rules]]\nname = \"r\"\ntype = \"t\"\nmin_count = -1\n",
       "f.toml:4: rules[0].min_count: want a number from 0 to 1000000000"},
      {"[[rules]]\nname = \"r\"\ntype = \"t\"\nmin_count = 1.5\n",
       "f.toml:4: rules[0].min_count: want a number from 0 to 1000000000"},
      {"[[rules]]\nname = \"r\"\ntype = \"t\"\nanchored = \"no\"\n",
       "f.toml:4: rules[0].anchored: want true or false"},
      {"[[rules]]\ntype = \"t\"\n", "f.toml:1: rules[0].name: a rule must have a name"},
      {"[[rules]]\nname = \"r\"\ntype = \"t\"\ndedup = \"{nonsense}\"\n",
       "f.toml: rule \"r\": dedup: "},
      {"stuck_after = 1979-05-27T07:32:00Z\n", "f.toml:1: stuck_after: want a duration"},
      {"listen = \"x\"\nlisten = \"y\"\n", "f.toml: toml: line 2"},
      {"\xff\xfe = 1\n", "f.toml: toml: "},
      {"a = \n", "f.toml: toml: line 1"},
  };
  for (const Case& c : cases) {
    const auto config = parse_config(c.toml, "f.toml");
    ASSERT_FALSE(config.has_value()) << c.toml;
    EXPECT_TRUE(config.error().text().starts_with(c.error)) << config.error().text();
  }
}

TEST(Config, ReadsSecretsFromTheirFiles) {
  sys::MemoryDisk disk;
  ASSERT_TRUE(disk.make_dirs("/etc"));
  ASSERT_TRUE(disk.write_file("/etc/c.toml",
                              "[[subscriptions]]\nname = \"s\"\nsink = \"webhook\"\n"
                              "secret_file = \"s.secret\"\n"
                              "[subscriptions.options]\nurl = \"https://hooks.example.com/x\"\n",
                              0600));
  EXPECT_FALSE(load_config("/etc/c.toml", disk).has_value());
  const std::string secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8G";
  ASSERT_TRUE(disk.write_file("/etc/s.secret", secret + "\n", 0600));
  const auto c = load_config("/etc/c.toml", disk);
  ASSERT_TRUE(c.has_value()) << c.error().text();
  EXPECT_EQ(c->subscriptions.at(0).secret, secret);
}

TEST(Duration, ReadsUnitsAndNothingElse) {
  struct Case {
    const char* text;
    int64_t ms;
  };
  for (const Case& c : {Case{"0", 0},
                        {"90s", 90'000},
                        {"1h30m", 5'400'000},
                        {"14d", 1'209'600'000},
                        {"300ms", 300},
                        {"", -1},
                        {"5", -1},
                        {"-5s", -1},
                        {"5 s", -1},
                        {"1.5h", -1},
                        {"9999999999999999999d", -1},
                        {"200000000000d", -1}}) {
    EXPECT_EQ(duration_ms(c.text).value_or(-1), c.ms) << c.text;
  }
}

}  // namespace
}  // namespace pintle::lookout
