#include "lookout/config/directory.h"
#include "lookout/config/pieces.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "lookout/api/json.h"
#include "lookout/api/schemas.h"
#include "lookout/config/rules_toml.h"
#include "lookout/config/settings.h"
#include "lookout/fields.h"

namespace pintle::lookout {
namespace {

Status read_json(std::string_view json, Subscription& s) {
  const SectionText text = TRY(SectionText::json(json));
  Section top = text.top();
  for (const char* given : {"id", "source", "paused"}) top.skip(given);
  return read_subscription(top, Rules::defaults(), s);
}

TEST(SubscriptionJson, RefusesWhatIsWrongAndNamesTheKey) {
  struct Case {
    const char *json, *error;
  };
  const Case cases[] = {
      {"[]", "want a JSON object"},
      {"null", "want a JSON object"},
      {"{", "unexpected end of JSON input"},
      {R"({"name":7})", "name: want a text"},
      {R"({"nome":"x"})", "nome: unknown key"},
      {R"({"types":"x"})", "types: want a list of texts"},
      {R"({"types":[7]})", "types: want a list of texts"},
      {R"({"enabled":"no"})", "enabled: want true or false"},
      {R"({"min_severity":"loud"})", "min_severity: want \"info\", \"warning\" or \"error\""},
      {R"({"labels":[]})", "labels: want an object of texts"},
      {R"({"labels":{"a":7}})", "labels: want an object of texts"},
      {R"({"options":[]})", "options: want an object"},
      {R"({"secret_file":"/etc/passwd"})", "secret_file: unknown key"},
      {R"({"sink":"stdout"})", "name: want letters"},
      {R"({"name":"../x","sink":"stdout"})", "name: want letters"},
      {R"({"name":"..","sink":"stdout"})", "name: want letters"},
      {R"({"name":"x","sink":"stdout","order_by":"time"})", "order_by: want \"subject\""},
      {R"({"name":"x","sink":"stdout","types":["realease.*"]})",
       "types: no event is of type \"realease.*\""},
      {R"({"name":"x","sink":"pigeon"})", "sink: want one of: "},
      {R"({"name":"x","sink":"webhook","options":{"url":"https://a.example","nonsense":1}})",
       "options: unknown key \"nonsense\" of the sink webhook"},
  };
  for (const Case& c : cases) {
    Subscription s;
    const Status read = read_json(c.json, s);
    ASSERT_FALSE(read.has_value()) << c.json;
    EXPECT_TRUE(read.error().text().starts_with(c.error)) << read.error().text();
  }
}

TEST(SubscriptionJson, ComesBackWithoutItsSecret) {
  Subscription s;
  ASSERT_TRUE(read_json(
      R"({"name":"x","sink":"stdout","types":["release.*"],"labels":{"team":"pay"},
          "min_severity":"warning","order_by":"region","enabled":false})",
      s));
  s.secret = "hidden";
  const std::string json = subscription_json(s, "api");
  EXPECT_EQ(json.find("hidden"), std::string::npos);
  EXPECT_NE(json.find(R"("types":["release.*"])"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("enabled":false)"), std::string::npos);
  Subscription again;
  EXPECT_TRUE(read_json(json, again)) << "what is given can be put";
  EXPECT_EQ(again.filter.min_severity, Severity::kWarning);
}

// The schemas of what the API takes name the keys that are read, and no others.
TEST(Pieces, ReadTheKeysOfTheirSchemas) {
  struct Case {
    const char* schema;
    Status (*read)(Section& s);
  };
  const Case cases[] = {
      {"SubscriptionInput",
       [](Section& s) {
         Subscription out;
         return read_subscription(s, {}, out);
       }},
      {"RegionInput",
       [](Section& s) {
         RegionConfig out;
         return read_region(s, out);
       }},
      {"RuleInput",
       [](Section& s) {
         Rule out;
         return read_rule(s, out);
       }},
      {"PolicyInput",
       [](Section& s) {
         CleaningPolicy out;
         return read_policy(s, Config(), out);
       }},
      {"PersonInput",
       [](Section& s) {
         Person out;
         return read_person(s, out);
       }},
      {"OwnersInput",
       [](Section& s) {
         Owners out;
         return read_owners(s, out);
       }},
      {"DutyInput",
       [](Section& s) {
         OnCall out;
         return read_oncall(s, out);
       }},
  };
  for (const Case& c : cases) {
    size_t fields = 0;
    for (const Schema& schema : schemas()) {
      if (schema.name != c.schema) continue;
      for (const SchemaField& f : schema.fields) {
        ++fields;
        const std::string json = cat("{\"", f.name, "\":[[]]}");  // of no key's type
        const auto text = SectionText::json(json);
        ASSERT_TRUE(text);
        Section top = text->top();
        const Status read = c.read(top);
        ASSERT_FALSE(read.has_value()) << json;
        EXPECT_TRUE(read.error().text().starts_with(cat(f.name, ": want"))) << read.error().text();
      }
    }
    EXPECT_GT(fields, 0u) << c.schema;
  }
}

constexpr std::string_view kKubeconfig = R"(apiVersion: v1
kind: Config
current-context: a
contexts: [{name: a, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: sesame}}]
)";

std::string with_kubeconfig(std::string_view kubeconfig, std::string_view name = "eu") {
  return Data().text("name", name).text("kubeconfig", kubeconfig).take();
}

TEST(RegionSetting, TakesATextAndNothingOfThisMachine) {
  const auto good = region_setting(with_kubeconfig(kKubeconfig), {});
  ASSERT_TRUE(good) << good.error().text();
  EXPECT_EQ(good->secret, kKubeconfig);
  EXPECT_EQ(good->value.find("sesame"), std::string::npos);
  struct Case {
    std::string from, to, error;
  };
  const Case cases[] = {
      {"{token: sesame}",
       "{exec: {apiVersion: client.authentication.k8s.io/v1, command: id, "
       "interactiveMode: Never}}",
       "kubeconfig: a user with an exec plugin is taken from a file only"},
      {"{token: sesame}", "{tokenFile: /etc/passwd}",
       "kubeconfig: a tokenFile is taken from a file only"},
      {"server:", "certificate-authority: /etc/passwd, server:",
       "kubeconfig: invalid configuration: unable to read certificate-authority"},
      {"{token: sesame}", "{client-certificate: /etc/passwd, client-key: /etc/passwd}",
       "kubeconfig: invalid configuration: "},
      {"current-context: a", "", "kubeconfig: it has no current-context"},
      {"current-context: a", "current-context: b", "kubeconfig: invalid configuration: "},
      {"contexts:", "contexts: [", "kubeconfig: error loading config file"},
  };
  for (const Case& c : cases) {
    const auto bad = region_setting(with_kubeconfig(replace_all(kKubeconfig, c.from, c.to)), {});
    ASSERT_FALSE(bad.has_value()) << c.to;
    EXPECT_TRUE(bad.error().text().starts_with(c.error)) << bad.error().text();
  }
}

TEST(RegionSetting, LeavesTheFilesRegionsAlone) {
  Config config;
  RegionConfig file;
  file.name = "eu";
  config.regions = {file};
  const auto bad = region_setting(with_kubeconfig(kKubeconfig), config);
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().code(), Code::kAlreadyExists);
  const auto other = region_setting(with_kubeconfig(kKubeconfig, "us"), config);
  ASSERT_TRUE(other) << other.error().text();
  const Config merged =
      with_settings(config, {*other, {"region", "eu", R"({"name":"eu"})", "x"}}, {});
  ASSERT_EQ(merged.regions.size(), 2u);
  EXPECT_FALSE(merged.regions[0].of_api);
  EXPECT_TRUE(merged.regions[1].of_api);
  EXPECT_EQ(merged.regions[1].kubeconfig_text, kKubeconfig);
}

TEST(Settings, WhatNoLongerFitsIsLeftOut) {
  std::vector<std::string> said;
  const Log log = [&](std::string_view, std::string_view, const LogAttrs& attrs) {
    said.push_back(attrs.back().value);
  };
  Config file;
  file.rules = Rules::defaults();
  const Config merged = with_settings(
      file,
      {{"cleaning", "*", R"({"type":"*","keep":"7d"})", ""},
       {"cleaning", "odd", R"({"type":"odd","keep":"7d"})", ""},
       {"cleaning", "mine", R"({"type":"mine.done","keep":"7d"})", ""},
       {"rule", "mine", R"({"name":"mine","kind":"Job","type":"mine.done"})", ""},
       {"rule", "bad", R"({"name":"bad","kind":"Job","type":"x","messages":["("]})", ""}},
      log);
  EXPECT_EQ(merged.cleaning.size(), 2u);
  EXPECT_EQ(merged.rules.size(), Rules::defaults().size() + 1);
  EXPECT_TRUE(merged.rules_of_api.contains("mine"));
  EXPECT_EQ(said.size(), 2u);
}

}  // namespace
}  // namespace pintle::lookout
