#include "lookout/config/config.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "lookout/config/section.h"
#include "lookout/fields.h"
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
  EXPECT_EQ(c->subscriptions[0].options, R"({"url":"https://hooks.example.com/deployments"})");
  EXPECT_EQ(c->tracker.stuck_ms, 600'000);
  ASSERT_EQ(c->cleaning.size(), 2u);
  EXPECT_EQ(c->cleaning[0].keep_ms, int64_t{14} * 86'400'000);
  EXPECT_EQ(c->cleaning[0].name, "kubernetes.event");
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
       "f.toml:5: regions[1].name: there are two named \"a\""},
      {"[[regions]]\nname = \"a\"\nkubeconfig = \"k\"\n\n[[regions]]\nname = \"b\"\nkubeconfig = \"k\"\ncontxt = "
       "\"\"\n",
       "f.toml:8: regions[1].contxt: unknown key"},
      {"[regions]\nname = \"a\"\n", "f.toml:1: regions: want tables: [[regions]]"},
      {"[[subscriptions]]\nname = \"a\"\ntypes = [\"realease.*\"]\nsink = \"stdout\"\n",
       "f.toml:3: subscriptions[0].types: no event is of type \"realease.*\""},
      {"[[subscriptions]]\nname = \"a\"\norder_by = \"time\"\nsink = \"stdout\"\n",
       "f.toml:3: subscriptions[0].order_by: want \"subject\", \"release\", \"region\" or "
       "\"subscription\""},
      {"[[tokens]]\nname = \"a\"\nsha256 = \"abc\"\nrole = \"read\"\n",
       "f.toml:3: tokens[0].sha256: want the token's SHA-256 in 64 lower-case hex digits"},
      {"[[cleaning]]\ntype = \"*\"\n",
       "f.toml:1: cleaning[0].keep: want how long they are kept, as \"14d\"; or keep_rows"},
      {"[[cleaning]]\ntype = \"*\"\nkeep = \"1d\"\nkeep_rows = 0\n",
       "f.toml:4: cleaning[0].keep_rows: want a number from 1 to 1000000000"},
      {"[[cleaning]]\ntype = \"gap\"\nkeep = \"1d\"\nkinds = [\"Pod\"]\n",
       "f.toml:4: cleaning[0].kinds: events have them only"},
      {"[[cleaning]]\ntype = \"*\"\nkeep = \"1d\"\narchive = true\n",
       "f.toml:4: cleaning[0].archive: the configuration's file has no archive = \"FOLDER\""},
      {"[[cleaning]]\nname = \"a b\"\ntype = \"*\"\nkeep = \"1d\"\n",
       "f.toml:2: cleaning[0].name: want letters, digits, '-', '_' and '.', a letter or digit first"},
      {"[[regions]]\nname = \"a\"\nkubeconfig = \"k\"\nevent_ttl = \"1ms\"\n",
       "f.toml:4: regions[0].event_ttl: want a second at least"},
      {"[share]\n", "f.toml:1: share.namespace: want where the Leases are"},
      {"database = \"sqlite:x\"\n[share]\nnamespace = \"a\"\n",
       "f.toml:1: database: a file is one lookout's; [share] wants a \"postgresql:\""},
      {"[guard]\nports = [0]\n", "f.toml:2: guard.ports: want a list of numbers from 1 to 65535"},
      {"[[rules]]\nname = \"r\"\ntype = \"t\"\nmessages = [\"(\"]\n",
       "f.toml:4: rules[0].messages: \"(\": missing ): ("},
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
       "f.toml:4: tokens[0].role: want \"inlet\", \"read\", \"operate\" or \"admin\""},
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
       "f.toml:4: rules[0].dedup: unknown placeholder {nonsense}"},
      {"[[rules]]\nname = \"r\"\n", "f.toml:1: rules[0].type: it has none"},
      {"[[rules]]\nname = \"r\"\ntype = \"t\"\nevent_type = \"Bad\"\n",
       "f.toml:4: rules[0].event_type: want \"Normal\" or \"Warning\""},
      {"[[rules]]\nname = \"r\"\ntype = \"t\"\n[[rules]]\nname = \"r\"\ntype = \"t\"\n",
       "f.toml:5: rules[1].name: there are two named \"r\""},
      {"[[cleaning]]\ntype = \"*\"\nkeep = \"1d\"\n[[cleaning]]\ntype = \"*\"\nkeep = \"2d\"\n",
       "f.toml:5: cleaning[1].type: there are two of \"*\""},
      {"[[subscriptions]]\nname = \"s\"\nsink = \"stdout\"\n[[subscriptions]]\nname = "
       "\"s\"\nsink = \"stdout\"\n",
       "f.toml:5: subscriptions[1].name: there are two named \"s\""},
      {"database = \"mysql://h/d\"\n",
       "f.toml:1: database: want \"sqlite:PATH\" or \"postgresql://USER@HOST/NAME\""},
      {"database = \"sqlite:\"\n", "f.toml:1: database: want"},
      {"listen = \"127.0.0.1:80800\"\n", "f.toml:1: listen: want HOST:PORT"},
      {"stuck_after = \"0s\"\n", "f.toml:1: stuck_after: want more than nothing"},
      {"[guard]\ndeny = [\"10.0.0.0/33\"]\n", "f.toml:2: guard.deny: \"10.0.0.0/33\" is no network"},
      {"[guard]\nallow = [\"10.0.0.0/x\"]\n",
       "f.toml:2: guard.allow: \"10.0.0.0/x\" is no host and no network"},
      {"[[regions]]\nname = \"a\"\nkubeconfig = \"k\"\nenabled = \"no\"\n",
       "f.toml:4: regions[0].enabled: want true or false"},
      {"[[regions]]\nname = \"a\"\nkubeconfig = \"k\"\nnamespaces = [\"x\", \"x\"]\n",
       "f.toml:4: regions[0].namespaces: \"x\" is there twice"},
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

TEST(Config, TellsAllThatIsWrongByLine) {
  const auto c = parse_config(R"(listen = "x"
stuck_after = "soon"
odd = 1

[guard]
allow = ["10.0.0.0/99", "ok.internal", "1.2.3.4/x"]

[[regions]]
name = "a b"
kubecfg = "k"

[[rules]]
name = "r"
messages = ["(", "[a"]
)",
                              "f.toml");
  ASSERT_FALSE(c.has_value());
  std::vector<std::string> starts;
  for (const std::string_view line : split(c.error().text(), "\n")) {
    starts.emplace_back(line.substr(0, line.find(": ", line.find(": ") + 2)));
  }
  EXPECT_EQ(starts, (std::vector<std::string>{
                        "f.toml:1: listen", "f.toml:2: stuck_after", "f.toml:3: odd",
                        "f.toml:6: guard.allow", "f.toml:6: guard.allow",
                        "f.toml:8: regions[0].kubeconfig", "f.toml:9: regions[0].name",
                        "f.toml:10: regions[0].kubecfg", "f.toml:12: rules[0].type",
                        "f.toml:14: rules[0].messages"}))
      << c.error().text();
}

TEST(Config, LooksWhetherKubeconfigsHaveWhatTheyMust) {
  constexpr std::string_view kGood = R"(apiVersion: v1
kind: Config
current-context: a
contexts: [{name: a, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {tokenFile: token}}]
)";
  struct Case {
    const char *kubeconfig, *keys, *error;
  };
  const Case cases[] = {
      {"good", "", ""},
      {"good", "context = \"a\"", ""},
      {"in-cluster", "", ""},
      {"good", "context = \"b\"", "/etc/c.toml:4: regions[0].context: the kubeconfig has no context \"b\""},
      {"none", "", "/etc/c.toml:3: regions[0].kubeconfig: "},
      {"broken", "", "/etc/c.toml:3: regions[0].kubeconfig: error loading config file"},
      {"elsewhere", "", "/etc/c.toml:3: regions[0].kubeconfig: the kubeconfig has no context \"z\""},
      {"nowhere", "", "/etc/c.toml:1: regions[0].context: want one"},
      {"no-token", "", "/etc/c.toml:3: regions[0].kubeconfig: its tokenFile: "},
      {"no-ca", "", "/etc/c.toml:3: regions[0].kubeconfig: invalid configuration: unable to read"},
  };
  for (const Case& c : cases) {
    sys::MemoryDisk disk;
    disk.add("/etc/good", kGood);
    disk.add("/etc/token", "sesame");
    disk.add("/etc/broken", "contexts: [");
    disk.add("/etc/elsewhere", replace_all(kGood, "current-context: a", "current-context: z"));
    disk.add("/etc/nowhere", replace_all(kGood, "current-context: a", ""));
    disk.add("/etc/no-token", replace_all(kGood, "tokenFile: token", "tokenFile: other"));
    disk.add("/etc/no-ca", replace_all(kGood, "server:", "certificate-authority: ca.pem, server:"));
    disk.add("/etc/c.toml", cat("[[regions]]\nname = \"r\"\nkubeconfig = \"", c.kubeconfig, "\"\n",
                                c.keys, "\n"));
    const auto read = load_config("/etc/c.toml", disk);
    EXPECT_EQ(read.has_value(), c.error[0] == 0) << c.kubeconfig << ' ' << c.keys;
    if (read) continue;
    EXPECT_TRUE(read.error().text().starts_with(c.error)) << read.error().text();
    EXPECT_EQ(read.error().text().find('\n'), std::string::npos) << read.error().text();
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
  const auto without = load_config("/etc/c.toml", disk);
  ASSERT_FALSE(without.has_value());
  EXPECT_TRUE(without.error().text().starts_with("/etc/c.toml:4: subscriptions[0].secret_file: "))
      << without.error().text();
  const std::string secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8G";
  ASSERT_TRUE(disk.write_file("/etc/s.secret", secret + "\n", 0600));
  const auto c = load_config("/etc/c.toml", disk);
  ASSERT_TRUE(c.has_value()) << c.error().text();
  EXPECT_EQ(c->subscriptions.at(0).secret, secret);
}

TEST(Config, ReadsCertificatesFromTheirFiles) {
  sys::MemoryDisk disk;
  ASSERT_TRUE(disk.make_dirs("/etc"));
  const auto write = [&](std::string_view options) {
    return disk.write_file("/etc/c.toml",
                           cat("[[subscriptions]]\nname = \"s\"\nsink = \"webhook\"\n"
                               "[subscriptions.options]\nurl = \"https://hooks.example.com/x\"\n",
                               options),
                           0600);
  };
  crypt::CertRequest request;
  request.common_name = "a.test";
  request.days = 1;
  request.key_pem = *crypt::generate_private_key("ecdsa");
  const auto made = *crypt::make_self_signed(request);
  ASSERT_TRUE(write("certificate_file = \"our.crt\"\nkey_file = \"our.key\"\nca_file = \"ca.crt\"\n"));
  EXPECT_FALSE(load_config("/etc/c.toml", disk).has_value()) << "they are not there";
  for (const char* file : {"/etc/our.crt", "/etc/ca.crt"}) {
    ASSERT_TRUE(disk.write_file(file, made.cert, 0600));
  }
  ASSERT_TRUE(disk.write_file("/etc/our.key", made.key, 0600));
  const auto c = load_config("/etc/c.toml", disk);
  ASSERT_TRUE(c.has_value()) << c.error().text();
  const auto options = *json::read(c->subscriptions.at(0).options);
  EXPECT_EQ(text_at(options, {"certificate"}), made.cert);
  EXPECT_EQ(text_at(options, {"ca"}), made.cert);
  EXPECT_EQ(text_at(options, {"key"}), made.key);
  EXPECT_EQ(options.get("key_file"), nullptr);
  ASSERT_TRUE(write("certificate_file = \"our.crt\"\n"));
  EXPECT_NE(load_config("/etc/c.toml", disk).error().text().find("key: is missing"), std::string::npos);
  ASSERT_TRUE(write("ca = \"x\"\nca_file = \"ca.crt\"\n"));
  EXPECT_NE(load_config("/etc/c.toml", disk).error().text().find("there are ca and ca_file"),
            std::string::npos);
}

TEST(Config, ReadsWhoIsWho) {
  const auto c = parse_config(R"(
[[people]]
name = "ann"
aliases = ["oidc:ann"]
mail = "ann@example.com"
[[owners]]
name = "shop"
namespaces = ["shop"]
people = ["ann"]
[[oncall]]
name = "sre"
people = ["ann"]
since = 2026-01-05T09:00:00Z
turn = "7d"
[[subscriptions]]
name = "mail"
sink = "email"
whom = ["trigger", "owners"]
fall_back = "unknown"
retry = ["10s", "1m"]
scopes = ["eu-1/shop"]
[subscriptions.options]
url = "smtp://mail.internal"
from = "ops@example.com"
to = ["all@example.com"]
)",
                              "f.toml");
  ASSERT_TRUE(c.has_value()) << c.error().text();
  EXPECT_EQ(c->directory.people.at(0).mail, "ann@example.com");
  EXPECT_EQ(c->directory.owners.at(0).match.namespaces.at(0), "shop");
  EXPECT_EQ(c->directory.oncall.at(0).since_ms, 1'767'603'600'000);
  EXPECT_EQ(c->subscriptions.at(0).manner.whom.size(), 2u);
  EXPECT_EQ(c->subscriptions.at(0).manner.fall_back, FallBack::kUnknown);
  const auto bad = parse_config("[[people]]\nname = \"a\"\n[[people]]\nname = \"a\"\n", "f.toml");
  EXPECT_EQ(bad.error().text(), "f.toml:4: people[1].name: there are two named \"a\"");
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

TEST(Config, APolicyNamesWhatItTakesAndWhereItGoes) {
  const auto c = parse_config(R"(archive = "old"
[[cleaning]]
name = "noise"
type = "kubernetes.event"
kinds = ["Pod"]
reasons = ["Pulled", "Created"]
namespaces = ["shop"]
keep = "3d"
keep_rows = 1000
archive = true
[[cleaning]]
type = "dead"
keep = "90d"
)",
                              "/etc/lookout/f.toml");
  ASSERT_TRUE(c) << c.error().text();
  EXPECT_EQ(c->archive, "/etc/lookout/old");
  ASSERT_EQ(c->cleaning.size(), 2u);
  const CleaningPolicy& p = c->cleaning[0];
  EXPECT_EQ(p.name, "noise");
  EXPECT_EQ(p.kinds, (std::vector<std::string>{"Pod"}));
  EXPECT_EQ(p.reasons, (std::vector<std::string>{"Pulled", "Created"}));
  EXPECT_EQ(p.namespaces, (std::vector<std::string>{"shop"}));
  EXPECT_EQ(p.keep_rows, 1000);
  EXPECT_TRUE(p.archive);
  EXPECT_EQ(c->cleaning[1].name, "dead");
}

}  // namespace
}  // namespace pintle::lookout
