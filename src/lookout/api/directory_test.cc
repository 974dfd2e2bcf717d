// People, owners and duties through the API.
#include <gtest/gtest.h>

#include "crypt/crypt.h"
#include "lookout/testing/api_world.h"

namespace pintle::lookout {
namespace {

TEST(ApiDirectory, IsMadeChangedAndTakenBackLive) {
  ApiWorld w;
  const auto ann = w.ask("POST", "/people", R"({"name":"ann","aliases":["oidc:ann"],"mail":"ann@example.com"})");
  ASSERT_EQ(ann.status, 201) << ann.text;
  EXPECT_EQ(text_at(ann.json, {"source"}), "api");
  ASSERT_EQ(w.ask("POST", "/people", R"({"name":"ann","slack":"U0ANN00001"})").status, 201);
  const Person* p = find_person(w.config->directory, "OIDC:ann");
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(p->mail, "ann@example.com") << "what is missing stays";
  EXPECT_EQ(p->slack, "U0ANN00001");
  ASSERT_EQ(w.ask("POST", "/people", R"({"name":"ann","mail":"***"})").status, 201);
  EXPECT_EQ(find_person(w.config->directory, "ann")->mail, "ann@example.com") << "masked: kept";

  ASSERT_EQ(w.ask("POST", "/owners", R"({"name":"shop","namespaces":["shop"],"people":["ann"]})").status, 201);
  ASSERT_EQ(w.config->directory.owners.size(), 1u);
  ASSERT_EQ(w.ask("POST", "/oncall",
                  R"({"name":"sre","people":["ann"],"since":"2026-01-05T09:00:00Z","turn":"7d"})")
                .status,
            201);
  ASSERT_EQ(w.config->directory.oncall.size(), 1u);
  EXPECT_EQ(w.config->directory.oncall[0].turn_ms, 7 * 86'400'000LL);
  for (const char* path : {"/people/ann", "/owners/shop", "/oncall/sre"}) {
    EXPECT_EQ(w.ask("DELETE", path).status, 200) << path;
    EXPECT_EQ(w.ask("DELETE", path).status, 404) << path;
  }
  EXPECT_TRUE(w.config->directory.people.empty() && w.config->directory.owners.empty() &&
              w.config->directory.oncall.empty());
}

TEST(ApiDirectory, SaysWhatIsWrong) {
  ApiWorld w;
  Person of_file;
  of_file.name = "boss";
  w.file.directory.people = {of_file};
  w.take();
  const struct {
    std::string path, body;
    int status;
    std::string_view error;
  } cases[] = {
      {"/people", R"({"name":"../x"})", 400, "name: want letters"},
      {"/people", R"({"name":"x","mail":"x"})", 400, "mail: want an address"},
      {"/people", R"({"name":"x","dingtalk":"ann"})", 400, "dingtalk: want a mobile number"},
      {"/people", R"({"name":"x","feishu":"ann"})", 400, "feishu: want an open_id"},
      {"/people", R"({"name":"x","slack":"#ops"})", 400, "slack: want a member id"},
      {"/people", R"({"name":"x","wecom":"a b"})", 400, "wecom: want a userid"},
      {"/people", R"({"name":"x","phone":"1"})", 400, "phone: unknown key"},
      {"/people", R"({"name":"boss"})", 409, "the configuration's file has the person \"boss\""},
      {"/people", "[]", 400, "want a JSON object"},
      {"/owners", R"({"name":"x"})", 400, "people: want some, or a channel"},
      {"/owners", R"({"name":"x","people":["a"],"selector":"a in"})", 400, "selector: "},
      {"/oncall", R"({"name":"x"})", 400, "people: want some"},
      {"/oncall", R"({"name":"x","people":["a"],"turn":"7d"})", 400, "since: want when"},
      {"/oncall", R"({"name":"x","people":["a"],"from":"tomorrow"})", 400, "from: want a time"},
      {"/oncall", R"({"name":"x","people":["a"],"from":"2026-01-02T00:00:00Z","to":"2026-01-01T00:00:00Z"})",
       400, "to: want a time after from"},
      {"/subscriptions", R"({"name":"x","sink":"stdout","whom":["ann"]})", 400, "whom: the sink stdout calls nobody"},
      {"/subscriptions", R"({"name":"x","sink":"stdout","retry":["1ms"]})", 400, "retry: want 1s to 7d"},
      {"/subscriptions", R"({"name":"x","sink":"stdout","reason_patterns":["("]})", 400, "reason_patterns: error parsing regexp: missing closing )"},
      {"/subscriptions", R"({"name":"x","sink":"stdout","scopes":["a//b"]})", 400, "scopes: want"},
  };
  for (const auto& c : cases) {
    const auto got = w.ask("POST", c.path, c.body);
    EXPECT_EQ(got.status, c.status) << c.body << got.text;
    EXPECT_EQ(got.error().substr(0, c.error.size()), c.error) << c.body;
  }
}

TEST(ApiDirectory, ContactsAreForThoseWhoMayAct) {
  const auto token = [](std::string role) {
    return TokenConfig{role, crypt::hex(crypt::sha256(role + "-token")), role};
  };
  ApiWorld w({token("read"), token("operate"), token("admin")});
  ASSERT_EQ(w.ask("POST", "/people", R"({"name":"ann","mail":"ann@example.com"})", "admin-token").status, 201);
  EXPECT_EQ(w.ask("GET", "/people", "", "read-token").text.find("ann@"), std::string::npos);
  EXPECT_NE(w.ask("GET", "/people", "", "read-token").text.find(R"("mail":"***")"), std::string::npos);
  EXPECT_NE(w.ask("GET", "/people", "", "operate-token").text.find("ann@example.com"), std::string::npos);
}

TEST(ApiDirectory, ASubscriptionShowsTheScheduleThatHolds) {
  ApiWorld w;
  const auto usual = w.ask("POST", "/subscriptions", R"({"name":"a","sink":"stdout"})");
  EXPECT_EQ(*json::write(*value_at(usual.json, {"retry"})),
            R"(["5s","30s","2m","10m","30m","1h","3h","6h","12h"])");
  EXPECT_EQ(text_at(usual.json, {"give_up"}), "1d");
  const auto own = w.ask("POST", "/subscriptions",
                         R"({"name":"b","sink":"stdout","retry":["10s","1m"],"give_up":"1h"})");
  EXPECT_EQ(*json::write(*value_at(own.json, {"retry"})), R"(["10s","1m"])");
  EXPECT_EQ(text_at(own.json, {"give_up"}), "1h");
}

TEST(ApiDirectory, APlaceHasTheSubscriptionsOfAllAboveIt) {
  ApiWorld w;
  const auto add = [&](std::string_view name, std::string_view more) {
    EXPECT_EQ(w.ask("POST", "/subscriptions",
                    cat(R"({"name":")", name, R"(","sink":"stdout",)", more, "}")).status, 201);
  };
  add("all", R"("scopes":["/"])");
  add("region", R"("scopes":["eu"])");
  add("namespace", R"("scopes":["eu/shop","us"])");
  add("release", R"("scopes":["eu/shop/web"])");
  add("flat", R"("regions":["eu"],"releases":["web"])");
  const auto at = [&](std::string_view place) {
    std::vector<std::string> names;
    const auto got = w.ask("GET", cat("/subscriptions?scope=", place));
    for (const value::Value& s : value_at(got.json, {"items"})->items()) {
      names.emplace_back(text_at(s, {"name"}));
    }
    return join(names, " ");
  };
  EXPECT_EQ(at("eu"), "of-file all region flat");
  EXPECT_EQ(at("eu/shop"), "of-file all region namespace flat");
  EXPECT_EQ(at("eu/shop/web"), "of-file all region namespace release flat");
  EXPECT_EQ(at("eu/shop/api"), "of-file all region namespace");
  EXPECT_EQ(at("us/shop"), "of-file all namespace");
}

}  // namespace
}  // namespace pintle::lookout
