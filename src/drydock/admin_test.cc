// The admin endpoint and what it keeps, on an exchange that records.
#include "drydock/admin.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "drydock/certificates.h"

namespace pintle::drydock {
namespace {

class Recorded : public httpd::Exchange {
 public:
  explicit Recorded(httpd::Request r) : request_(std::move(r)) {}
  const httpd::Request& request() const override { return request_; }
  void respond(httpd::Response r) override {
    status = r.status;
    for (const auto& frame : r.body) body += *frame;
  }
  void start(int, std::vector<httpd::Header>) override {}
  bool send(httpd::Frame) override { return false; }
  size_t queued_bytes() const override { return 0; }
  void finish() override {}
  void abort() override {}
  void on_close(std::function<void()> f) override { f(); }
  int status = 0;
  std::string body;

 private:
  httpd::Request request_;
};

struct Target : AdminTarget {
  size_t fault_watches(const WatchFilter& filter, WatchFault) override {
    return filter.resource == "pods" ? 2 : 5;
  }
  uint64_t compact() override { return 7; }
  Status step_clock(int64_t ns) override {
    stepped += ns;
    return ok();
  }
  std::string now() override { return "2026-01-01T00:00:00Z"; }
  void restart() override { restarted = true; }
  std::vector<std::pair<std::string, int64_t>> facts() override { return {{"objects", 3}}; }
  int64_t stepped = 0;
  bool restarted = false;
};

struct AdminTest : testing::Test {
  Faults faults;
  TruthLog truth;
  Target target;
  int status = 0;

  std::string call(std::string method, std::string path, std::string body = "",
                   std::string query = "", std::string token = "secret") {
    httpd::Request request;
    request.method = std::move(method);
    request.path = "/drydock/" + path;
    request.query = std::move(query);
    request.body = std::move(body);
    request.headers = {{"authorization", "Bearer " + token}};
    auto exchange = std::make_shared<Recorded>(std::move(request));
    serve_admin(exchange, {"secret", faults, truth, target});
    status = exchange->status;
    return exchange->body;
  }
};

TEST_F(AdminTest, NeedsItsToken) {
  for (const char* token : {"", "secreT", "secret2"}) {
    call("GET", "facts", "", "", token);
    EXPECT_EQ(status, 401) << token;
  }
  EXPECT_EQ(call("GET", "facts"), "{\"objects\":3}\n");
}

TEST_F(AdminTest, FaultsMatchFireAndRunOut) {
  call("POST", "faults",
       R"({"method":"GET","pathPrefix":"/api/v1/","status":429,"retryAfterSeconds":1,"count":2})");
  EXPECT_EQ(status, 201);
  EXPECT_EQ(faults.decide("PUT", "/api/v1/x", "a", false).effect, Fault::Effect::kNone);
  EXPECT_EQ(faults.decide("GET", "/apis/", "a", false).effect, Fault::Effect::kNone);
  for (int i = 0; i < 2; ++i) {
    const Action action = faults.decide("GET", "/api/v1/x", "a", false);
    EXPECT_EQ(action.effect, Fault::Effect::kStatus);
    EXPECT_EQ(action.status, 429);
    EXPECT_EQ(action.retry_after_seconds, 1);
  }
  EXPECT_EQ(faults.decide("GET", "/api/v1/x", "a", false).effect, Fault::Effect::kNone);
  EXPECT_NE(call("GET", "faults").find("\"fired\":2"), std::string::npos);
  call("DELETE", "faults/1");
  EXPECT_EQ(status, 200);
  call("DELETE", "faults/1");
  EXPECT_EQ(status, 404);
}

TEST_F(AdminTest, ProbabilityIsKept) {
  Fault cut;
  cut.user_agent = "helm";
  cut.probability = 0.25;
  cut.effect = Fault::Effect::kCut;
  faults.add(cut);
  int fired = 0;
  for (int i = 0; i < 10'000; ++i) {
    fired += faults.decide("GET", "/", "helm/4", false).effect == Fault::Effect::kCut;
  }
  EXPECT_NEAR(fired, 2500, 200);
}

TEST_F(AdminTest, RefusesBadInput) {
  for (const char* body : {"[", "[]", R"({"x":1})", R"({"probability":2})", R"({"status":200})",
                           R"({"effect":"status"})", R"({"effect":"boom"})", R"({"count":"1"})"}) {
    call("POST", "faults", body);
    EXPECT_EQ(status, 400) << body;
  }
  EXPECT_TRUE(faults.all().empty());
  call("GET", "nothing");
  EXPECT_EQ(status, 404);
  call("PUT", "log");
  EXPECT_EQ(status, 405);
  call("GET", "log", "", "since=-1");
  EXPECT_EQ(status, 400);
}

TEST_F(AdminTest, ReachesTheServer) {
  EXPECT_EQ(call("POST", "watches", R"({"resource":"pods"})"), "{\"watches\":2}\n");
  EXPECT_EQ(call("POST", "compact"), "{\"resourceVersion\":7}\n");
  call("POST", "clock", R"({"stepMilliseconds":1500})");
  EXPECT_EQ(target.stepped, 1'500'000'000);
  call("POST", "restart");
  EXPECT_TRUE(target.restarted);
}

TEST_F(AdminTest, LogsEveryChange) {
  truth.append(3, "ADDED", {"", "pods", "a", "x"});
  truth.append(9, "DELETED", {"apps", "deployments", "a", "y\""});
  EXPECT_EQ(call("GET", "log", "", "since=3"),
            R"({"resourceVersion":"9","type":"DELETED","group":"apps","resource":"deployments",)"
            R"("namespace":"a","name":"y\""})"
            "\n");
  for (uint64_t i = 10; i < 40'000; ++i) truth.append(i, "MODIFIED", {"", "pods", "a", "x"});
  const std::string rest = *truth.read(39'997, 1 << 20);
  EXPECT_EQ(std::count(rest.begin(), rest.end(), '\n'), 2);
  EXPECT_LT(truth.read(0, 1000)->size(), 1001u);
}

TEST(Certificates, NameTheAddress) {
  auto authority = make_authority();
  ASSERT_TRUE(authority);
  for (const char* address : {"127.0.0.1", "10.1.2.3", "::", "dock.example"}) {
    auto server = make_server_certificate(*authority, address);
    ASSERT_TRUE(server) << address;
    EXPECT_NE(server->cert, authority->cert);
  }
  EXPECT_NE(random_token(), random_token());
  EXPECT_NE(kubeconfig_text("https://127.0.0.1:1", authority->cert, "t").find("token: t"),
            std::string::npos);
}

}  // namespace
}  // namespace pintle::drydock
