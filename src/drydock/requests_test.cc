// Requests through serve() without a socket: what they do. How malformed ones are refused is recorded
// (tests/e2e/requests).
#include <gtest/gtest.h>

#include "base/strings.h"
#include "drydock/rest.h"
#include "drydock/testing/recorded.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

constexpr const char* kJson = "application/json";
constexpr const char* kMerge = "application/merge-patch+json";
constexpr std::string_view kMaps = "/api/v1/namespaces/shop/configmaps";

struct Requests : testing::Test {
  Requests()
      : machine(options()),
        rest{machine, {{"tok", "admin", Token::Role::kAdmin},
                       {"seer", "sue", Token::Role::kView},
                       {"editor", "ed", Token::Role::kEdit}}} {
    Lock held(machine.lock());
    machine.seed();
  }
  void SetUp() override {
    ask("POST", "/api/v1/namespaces", kJson, R"({"metadata":{"name":"shop"}})");
    ASSERT_EQ(last->status, 201) << last->body;
    ask("POST", cat(kMaps, "?fieldManager=owner"), kJson, R"({"metadata":{"name":"kept"},"data":{"a":"1"}})");
    ASSERT_EQ(last->status, 201) << last->body;
  }
  ~Requests() override { hang_up(); }
  void compact() {
    Lock held(machine.lock());
    machine.store().compact();
  }
  uint64_t version_now() {
    Lock held(machine.lock());
    return machine.store().version();
  }
  void hang_up() {  // as the server does for a peer that has gone: a watch and its exchange hold each other
    if (last && last->closed) std::exchange(last->closed, nullptr)();
  }
  static Options options() {
    Options o;
    o.controllers = false;
    return o;
  }
  // The answer as a tree; nil when it is no JSON.
  Value ask(std::string method, std::string_view target, std::string_view type = "", std::string body = "",
            std::string_view accept = "application/json", std::string_view token = "tok") {
    httpd::Request r;
    r.method = std::move(method);
    size_t mark = target.find('?');
    r.path = target.substr(0, mark);
    if (mark != std::string_view::npos) r.query = target.substr(mark + 1);
    r.body = std::move(body);
    if (!type.empty()) r.headers.push_back({"Content-Type", std::string(type)});
    if (!accept.empty()) r.headers.push_back({"Accept", std::string(accept)});
    if (!token.empty()) r.headers.push_back({"Authorization", cat("Bearer ", token)});
    hang_up();
    last = std::make_shared<Recorded>(std::move(r));
    serve(rest, last);
    auto v = json::read(last->body, {.numbers = json::Numbers::kExact});
    return v ? std::move(*v) : Value();
  }
  int code(std::string method, std::string_view target, std::string_view type = "", std::string body = "") {
    ask(std::move(method), target, type, std::move(body));
    return last->status;
  }

  Machine machine;
  Rest rest;
  std::shared_ptr<Recorded> last;  // shared_ptr: as serve() takes it
};

TEST_F(Requests, NeedATokenThatIsKnownAndMay) {
  struct { const char *claim, *token, *method, *target; int status; const char* message; } cases[] = {
      {"wrong token", "wrong", "GET", "/api/v1/pods", 401, "Unauthorized"},
      {"no token", "", "GET", "/api/v1/pods", 403,
       "pods is forbidden: User \"system:anonymous\" cannot list resource \"pods\" in API group \"\" at the cluster scope"},
      {"no token, a path", "", "GET", "/apis", 403, "forbidden: User \"system:anonymous\" cannot get path \"/apis\""},
      {"view writes", "seer", "DELETE", "/api/v1/namespaces/shop/configmaps/kept", 403,
       "configmaps \"kept\" is forbidden: User \"sue\" cannot delete resource \"configmaps\" in API group \"\" in the namespace \"shop\""},
      {"view creates", "seer", "POST", "/apis/apps/v1/namespaces/shop/deployments", 403,
       "deployments.apps is forbidden: User \"sue\" cannot create resource \"deployments\" in API group \"apps\" in the namespace \"shop\""},
      {"view reads secrets", "seer", "GET", "/api/v1/namespaces/shop/secrets", 403,
       "secrets is forbidden: User \"sue\" cannot list resource \"secrets\" in API group \"\" in the namespace \"shop\""},
      {"edit makes namespaces", "editor", "POST", "/api/v1/namespaces", 403,
       "namespaces is forbidden: User \"ed\" cannot create resource \"namespaces\" in API group \"\" at the cluster scope"},
      {"view reads", "seer", "GET", "/api/v1/namespaces/shop/configmaps/kept", 200, ""},
  };
  for (auto& c : cases) {
    Value got = ask(c.method, c.target, kJson, "{}", "application/json", c.token);
    EXPECT_EQ(last->status, c.status) << c.claim;
    EXPECT_EQ(text(got, "message"), c.message) << c.claim;
  }
}

TEST_F(Requests, AreAllowedWhatRolesAndBindingsGive) {
  const std::string core = "/api/v1/namespaces/shop", rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/shop";
  ask("POST", core + "/serviceaccounts", kJson, R"({"metadata":{"name":"robot"}})");
  ask("POST", rbac + "/roles", kJson,
      R"({"metadata":{"name":"reader"},"rules":[{"apiGroups":[""],"resources":["configmaps"],"verbs":["get"],"resourceNames":["kept"]}]})");
  ask("POST", rbac + "/rolebindings", kJson,
      R"({"metadata":{"name":"readers"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"reader"},
          "subjects":[{"kind":"ServiceAccount","name":"robot","namespace":"shop"}]})");
  ASSERT_EQ(last->status, 201) << last->body;
  Value made = ask("POST", core + "/serviceaccounts/robot/token", kJson, R"({"spec":{"expirationSeconds":600}})");
  ASSERT_EQ(last->status, 201) << last->body;
  const std::string token(text(made, "status", "token"));
  auto code = [&](const char* method, std::string_view target, std::string_view as) {
    ask(method, target, kJson, *method == 'G' ? "" : "{}", "application/json", as);
    return last->status;
  };
  const std::string kept = core + "/configmaps/kept";
  EXPECT_EQ(code("GET", kept, token), 200);
  EXPECT_EQ(code("GET", core + "/configmaps/other", token), 403);
  EXPECT_EQ(code("DELETE", kept, token), 403);
  EXPECT_EQ(code("GET", core + "/configmaps", token), 403);
  EXPECT_EQ(code("GET", kept, token + "x"), 401) << "the signature is looked at";
  Value review = ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", kJson, cat(R"({"spec":{"token":")", token, R"("}})"));
  EXPECT_EQ(text(review, "status", "user", "username"), "system:serviceaccount:shop:robot");
  ASSERT_TRUE(machine.step(601'000'000'000));
  EXPECT_EQ(code("GET", kept, token), 401) << "its time is up";
  ask("DELETE", core + "/serviceaccounts/robot");
  EXPECT_EQ(code("GET", kept, token), 401);
}

TEST_F(Requests, QuotasLimitHowManyThereAre) {
  ask("POST", "/api/v1/namespaces/shop/resourcequotas", kJson,
      R"({"metadata":{"name":"q"},"spec":{"hard":{"configmaps":"2","count/deployments.apps":"0"}}})");
  ASSERT_EQ(last->status, 201) << last->body;
  EXPECT_EQ(code("POST", kMaps, kJson, R"({"metadata":{"name":"second"}})"), 201);
  Value refused = ask("POST", kMaps, kJson, R"({"metadata":{"name":"third"}})");
  EXPECT_EQ(last->status, 403);
  EXPECT_EQ(text(refused, "message"),
            "configmaps \"third\" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=2, limited: configmaps=2");
  EXPECT_EQ(code("POST", "/api/v1/namespaces/default/configmaps", kJson, R"({"metadata":{"name":"third"}})"), 201);
}

TEST_F(Requests, BudgetsHoldEvictionsBack) {
  const std::string pods = "/api/v1/namespaces/shop/pods";
  for (const char* n : {"a", "b"}) {
    ask("POST", pods, kJson, cat(R"({"metadata":{"name":")", n, R"(","labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"i"}]}})"));
    EXPECT_EQ(code("PATCH", cat(pods, "/", n, "/status"), kMerge, R"({"status":{"phase":"Running"}})"), 200);
  }
  const std::string budgets = "/apis/policy/v1/namespaces/shop/poddisruptionbudgets";
  ask("POST", budgets, kJson, R"({"metadata":{"name":"least"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"x"}}}})");
  ASSERT_EQ(last->status, 201) << last->body;
  Value refused = ask("POST", pods + "/a/eviction", kJson, "{}");
  EXPECT_EQ(last->status, 429) << "its controller has not seen it yet";
  EXPECT_EQ(number(refused, "details", "retryAfterSeconds"), 10);
  ask("PATCH", budgets + "/least/status", kMerge,
      R"({"status":{"observedGeneration":1,"disruptionsAllowed":1,"currentHealthy":2,"desiredHealthy":1,"expectedPods":2}})");
  EXPECT_EQ(code("POST", pods + "/a/eviction", kJson, "{}"), 201);
  EXPECT_EQ(code("POST", pods + "/b/eviction", kJson, "{}"), 429);
}

TEST_F(Requests, PagesShowTheStateOfTheFirst) {
  for (const char* n : {"x", "y"}) ask("POST", kMaps, kJson, cat(R"({"metadata":{"name":")", n, R"("}})"));
  Value page = ask("GET", cat(kMaps, "?limit=1"));
  const std::string next(text(page, "metadata", "continue")), version(text(page, "metadata", "resourceVersion"));
  ask("DELETE", cat(kMaps, "/x"));
  ask("POST", kMaps, kJson, R"({"metadata":{"name":"w"}})");
  auto names = [&](std::string_view query) {
    std::string out;
    Value list = ask("GET", cat(kMaps, query));
    for (const Value& v : items(list, "items")) append(out, {name_of(v), " "});
    return out;
  };
  EXPECT_EQ(names("?continue=" + next), "x y ");
  EXPECT_EQ(names("?resourceVersionMatch=Exact&resourceVersion=" + version), "kept x y ");
  EXPECT_EQ(names("?resourceVersionMatch=NotOlderThan&resourceVersion=" + version), "kept w y ");
  compact();
  EXPECT_EQ(code("GET", cat(kMaps, "?resourceVersionMatch=Exact&resourceVersion=", version)), 410);
}

TEST_F(Requests, GenerateNamesThatDiffer) {
  Value a = ask("POST", kMaps, kJson, R"({"metadata":{"generateName":"gen-"}})");
  Value b = ask("POST", kMaps, kJson, R"({"metadata":{"generateName":"gen-"}})");
  EXPECT_EQ(name_of(a).size(), 9u);
  EXPECT_TRUE(name_of(a).starts_with("gen-"));
  EXPECT_NE(name_of(a), name_of(b));
}

TEST_F(Requests, DryRunsStoreNothing) {
  uint64_t before = version_now();
  std::string kept = cat(kMaps, "/kept?dryRun=All");
  EXPECT_EQ(code("POST", cat(kMaps, "?dryRun=All"), kJson, R"({"metadata":{"name":"dry"}})"), 201);
  EXPECT_EQ(code("PUT", kept, kJson, R"({"metadata":{"name":"kept"},"data":{"a":"2"}})"), 200);
  EXPECT_EQ(code("PATCH", kept, kMerge, R"({"data":{"a":"2"}})"), 200);
  EXPECT_EQ(code("DELETE", kept), 200);
  EXPECT_EQ(code("DELETE", cat(kMaps, "?dryRun=All")), 200);
  EXPECT_EQ(version_now(), before);
  EXPECT_EQ(code("GET", cat(kMaps, "/dry")), 404);
  EXPECT_EQ(text(ask("GET", cat(kMaps, "/kept")), "data", "a"), "1");
}

TEST_F(Requests, PreconditionsHoldDeletesBack) {
  std::string kept = cat(kMaps, "/kept");
  Value live = ask("GET", kept);
  std::string uid(uid_of(live)), version(text(live, "metadata", "resourceVersion"));
  Value got = ask("DELETE", kept, kJson, R"({"preconditions":{"uid":"zz"}})");
  EXPECT_EQ(last->status, 409);
  EXPECT_EQ(text(got, "message"),
            cat("Operation cannot be fulfilled on ConfigMap \"kept\": the UID in the precondition (zz) does not match the "
                "UID in record (", uid, "). The object might have been deleted and then recreated"));
  got = ask("DELETE", kept, kJson, R"({"preconditions":{"resourceVersion":"1"}})");
  EXPECT_EQ(text(got, "message"),
            cat("Operation cannot be fulfilled on ConfigMap \"kept\": the ResourceVersion in the precondition (1) does not "
                "match the ResourceVersion in record (", version, "). The object might have been modified"));
  EXPECT_EQ(code("DELETE", kept, kJson, cat(R"({"preconditions":{"uid":")", uid, R"("}})")), 200);
  EXPECT_EQ(code("GET", kept), 404);
}

TEST_F(Requests, FinalizersKeepAnObjectUntilTheyAreGone) {
  std::string held = cat(kMaps, "/held");
  ask("POST", kMaps, kJson, R"({"metadata":{"name":"held","finalizers":["a.b/c"]}})");
  ASSERT_EQ(last->status, 201);
  Value got = ask("DELETE", held);
  EXPECT_EQ(last->status, 200);
  EXPECT_EQ(text(got, "kind"), "ConfigMap");
  EXPECT_FALSE(text(ask("GET", held), "metadata", "deletionTimestamp").empty());
  EXPECT_EQ(code("PATCH", held, kMerge, R"({"metadata":{"finalizers":null}})"), 200);
  EXPECT_EQ(code("GET", held), 404);
}

TEST_F(Requests, DeleteCollectionTakesTheSelected) {
  for (const char* n : {"x", "y"}) ask("POST", kMaps, kJson, cat(R"({"metadata":{"name":")", n, R"(","labels":{"l":")", n, R"("}}})"));
  Value got = ask("DELETE", cat(kMaps, "?labelSelector=l%3Dx"));
  EXPECT_EQ(text(got, "kind"), "ConfigMapList");
  EXPECT_EQ(items(got, "items").size(), 1u);
  EXPECT_EQ(code("GET", cat(kMaps, "/x")), 404);
  EXPECT_EQ(code("GET", cat(kMaps, "/y")), 200);
}

TEST_F(Requests, ListsComeInPages) {
  for (const char* n : {"x", "y"}) ask("POST", kMaps, kJson, cat(R"({"metadata":{"name":")", n, R"("}})"));
  Value page = ask("GET", cat(kMaps, "?limit=2"));
  EXPECT_EQ(items(page, "items").size(), 2u);
  EXPECT_EQ(number(page, "metadata", "remainingItemCount"), 1);
  std::string next(text(page, "metadata", "continue"));
  page = ask("GET", cat(kMaps, "?limit=2&continue=", next));
  ASSERT_EQ(items(page, "items").size(), 1u);
  EXPECT_EQ(name_of(items(page, "items")[0]), "y");
  EXPECT_TRUE(text(page, "metadata", "continue").empty());
  ask("POST", kMaps, kJson, R"({"metadata":{"name":"z"}})");
  compact();
  EXPECT_EQ(text(ask("GET", cat(kMaps, "?limit=2&continue=", next)), "reason"), "Expired");
  EXPECT_EQ(last->status, 410);
}

TEST_F(Requests, AnswersComeInTheFormAskedFor) {
  struct { const char *accept, *target, *kind, *api_version; } cases[] = {
      {"application/json;as=Table;v=v1;g=meta.k8s.io", "/kept", "Table", "meta.k8s.io/v1"},
      {"application/json;as=Table;v=v1;g=meta.k8s.io,application/json", "", "Table", "meta.k8s.io/v1"},
      {"application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "/kept", "PartialObjectMetadata", "meta.k8s.io/v1"},
      {"application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", "", "PartialObjectMetadataList", "meta.k8s.io/v1"},
      {"application/vnd.kubernetes.protobuf,application/json", "/kept", "ConfigMap", "v1"},
      {"*/*", "", "ConfigMapList", "v1"}, {"", "/kept", "ConfigMap", "v1"}};
  for (auto& c : cases) {
    Value got = ask("GET", cat(kMaps, c.target), "", "", c.accept);
    EXPECT_EQ(last->status, 200) << c.accept;
    EXPECT_EQ(text(got, "kind"), c.kind) << c.accept;
    EXPECT_EQ(text(got, "apiVersion"), c.api_version) << c.accept;
  }
  ask("GET", cat(kMaps, "/kept"), "", "", "application/yaml");
  EXPECT_TRUE(last->body.starts_with("apiVersion: v1\ndata:\n")) << last->body;
}

TEST_F(Requests, WatchesStartWhereTheyAreAsked) {
  std::string version = std::to_string(version_now());
  ask("POST", kMaps, kJson, R"({"metadata":{"name":"later"}})");
  struct { const char* claim; std::string query; size_t frames; const char* first; } cases[] = {
      {"from a version: what came after it", "resourceVersion=" + version, 1, "{\"type\":\"ADDED\""},
      {"from nowhere: the state", "", 2, "{\"type\":\"ADDED\""},
      {"of one name", "fieldSelector=metadata.name%3Dlater", 1, "{\"type\":\"ADDED\""},
      {"initial events end", "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", 3,
       "{\"type\":\"ADDED\""},
  };
  for (auto& c : cases) {
    ask("GET", cat(kMaps, "?watch=1&", c.query));
    EXPECT_EQ(last->status, 200) << c.claim;
    ASSERT_EQ(last->frames.size(), c.frames) << c.claim;
    EXPECT_TRUE(last->frames[0].starts_with(c.first)) << c.claim;
  }
  EXPECT_NE(last->frames.back().find("\"k8s.io/initial-events-end\":\"true\""), std::string::npos);
  EXPECT_TRUE(last->frames.back().starts_with("{\"type\":\"BOOKMARK\""));
  compact();
  ask("GET", cat(kMaps, "?watch=1&resourceVersion=", version));
  ASSERT_EQ(last->frames.size(), 1u);
  EXPECT_TRUE(last->finished);
  EXPECT_NE(last->frames[0].find("\"reason\":\"Expired\",\"code\":410"), std::string::npos) << last->frames[0];
}

}  // namespace
}  // namespace pintle::drydock
