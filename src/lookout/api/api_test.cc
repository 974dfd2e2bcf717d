#include "lookout/api/api.h"

#include <gtest/gtest.h>

#include <set>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "lookout/api/openapi.h"
#include "lookout/api/routes.h"
#include "lookout/api/schemas.h"
#include "lookout/fields.h"
#include "lookout/observe.h"
#include "lookout/sinks/sink.h"
#include "lookout/testing/api_world.h"
#include "lookout/testing/store_fixture.h"

namespace pintle::lookout {
namespace {

using World = ApiWorld;

TEST(OpenApi, TellsEveryRouteAndEverySchemaItNames) {
  const auto document = json::read(openapi_json());
  ASSERT_TRUE(document) << document.error().text();
  size_t operations = 0;
  std::set<std::string> ids;
  for (const auto& [path, methods] : *value_at(*document, {"paths"})->as_map()) {
    operations += methods.length();
  }
  EXPECT_EQ(operations, routes().size());
  for (const ApiRoute& r : routes()) {
    std::string method(r.method);
    for (char& c : method) c = static_cast<char>(c | 0x20);
    const value::Value* path = value_at(*document, {"paths"})->get(r.path);
    ASSERT_NE(path, nullptr) << r.path;
    EXPECT_NE(path->get(method), nullptr) << r.method << " " << r.path;
    EXPECT_TRUE(ids.insert(std::string(r.id)).second) << r.id;
    for (const auto name : split(r.query, " ")) {
      EXPECT_TRUE(name.empty() || query_field(name)) << name;
    }
  }
  const value::Value* known = value_at(*document, {"components", "schemas"});
  constexpr std::string_view kRef = "#/components/schemas/";
  const std::string& text = openapi_json();
  for (size_t at = text.find(kRef); at != text.npos; at = text.find(kRef, at + 1)) {
    const size_t from = at + kRef.size();
    const std::string name = text.substr(from, text.find('"', from) - from);
    EXPECT_NE(known->get(name), nullptr) << name;
  }
}

TEST(Api, EachRoleMayDoItsRoutesAndNoOthers) {
  const auto token = [](std::string role) {
    return TokenConfig{role, crypt::hex(crypt::sha256(role + "-token")), role};
  };
  World w({token("inlet"), token("read"), token("operate"), token("admin")});
  for (const ApiRoute& r : routes()) {
    if (r.handler == nullptr || r.method == "DELETE") continue;
    std::string path(r.path);
    for (const char* part : {"{id}", "{sequence}"}) path = replace_all(path, part, "999");
    path = replace_all(replace_all(path, "{name}", "none"), "{type}", "none");
    path = replace_all(replace_all(path, "{version}", "v1"), "{scope}", "groups");
    const std::string method(r.method);
    EXPECT_EQ(w.ask(method, path).status == 401, r.role != Role::kNone) << path;
    EXPECT_EQ(w.ask(method, path, "", "wrong").status == 401, r.role != Role::kNone) << path;
    const bool inlet = r.role == Role::kInlet;
    EXPECT_EQ(w.ask(method, path, "", "inlet-token").status == 403, r.role != Role::kNone && !inlet) << path;
    EXPECT_EQ(w.ask(method, path, "", "read-token").status == 403, inlet || r.role > Role::kRead) << path;
    EXPECT_EQ(w.ask(method, path, "", "operate-token").status == 403, r.role > Role::kOperate)
        << path;
    EXPECT_NE(w.ask(method, path, "", "admin-token").status, 403) << path;
  }
}

TEST(Api, RefusesWhatIsWrongAndNamesIt) {
  World w;
  const std::string deep(100'000, '[');
  struct Case {
    std::string method, path, body;
    int status;
    std::string error;
  };
  const Case cases[] = {
      {"GET", "/nothing", "", 404, "there is nothing here"},
      {"GET", "/../etc/passwd", "", 404, "there is nothing here"},
      {"GET", "/regions/..%2f..", "", 404, "there is nothing here"},
      {"GET", "/regions/%2e%2e", "", 404, "there is no region \"..\""},
      {"DELETE", "/events", "", 405, "this path has GET only"},
      {"GET", "/events?fro=1", "", 400, "fro: unknown parameter"},
      {"GET", "/events?after=x", "", 400, "after: want a number"},
      {"GET", "/events?after=-1", "", 400, "after: want a number"},
      {"GET", "/events?limit=99999999999999999999", "", 400, "limit: want a number"},
      {"GET", "/events/x", "", 400, "the path's id: want a number"},
      {"GET", "/events/99", "", 404, ""},
      {"GET", "/deliveries?state=odd", "", 400, "state: want one of: pending, leased"},
      {"GET", "/deliveries/99", "", 404, "there is no delivery 99"},
      {"POST", "/deliveries/99/resend", "", 404, ""},
      {"POST", "/deliveries/99/skip", "", 404, ""},
      {"POST", "/deliveries:resend", R"({"state":"pending"})", 400, "state: want \"dead\""},
      {"POST", "/deliveries:resend", R"({"limit":0})", 400, "limit: want a number from 1 to 1000"},
      {"POST", "/deliveries:resend", R"({"subscripton":1})", 400, "subscripton: unknown key"},
      {"POST", "/subscriptions", "", 400, "unexpected end of JSON input"},
      {"POST", "/subscriptions", "\xff\xfe", 400, "invalid character"},
      {"POST", "/subscriptions", deep, 400, ""},
      {"POST", "/subscriptions", std::string(2 << 20, ' '), 413, ""},
      {"POST", "/subscriptions", R"({"name":"a","sink":"stdout","enabled":"yes"})", 400,
       "enabled: want true or false"},
      {"POST", "/subscriptions/999/test", "", 404, "there is no subscription 999"},
      {"POST", "/subscriptions/1/test/more", "", 404, "there is nothing here"},
      {"POST", "/regions", R"({"name":"../x"})", 400, "name: want letters"},
      {"POST", "/regions", R"({"name":"x"})", 400, "kubeconfig: want the text of one"},
      {"POST", "/regions", R"({"name":"x","kubeconfig":"{"})", 400, "kubeconfig: error loading"},
      {"POST", "/regions", R"({"name":"north","kubeconfig":"in-cluster"})", 409,
       "the configuration's file has the region \"north\""},
      {"PUT", "/regions/north", "{}", 409, "the configuration's file has the region \"north\""},
      {"DELETE", "/regions/north", "", 409, "the configuration's file has the region \"north\""},
      {"POST", "/rules", R"({"name":"x","kind":"Pod","type":"t","messages":["("]})", 400,
       "messages: "},
      {"POST", "/rules", R"({"nam":"x"})", 400, "nam: unknown key"},
      {"DELETE", "/rules/none", "", 404, ""},
      {"POST", "/rules:dryrun", "{}", 400, "rule: is missing"},
      {"POST", "/rules:dryrun", R"({"rule":7})", 400, "rule: want a rule"},
      {"POST", "/rules:dryrun", R"({"rule":"x"})", 400, "rule: toml"},
      {"POST", "/rules:dryrun", R"({"rule":{"name":"x"},"from":"today"})", 400, "from: want"},
      {"POST", "/cleaning/policies", R"({"type":"*","keep":14})", 400, "keep: want a duration"},
      {"POST", "/cleaning/policies", R"({"type":"no.such","keep":"1d"})", 400,
       "type: no event is of type"},
      {"POST", "/cleaning:dryrun", R"({"type":"*"})", 400, "keep: want how long"},
  };
  for (const Case& c : cases) {
    const auto got = w.ask(c.method, c.path, c.body);
    EXPECT_EQ(got.status, c.status) << c.method << " " << c.path << " " << c.body.substr(0, 80);
    EXPECT_TRUE(got.error().starts_with(c.error)) << c.path << ": " << got.text;
  }
}

TEST(Api, TheFilesSubscriptionsArePausedOnly) {
  World w;
  EXPECT_EQ(w.ask("PUT", w.of_file, R"({"types":["release.*"]})").status, 409);
  EXPECT_EQ(w.ask("DELETE", w.of_file).status, 409);
  EXPECT_EQ(w.ask("POST", w.of_file + "/rotate-secret").status, 409);
  const auto paused = w.ask("POST", w.of_file + "/pause");
  EXPECT_EQ(paused.status, 200);
  EXPECT_NE(paused.text.find(R"("source":"config")"), std::string::npos) << paused.text;
  EXPECT_NE(paused.text.find(R"("paused":true)"), std::string::npos) << paused.text;
}

constexpr std::string_view kWebhook =
    R"({"name":"hook","sink":"webhook","options":{"url":"https://hooks.example.com"}})";

TEST(Api, ASecretIsRotatedAndTheOldOneLivesForAWhile) {
  World w;
  const auto made = w.ask("POST", "/subscriptions", std::string(kWebhook));
  ASSERT_EQ(made.status, 201) << made.text;
  const std::string path = cat("/subscriptions/", number_at(made.json, {"id"}));
  const auto first = w.ask("POST", path + "/rotate-secret");
  ASSERT_EQ(first.status, 200) << first.text;
  EXPECT_EQ(number_at(first.json, {"old_until_ms"}), 0) << "there was none";
  const auto second = w.ask("POST", path + "/rotate-secret", R"({"grace":"1h"})");
  const std::string old(text_at(first.json, {"secret"})), fresh(text_at(second.json, {"secret"}));
  EXPECT_TRUE(fresh.starts_with("whsec_"));
  EXPECT_EQ(number_at(second.json, {"old_until_ms"}), kStartMs + 3'600'000);
  EXPECT_EQ(w.ask("GET", path).text.find("whsec_"), std::string::npos);
  EXPECT_EQ(w.ask("POST", path + "/test").status, 200);
  const SinkKind* sink = find_sink("webhook");
  const auto signatures = [&](int64_t now_ms) {
    Claimed c = trial_of(w.tried, now_ms);
    const auto request = sink->request({&c, 1}, now_ms);
    for (const auto& [name, value] : request->headers) {
      if (name == "webhook-signature") return split(value, " ").size();
    }
    return size_t{0};
  };
  EXPECT_EQ(w.tried.secret, cat(fresh, " ", old, ";until=", (kStartMs + 3'600'000) / 1000));
  EXPECT_EQ(signatures(kStartMs), 2u);
  EXPECT_EQ(signatures(kStartMs + 3'700'000), 1u);
  EXPECT_EQ(w.ask("POST", path + "/rotate-secret", R"({"secret":"short"})").status, 400);
}

TEST(Api, ATestSaysHowItEndedAndTheAnswerToAdminsOnly) {
  const auto token = [](std::string role) {
    return TokenConfig{role, crypt::hex(crypt::sha256(role)), role};
  };
  World w({token("operate"), token("admin")});
  const auto made = w.ask("POST", "/subscriptions", std::string(kWebhook), "admin");
  const std::string path = cat("/subscriptions/", number_at(made.json, {"id"}), "/test");
  EXPECT_EQ(w.ask("POST", path, "", "admin").text.find("of the receiver") == std::string::npos,
            false);
  const auto seen = w.ask("POST", path, "", "operate");
  EXPECT_EQ(number_at(seen.json, {"status"}), 200);
  EXPECT_EQ(seen.text.find("of the receiver"), std::string::npos);
}

TEST(Api, APreviewSaysWhatWouldBeToldAndStoresNothing) {
  World w;
  const auto made = w.ask("POST", "/subscriptions",
                          R"({"name":"chat","sink":"slack","types":["release.*"],"secret":"https://hooks.slack.com/services/T0/B0/s3cret"})");
  ASSERT_EQ(made.status, 201) << made.text;
  Batch batch;
  batch.region = "eu-1", batch.cluster_uid = "cluster-1";
  batch.region_id = w.store.regions()->at(0).id;
  for (const char* type : {"release.failed", "scale"}) {
    Event e;
    e.type = type;
    e.subject.name = "web";
    batch.events.push_back(std::move(e));
  }
  ASSERT_TRUE(w.store.commit(batch));
  const std::string chat = cat(R"({"id":)", number_at(made.json, {"id"}));
  const size_t before = w.store.subscriptions()->size();
  const struct {
    std::string body, error, told;
    bool matches;
  } cases[] = {
      {chat + R"(,"event":1,"options":{"template":"it was {{ .type }}"}})", "", R"({"text":"it was release.failed"})", true},
      {chat + R"(,"event":2,"options":{"template":"it was {{ .type }}"}})", "", R"({"text":"it was scale"})", false},
      {R"({"name":"n","sink":"stdout","options":{"template":"{{ .type }}"}})", "", "lookout.test\n", true},
      {chat + R"(,"event":1,"options":{"template":"{{ fail \"why\" }}"}})", "why", "", false},
      {R"({"name":"n","sink":"stdout","options":{"template":"{{ nope }}"}})", "nope", "", false},
      {R"({"name":"n","sink":"stdout","evnet":1})", "evnet", "", false},
  };
  for (const auto& c : cases) {
    const auto got = w.ask("POST", "/subscriptions:preview", c.body);
    EXPECT_EQ(got.status, c.error.empty() ? 200 : 400) << got.text;
    EXPECT_NE(got.error().find(c.error), std::string::npos) << got.text;
    EXPECT_EQ(got.text.find("s3cret"), std::string::npos) << got.text;
    if (!c.error.empty()) continue;
    EXPECT_EQ(text_at(got.json, {"body"}), c.told);
    EXPECT_EQ(got.json.get("matches")->as_bool(), c.matches) << c.body;
  }
  EXPECT_EQ(w.ask("POST", "/subscriptions:preview", R"({"id":99})").status, 404);
  EXPECT_EQ(w.ask("POST", "/subscriptions:preview", chat + R"(,"event":99})").status, 404);
  EXPECT_EQ(w.store.subscriptions()->size(), before);
  EXPECT_EQ(w.ask("GET", "/subscriptions").text.find("it was"), std::string::npos);
}

constexpr std::string_view kKubeconfig =
    R"({"current-context":"a","contexts":[{"name":"a","context":{"cluster":"c","user":"u"}}],)"
    R"("clusters":[{"name":"c","cluster":{"server":"https://10.0.0.1:6443"}}],)"
    R"("users":[{"name":"u","user":{"token":"sesame-of-the-region"}}]})";

TEST(Api, RegionsComeAndGoAndTheirCredentialsNeverComeOut) {
  World w;
  const auto made = w.ask("POST", "/regions",
                          Data().text("name", "south").text("kubeconfig", kKubeconfig).take());
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(text_at(made.json, {"source"}), "api");
  EXPECT_EQ(w.config->regions.at(1).kubeconfig_text, kKubeconfig);
  const auto changed = w.ask("PUT", "/regions/south", R"({"environment":"trial"})");
  EXPECT_EQ(text_at(changed.json, {"environment"}), "trial") << changed.text;
  EXPECT_EQ(w.config->regions.at(1).kubeconfig_text, kKubeconfig) << "kept";
  EXPECT_EQ(w.ask("PUT", "/regions/south", R"({"name":"west"})").error(),
            "name: a region keeps its name");
  EXPECT_EQ(
      w.ask("POST", "/regions", Data().text("name", "south").text("kubeconfig", kKubeconfig).take())
          .status,
      409);
  const auto health = w.ask("GET", "/regions/south/health");
  EXPECT_TRUE(flag_at(health.json, {"healthy"})) << health.text;
  for (const char* path : {"/regions", "/regions/south", "/regions/south/health"}) {
    EXPECT_EQ(w.ask("GET", path).text.find("sesame"), std::string::npos) << path;
  }
  EXPECT_EQ(w.ask("DELETE", "/regions/south").status, 200);
  EXPECT_EQ(w.ask("GET", "/regions/south").status, 404);
}

TEST(Api, AnAdminAloneTakesARegionFromWatchingAndBack) {
  const auto token = [](std::string role) {
    return TokenConfig{role, crypt::hex(crypt::sha256(role)), role};
  };
  World w({token("read"), token("operate"), token("admin")});
  const std::string south = Data().text("name", "south").text("kubeconfig", kKubeconfig).take();
  ASSERT_EQ(w.ask("POST", "/regions", south, "admin").status, 201);
  const auto enabled = [&] { return w.config->regions.at(1).enabled; };
  for (const char* role : {"", "wrong", "read", "operate"}) {
    const auto refused = w.ask("PUT", "/regions/south", R"({"enabled":false})", role);
    EXPECT_EQ(refused.status, role == std::string("read") || role == std::string("operate") ? 403 : 401);
    EXPECT_TRUE(enabled()) << role;
  }
  const auto off = w.ask("PUT", "/regions/south", R"({"enabled":false})", "admin");
  ASSERT_EQ(off.status, 200) << off.text;
  EXPECT_FALSE(flag_at(off.json, {"enabled"})) << off.text;
  EXPECT_FALSE(enabled());
  EXPECT_EQ(w.config->regions.at(1).kubeconfig_text, kKubeconfig) << "kept";
  EXPECT_EQ(w.ask("PUT", "/regions/south", R"({"environment":"trial"})", "admin").status, 200);
  EXPECT_FALSE(enabled()) << "another change does not say so";
  EXPECT_EQ(w.ask("PUT", "/regions/south", R"({"enabled":"no"})", "admin").error(),
            "enabled: want true or false");
  EXPECT_EQ(w.ask("PUT", "/regions/north", R"({"enabled":false})", "admin").status, 409) << "the file's";
  const auto on = w.ask("PUT", "/regions/south", R"({"enabled":true})", "admin");
  EXPECT_EQ(on.text.find(R"("enabled":false)"), std::string::npos) << on.text;
  EXPECT_TRUE(enabled());
}

TEST(Api, ASubscriptionShowsHowItFaresAndWhyItIsPaused) {
  World w;
  ASSERT_EQ(w.ask("DELETE", w.of_file).status, 409);
  Subscription file = w.store.subscriptions()->at(0);
  file.enabled = false;
  ASSERT_TRUE(w.store.update_subscription(file));
  const auto made = w.ask(
      "POST", "/subscriptions",
      R"({"name":"hook","sink":"webhook","options":{"url":"https://h.example.com"},"disable_after":"2d"})");
  EXPECT_EQ(text_at(made.json, {"disable_after"}), "2d") << made.text;
  const std::string path = cat("/subscriptions/", number_at(made.json, {"id"}));
  for (int i = 0; i < 2; ++i) {
    w.store.add(event_of("release.deployed"));
    const auto claimed = w.store.claim("me", 1, 60'000, 10);
    ASSERT_EQ(claimed->size(), 1u);
    Attempt a;
    a.error = "<no>";
    ASSERT_TRUE(w.store.finish(claimed->front().delivery, DeliveryState::kDead, 0, "no", a));
    w.clock.step(int64_t{2} * 86'400'000'000'000);
  }
  ASSERT_TRUE(*w.store.disable_failing(number_at(made.json, {"id"})));
  const auto got = w.ask("GET", path);
  EXPECT_TRUE(flag_at(got.json, {"paused"}));
  EXPECT_EQ(text_at(got.json, {"paused_reason"}), "every attempt has failed since 2023-11-14T22:13:20.000Z: <no>");
  EXPECT_EQ(number_at(got.json, {"statistics", "dead"}), 2) << got.text;
  EXPECT_EQ(number_at(got.json, {"statistics", "failing_since_ms"}), kStartMs) << got.text;
  EXPECT_NE(w.ask("GET", "/").text.find("every attempt has failed since"), std::string::npos);
  EXPECT_EQ(w.ask("GET", "/").text.find("<no>"), std::string::npos);
  EXPECT_EQ(w.ask("GET", "/subscriptions").text.find("statistics"), std::string::npos);
  EXPECT_EQ(w.ask("PUT", path, got.text).status, 200) << "what was asked for can be put";
  const auto back = w.ask("POST", path + "/resume");
  EXPECT_FALSE(flag_at(back.json, {"paused"})) << back.text;
  EXPECT_EQ(back.text.find("paused_reason"), std::string::npos) << back.text;
  EXPECT_EQ(w.ask("PUT", path, R"({"disable_after":"1s"})").error(), "disable_after: want 1m to 365d");
  EXPECT_EQ(w.ask("PUT", path, R"({"disable_after":"0"})").text.find("disable_after"), std::string::npos);
}

TEST(Api, WhoChangedWhatIsToldToAdmins) {
  const auto token = [](std::string name, std::string role) {
    return TokenConfig{name, crypt::hex(crypt::sha256(name)), role};
  };
  World w({token("ann", "admin"), token("bob", "operate")});
  w.ask("POST", "/subscriptions",
        R"({"name":"hook","sink":"webhook","options":{"url":"https://h.example.com/sesame"}})", "ann");
  w.ask("POST", w.of_file + "/pause", "", "bob");
  w.ask("POST", "/rules", R"({"name":"mine","kind":"Pod","type":"mine.seen","reasons":["Seen"]})", "ann");
  w.ask("POST", "/regions", Data().text("name", "south").text("kubeconfig", kKubeconfig).take(), "ann");
  w.ask("PUT", "/regions/south", R"({"enabled":false})", "ann");
  w.ask("DELETE", "/regions/south", "", "ann");
  w.ask("POST", "/people", R"({"name":"eve","mail":"eve-sesame@example.com"})", "ann");
  w.ask("POST", "/cleaning/policies", R"({"type":"audit","keep":"30d"})", "ann");
  w.ask("POST", "/regions", R"({"name":"bad"})", "ann");
  EXPECT_EQ(w.ask("GET", "/audit", "", "bob").status, 403);
  const auto got = w.ask("GET", "/audit?after=0", "", "ann");
  ASSERT_EQ(got.status, 200) << got.text;
  std::vector<std::string> told;
  for (const value::Value& e : value_at(got.json, {"items"})->items()) {
    told.push_back(cat(text_at(e, {"who"}), " ", text_at(e, {"role"}), " ", text_at(e, {"verb"}), " ",
                       text_at(e, {"kind"}), " ", text_at(e, {"name"})));
  }
  EXPECT_EQ(told, (std::vector<std::string>{
                      "lookout  added subscription of-file", "ann admin added subscription hook",
                      "bob operate changed subscription of-file", "ann admin added rule mine",
                      "ann admin added region south", "ann admin changed region south",
                      "ann admin removed region south", "ann admin added person eve",
                      "ann admin added cleaning audit"}));
  EXPECT_NE(got.text.find(R"("fields":[{"field":"enabled","before":true,"after":false}])"),
            std::string::npos)
      << got.text;
  EXPECT_EQ(got.text.find("sesame"), std::string::npos) << got.text;
  const auto page = w.ask("GET", "/audit?kind=region&name=south&newest=true&limit=1", "", "ann");
  EXPECT_EQ(text_at(value_at(page.json, {"items"})->items()[0], {"verb"}), "removed");
  EXPECT_EQ(number_at(page.json, {"next"}), number_at(value_at(page.json, {"items"})->items()[0], {"id"}));
}

TEST(Api, RulesAndPoliciesAreMadeAndTakenBack) {
  World w;
  const auto rule = w.ask("POST", "/rules",
                          R"({"name":"mine","kind":"Pod","type":"mine.seen","reasons":["Seen"]})");
  ASSERT_EQ(rule.status, 201) << rule.text;
  EXPECT_EQ(text_at(rule.json, {"source"}), "api");
  EXPECT_EQ(w.config->rules.front().name, "mine") << "before the default ones";
  const auto off = w.ask("POST", "/rules", R"({"name":"node-rebooted","off":true})");
  EXPECT_TRUE(flag_at(off.json, {"off"})) << off.text;
  EXPECT_EQ(w.ask("DELETE", "/rules/node-rebooted").status, 200);
  EXPECT_FALSE(w.config->rules.back().off);
  const auto policy = w.ask("POST", "/cleaning/policies", R"({"type":"mine.seen","keep":"36h"})");
  ASSERT_EQ(policy.status, 201) << policy.text;
  EXPECT_EQ(text_at(policy.json, {"keep"}), "36h");
  EXPECT_EQ(w.ask("DELETE", "/cleaning/policies/mine.seen").status, 200);
  EXPECT_EQ(w.ask("POST", w.of_file + "/pause").status, 200) << "what waits is not old";
  w.store.add(event_of("release.deployed"));
  w.clock.step(int64_t{2} * 86'400'000'000'000);
  const auto tried = w.ask("POST", "/cleaning:dryrun", R"({"type":"release.*","keep":"1d"})");
  EXPECT_EQ(number_at(tried.json, {"would_go"}), 1) << tried.text;
  EXPECT_EQ(number_at(tried.json, {"events"}), 1) << tried.text;
  EXPECT_EQ(number_at(tried.json, {"observations"}), 0) << tried.text;
}

TEST(Api, APolicyIsKeptWithAllThatItSays) {
  World w;
  const auto made = w.ask("POST", "/cleaning/policies",
                          R"({"name":"noise","type":"kubernetes.event","kinds":["Pod"],)"
                          R"("reasons":["Pulled"],"namespaces":["shop"],"keep_rows":10})");
  ASSERT_EQ(made.status, 201) << made.text;
  const auto listed = w.ask("GET", "/cleaning/policies");
  EXPECT_NE(listed.text.find(R"({"name":"noise","type":"kubernetes.event","kinds":["Pod"],)"
                             R"("reasons":["Pulled"],"namespaces":["shop"],"keep_rows":10,)"
                             R"("archive":false,"source":"api"})"),
            std::string::npos)
      << listed.text;
  const auto refused =
      w.ask("POST", "/cleaning/policies", R"({"type":"*","keep":"1d","archive":true})");
  EXPECT_EQ(refused.status, 400) << "where to is the file's to say";
  EXPECT_EQ(w.ask("DELETE", "/cleaning/policies/noise").status, 200);
  EXPECT_TRUE(w.config->cleaning.empty());
}

TEST(Api, GivenUpDeliveriesAreSentAgainOnce) {
  World w;
  w.store.add(event_of("release.deployed"));
  const auto claimed = w.store.claim("me", 1, 60'000, 10);
  ASSERT_EQ(claimed->size(), 1u);
  Attempt a;
  a.error = "no";
  ASSERT_TRUE(w.store.finish(claimed->front().delivery, DeliveryState::kDead, 0, "no", a));
  EXPECT_EQ(
      number_at(w.ask("POST", "/deliveries:resend", R"({"subscription":99})").json, {"resent"}), 0);
  const auto first = w.ask("POST", "/deliveries:resend");
  EXPECT_EQ(number_at(first.json, {"resent"}), 1) << first.text;
  EXPECT_EQ(number_at(w.ask("POST", "/deliveries:resend").json, {"resent"}), 0);
  const auto event = w.ask("GET", "/events/1");
  EXPECT_EQ(value_at(event.json, {"deliveries"})->length(), 2u) << event.text;
  const auto detail = w.ask("GET", "/deliveries/1");
  EXPECT_EQ(text_at(detail.json, {"delivery", "state"}), "dead");
  EXPECT_EQ(value_at(detail.json, {"items"})->length(), 1u);
}

TEST(Api, DeliveriesOfASpanOfTimeAreSentAgain) {
  World w;
  constexpr int64_t kHour = 3'600'000;
  const auto dead = [&](const char* release) {
    Event e = event_of("release.deployed");
    e.release = release;
    w.store.add(e);
    const auto claimed = w.store.claim("me", 1, 60'000, 10);
    ASSERT_EQ(claimed->size(), 1u);
    Attempt a;
    a.error = "no";
    ASSERT_TRUE(w.store.finish(claimed->front().delivery, DeliveryState::kDead, 0, "no", a));
    w.clock.step(kHour * 1'000'000);
  };
  dead("a"), dead("b"), dead("c");  // stored at 0, 1 and 2 hours
  const auto resend = [&](int64_t from, int64_t to) {
    const auto got = w.ask("POST", "/deliveries:resend",
                           cat(R"({"from":)", kStartMs + from, R"(,"to":)", kStartMs + to, "}"));
    EXPECT_EQ(got.status, 200) << got.text;
    return number_at(got.json, {"resent"});
  };
  EXPECT_EQ(resend(3 * kHour, 9 * kHour), 0);
  EXPECT_EQ(resend(1, kHour), 0) << "`to` is no more of it";
  EXPECT_EQ(resend(kHour, 2 * kHour), 1);
  const auto claimed = w.store.claim("me", 1, 60'000, 10);
  ASSERT_EQ(claimed->size(), 1u);
  EXPECT_EQ(claimed->front().event.event.release, "b");
  EXPECT_EQ(claimed->front().delivery.generation, 2);
  EXPECT_EQ(resend(0, 3 * kHour), 2) << "that one was sent again before";
}

TEST(Api, WhatIsNotTheRequestsFaultIsOurs) {
  World w;
  const std::pair<Code, int> cases[] = {
      {Code::kInvalidArgument, 400}, {Code::kOutOfRange, 400},         {Code::kPermissionDenied, 403},
      {Code::kNotFound, 404},        {Code::kAlreadyExists, 409},      {Code::kFailedPrecondition, 409},
      {Code::kAborted, 409},         {Code::kUnimplemented, 501},      {Code::kUnavailable, 503},
      {Code::kCancelled, 503},       {Code::kResourceExhausted, 503},  {Code::kDeadlineExceeded, 504},
      {Code::kUnknown, 500},         {Code::kInternal, 500},           {Code::kDataLoss, 500},
      {Code::kUnauthenticated, 500}};
  for (const auto& [code, status] : cases) {
    w.takes = Error("so it is", code);
    const auto got = w.ask("POST", "/people", R"({"name":"ann"})");
    EXPECT_EQ(got.status, status) << static_cast<int>(code);
    EXPECT_EQ(got.error(), "so it is");
  }
}

TEST(Api, WhatIsNotTakenIsAsItWasBefore) {
  World w;
  ASSERT_EQ(w.ask("POST", "/people", R"({"name":"ann","mail":"ann@example.com"})").status, 201);
  ASSERT_EQ(w.ask("POST", "/regions", Data().text("name", "south").text("kubeconfig", kKubeconfig).take()).status, 201);
  EXPECT_EQ(w.asked_to_take, (std::vector<std::string>{"", "south"}));
  const auto before = *w.store.settings();
  w.takes = Error("no", Code::kUnavailable);
  const struct {
    const char *method, *path, *body;
  } cases[] = {
      {"POST", "/people", R"({"name":"bob"})"},
      {"POST", "/people", R"({"name":"ann","mail":"other@example.com"})"},
      {"DELETE", "/people/ann", ""},
      {"POST", "/rules", R"({"name":"mine","kind":"Pod","type":"mine.seen"})"},
      {"POST", "/cleaning/policies", R"({"type":"*","keep":"1d"})"},
      {"PUT", "/regions/south", R"({"environment":"trial"})"},
      {"DELETE", "/regions/south", ""},
  };
  for (const auto& c : cases) {
    const auto got = w.ask(c.method, c.path, c.body);
    EXPECT_EQ(got.status, 503) << c.path << got.text;
    const auto after = *w.store.settings();
    ASSERT_EQ(after.size(), before.size()) << c.method << c.path;
    for (size_t i = 0; i < after.size(); ++i) {
      EXPECT_EQ(after[i].name, before[i].name) << c.path;
      EXPECT_EQ(after[i].value, before[i].value) << c.path;
      EXPECT_EQ(after[i].secret, before[i].secret) << c.path;
    }
  }
}

TEST(Api, HostileTextsComeOutAsTexts) {
  World w;
  Event e = event_of("release.deployed");
  const std::string bad = "<script>alert(1)</script>'; drop table event; --\x7f\"\\";
  e.subject.name = e.subject.kind = e.release = e.reason = e.message = bad;
  e.labels = {{bad, bad}};
  w.store.add(e);
  const auto got = w.ask("GET", "/events");
  ASSERT_EQ(got.status, 200);
  EXPECT_EQ(got.text.find("<script"), std::string::npos);
  const value::Value* first = &value_at(got.json, {"items"})->items()[0];
  EXPECT_EQ(text_at(*first, {"message"}), clean_text(bad));
  EXPECT_EQ(w.ask("GET", "/").text.find("<script"), std::string::npos);
}

}  // namespace
}  // namespace pintle::lookout
