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

}  // namespace
}  // namespace pintle::lookout
