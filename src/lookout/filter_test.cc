#include "lookout/filter.h"

#include <gtest/gtest.h>

namespace pintle::lookout {
namespace {

Event release_event() {
  Event e;
  e.type = "release.failed";
  e.severity = Severity::kError;
  e.subject = {"", "v1", "Secret", "shop", "sh.helm.release.v1.web.v2", "u1"};
  e.release = "web";
  e.release_namespace = "shop";
  e.reason = "failed";
  e.labels = {{"team", "pay"}, {"tier", "front"}};
  return e;
}

TEST(Filter, WantsWhatEachConditionNames) {
  struct Case {
    const char* name;
    Filter filter;
    bool want;
  };
  auto with = [](auto set) {
    Filter f;
    set(f);
    return f;
  };
  const Case cases[] = {
      {"an empty filter matches everything", {}, true},
      {"the exact type", with([](Filter& f) { f.types = {"release.failed"}; }), true},
      {"all types below", with([](Filter& f) { f.types = {"release.*"}; }), true},
      {"every type", with([](Filter& f) { f.types = {"*"}; }), true},
      {"a prefix without a dot is no pattern", with([](Filter& f) { f.types = {"release"}; }),
       false},
      {"one of several types", with([](Filter& f) { f.types = {"pod.*", "release.failed"}; }),
       true},
      {"another type", with([](Filter& f) { f.types = {"released.*"}; }), false},
      {"region", with([](Filter& f) { f.regions = {"eu"}; }), true},
      {"another region", with([](Filter& f) { f.regions = {"us"}; }), false},
      {"environment", with([](Filter& f) { f.environments = {"prod"}; }), true},
      {"another environment", with([](Filter& f) { f.environments = {"test"}; }), false},
      {"namespace", with([](Filter& f) { f.namespaces = {"shop"}; }), true},
      {"another namespace", with([](Filter& f) { f.namespaces = {"sho"}; }), false},
      {"kind", with([](Filter& f) { f.kinds = {"Pod"}; }), false},
      {"reason", with([](Filter& f) { f.reasons = {"failed"}; }), true},
      {"release", with([](Filter& f) { f.releases = {"api", "web"}; }), true},
      {"severe enough", with([](Filter& f) { f.min_severity = Severity::kError; }), true},
      {"one label of two", with([](Filter& f) { f.labels = {{"team", "pay"}}; }), true},
      {"all labels must be equal",
       with([](Filter& f) { f.labels = {{"team", "pay"}, {"tier", "back"}}; }), false},
      {"a label that is absent", with([](Filter& f) { f.labels = {{"zone", ""}}; }), false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(matches(c.filter, release_event(), "eu", "prod"), c.want) << c.name;
  }
}

TEST(Filter, LeavesOutWhatIsNotSevereEnough) {
  Filter f;
  f.min_severity = Severity::kWarning;
  Event e = release_event();
  e.severity = Severity::kInfo;
  EXPECT_FALSE(matches(f, e, "eu", "prod"));
}

TEST(Filter, FindsTheReleasesNamespaceOfAClusterWideObject) {
  Filter f;
  f.namespaces = {"shop"};
  Event e = release_event();
  e.subject.name_space = "";
  EXPECT_TRUE(matches(f, e, "eu", "prod"));
}

TEST(Filter, KnowsPatternsSelectorsAndTheTreeOfScopes) {
  const struct {
    std::string_view name;
    std::vector<std::string> reasons, patterns;
    std::string selector;
    std::vector<std::string> scopes;
    bool want;
  } cases[] = {
      {"a pattern found anywhere", {}, {"ail"}, "", {}, true},
      {"an anchored pattern", {}, {"^ailed"}, "", {}, false},
      {"one of two patterns", {}, {"^x", "^fa.*d$"}, "", {}, true},
      {"a reason or a pattern", {"failed"}, {"^x"}, "", {}, true},
      {"neither", {"deployed"}, {"^x"}, "", {}, false},
      {"an equal label", {}, {}, "team=pay", {}, true},
      {"one of a set", {}, {}, "team in (a, pay)", {}, true},
      {"none of a set", {}, {}, "team notin (a, b)", {}, true},
      {"another value", {}, {}, "team!=pay", {}, false},
      {"!= fits what lacks the label", {}, {}, "zone != a", {}, true},
      {"a label that is there, one that is not", {}, {}, "team,!zone", {}, true},
      {"a label that is not there", {}, {}, "zone", {}, false},
      {"all of them", {}, {}, "team=pay,zone=a", {}, false},
      {"everywhere", {}, {}, "", {"/"}, true},
      {"the region", {}, {}, "", {"eu"}, true},
      {"another region", {}, {}, "", {"us"}, false},
      {"the namespace", {}, {}, "", {"eu/shop"}, true},
      {"another namespace", {}, {}, "", {"eu/sho"}, false},
      {"the release", {}, {}, "", {"eu/shop/web"}, true},
      {"another release", {}, {}, "", {"eu/shop/we"}, false},
      {"the same release elsewhere", {}, {}, "", {"us/shop/web"}, false},
      {"one of many", {}, {}, "", {"us", "eu/shop"}, true},
  };
  for (const auto& c : cases) {
    Filter f;
    f.reasons = c.reasons;
    f.reason_patterns = c.patterns;
    f.selector = c.selector;
    f.scopes = c.scopes;
    ASSERT_TRUE(compile(f)) << c.name;
    EXPECT_EQ(matches(f, release_event(), "eu", "prod"), c.want) << c.name;
  }
}

TEST(Filter, SaysWhatCannotBeRead) {
  const struct {
    std::string patterns, selector, scope, why;
  } cases[] = {
      {"(", "", "", "reason_patterns: error parsing regexp: missing closing )"},
      {"", "a in b", "", "selector: want \"(\" before \"b\""},
      {"", "a in (", "", "selector: want a value at the end"},
      {"", "a b", "", "selector: want =, !=, in or notin before \"b\""},
      {"", "a=b c=d", "", "selector: want \",\" before \"c\""},
      {"", "=b", "", "selector: want a label before \"=\""},
      {"", "", "eu//web", "scopes: want"},
      {"", "", "eu/a/b/c", "scopes: want"},
      {"", "", "/eu", "scopes: want"},
  };
  for (const auto& c : cases) {
    Filter f;
    if (!c.patterns.empty()) f.reason_patterns = {c.patterns};
    f.selector = c.selector;
    if (!c.scope.empty()) f.scopes = {c.scope};
    const Status s = compile(f);
    ASSERT_FALSE(s) << c.why;
    EXPECT_EQ(s.error().text().substr(0, c.why.size()), c.why);
  }
}

TEST(Filter, ThatWasNotCompiledMatchesNothing) {
  Filter f;
  f.reason_patterns = {""};
  EXPECT_FALSE(matches(f, release_event(), "eu", "prod"));
}

TEST(Filter, AScopeCoversWhatIsBelowIt) {
  EXPECT_TRUE(scope_covers("/", "eu/shop/web"));
  EXPECT_TRUE(scope_covers("eu", "eu/shop/web"));
  EXPECT_TRUE(scope_covers("eu/shop/web", "eu/shop/web"));
  EXPECT_FALSE(scope_covers("eu/shop", "eu/shopping"));
  EXPECT_FALSE(scope_covers("eu/shop", "eu"));
}

}  // namespace
}  // namespace pintle::lookout
