// The lives of a release under one name, as lists tell of them: over a restart, and where a watch has
// lost its history.
#include <climits>

#include "lookout/testing/region_world.h"

namespace pintle::lookout {
namespace {

using Lines = std::vector<std::string>;

// A record that is there: the life it is of, and its revision.
struct Record {
  char life;
  int revision;
};

class LivesTest : public RegionTest {
 protected:
  struct Driver {
    std::string path, prefix, rest, labels, status;
  };
  const Driver kSecrets{"/api/v1/secrets", "sh.helm.release.v1.", R"("type":"helm.sh/release.v1")",
                        R"("owner":"helm","name":"web","status":")", "deployed"};
  const Driver kMaps{"/api/v1/configmaps", "sh.helm.release.v1.", "",
                     R"("owner":"helm","name":"web","status":")", "deployed"};
  const Driver kTiller{"/api/v1/configmaps", "", "", R"("OWNER":"TILLER","NAME":"web","STATUS":")", "DEPLOYED"};

  // The cluster has these records and no other of "web".
  void have(const Driver& d, const std::vector<Record>& records) {
    for (const auto& [path, key] : std::exchange(there_, {})) cluster_.remove(path, key);
    clock_.step(1'000'000'000);
    const int64_t at = clock_.now_ns() / 1'000'000'000;
    for (const Record& r : records) {
      const std::string name = cat(d.prefix, "web.v", r.revision);
      cluster_.put(d.path, {"shop", name, cat(std::string(1, r.life), r.revision), d.rest,
                            cat(d.labels, d.status, R"(","modifiedAt":")", at, R"(","MODIFIED_AT":")", at, "\"")});
      there_.emplace_back(d.path, "shop/" + name);
    }
  }
  // What was told of it, in its order: "uninstalled a2", by the record's uid.
  Lines told_of() {
    EventQuery query;
    query.release = "web";
    query.limit = 1000;
    Lines out;
    const auto events = store_.events(query);
    for (const StoredEvent& e : *events) out.push_back(cat(e.event.type.substr(8), " ", e.event.subject.uid));
    return out;
  }
  std::vector<std::pair<std::string, std::string>> there_;  // path, key
};

struct Case {
  const char* name;
  std::vector<Record> before, after;
  Lines want;
};
const Case kCases[] = {
    {"nothing follows", {{'a', 1}, {'a', 2}}, {}, {"deployed a1", "deployed a2", "uninstalled a2"}},
    {"fewer revisions",
     {{'a', 1}, {'a', 2}},
     {{'b', 1}},
     {"deployed a1", "deployed a2", "uninstalled a2", "deployed b1"}},
    {"as many",
     {{'a', 1}, {'a', 2}},
     {{'b', 1}, {'b', 2}},
     {"deployed a1", "deployed a2", "uninstalled a2", "deployed b1", "deployed b2"}},
    {"more",
     {{'a', 1}, {'a', 2}},
     {{'b', 1}, {'b', 2}, {'b', 3}},
     {"deployed a1", "deployed a2", "uninstalled a2", "deployed b1", "deployed b2", "deployed b3"}},
    {"the old one's first and the new one's first are pruned",
     {{'a', 9}, {'a', 10}},
     {{'b', 10}, {'b', 11}},
     {"deployed a9", "deployed a10", "uninstalled a10", "deployed b10", "deployed b11"}},
    {"one life, pruned", {{'a', 1}, {'a', 2}}, {{'a', 2}, {'a', 3}}, {"deployed a1", "deployed a2", "deployed a3"}},
    {"one life, all of it pruned",
     {{'a', 1}, {'a', 2}},
     {{'a', 3}, {'a', 4}},
     {"deployed a1", "deployed a2", "deployed a3", "deployed a4"}},
};

TEST_F(LivesTest, EndOnceAndBeforeTheNextBegins) {
  store_.versions_left = store_.counts_left = INT_MAX;
  int n = 0;
  for (const Driver* d : {&kSecrets, &kMaps, &kTiller}) {
    for (const Case& c : kCases) {
      for (const bool restart : {true, false}) {
        region_.reset();
        have(*d, {});
        cluster_.uid = cat("cluster-", ++n);  // and so nothing of it is known
        config_.name = cat("eu-", n);
        const size_t before = told_of().size();
        begin();
        have(*d, c.before);
        settle();
        cluster_.bookmark();
        settle();
        restart ? region_.reset() : cluster_.cut_with(410);
        have(*d, c.after);
        restart ? begin() : settle();
        pass(120'000, 10'000);
        begin();  // again: nothing is told twice
        Lines told = told_of();
        told.erase(told.begin(), told.begin() + static_cast<std::ptrdiff_t>(before));
        EXPECT_EQ(told, c.want) << d->path << d->prefix << ": " << c.name << (restart ? ", over a restart" : ", lost");
      }
    }
  }
}

TEST_F(LivesTest, WaitForTheStoreThatKnowsWhatWasThere) {
  begin();
  have(kSecrets, {{'a', 1}});
  settle();
  region_.reset();
  have(kSecrets, {{'b', 1}});
  store_.counts_left = 1;  // that of the Events, as it connects
  begin();
  EXPECT_EQ(told_of(), (Lines{"deployed a1"}));
  store_.counts_left = 1000;
  pass(2000);
  EXPECT_EQ(told_of(), (Lines{"deployed a1", "uninstalled a1", "deployed b1"}));
}

TEST_F(LivesTest, OfAKindThatIsRefusedAreNotWaitedFor) {
  config_.namespaces = {"shop", "closed"};
  cluster_.refuse["/api/v1/namespaces/closed/secrets"] = 403;
  begin();
  const std::string path = "/api/v1/namespaces/shop/secrets";
  Driver d = kSecrets;
  d.path = path;
  have(d, {{'a', 1}});
  settle();
  EXPECT_EQ(told_of(), (Lines{"deployed a1"}));
}

}  // namespace
}  // namespace pintle::lookout
