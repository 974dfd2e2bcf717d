#include "lookout/clean/policy.h"

#include <gtest/gtest.h>

namespace pintle::lookout {
namespace {

CleaningPolicy of(std::string type, std::vector<std::string> kinds = {},
                  std::vector<std::string> reasons = {}, std::vector<std::string> namespaces = {}) {
  CleaningPolicy p;
  p.name = type + "/" + std::to_string(kinds.size() + reasons.size() + namespaces.size());
  p.type = std::move(type);
  p.kinds = std::move(kinds);
  p.reasons = std::move(reasons);
  p.namespaces = std::move(namespaces);
  p.keep_ms = 1;
  return p;
}

TEST(Policies, AnEventGoesByTheMostParticularThatFits) {
  const std::vector<CleaningPolicy> all = {of("*"),
                                           of("pod.*"),
                                           of("pod.failed"),
                                           of("pod.failed", {"Pod"}),
                                           of("pod.failed", {"Pod"}, {"OOM"}),
                                           of("*", {}, {}, {"trial"}),
                                           of("gap")};
  struct Case {
    std::string_view type, kind, reason, name_space, want;
  };
  const Case cases[] = {
      {"pod.failed", "Pod", "OOM", "shop", "pod.failed/2"},
      {"pod.failed", "Pod", "Evicted", "shop", "pod.failed/1"},
      {"pod.failed", "Job", "OOM", "trial", "pod.failed/0"},
      {"pod.evicted", "Pod", "OOM", "trial", "pod.*/0"},
      {"release.step", "", "", "trial", "*/1"},
      {"release.step", "", "", "shop", "*/0"},
      {"podium.full", "", "", "shop", "*/0"},
  };
  for (const Case& c : cases) {
    std::string_view found;
    for (const CleaningPolicy* p : policies_of(c.type, all)) {
      if (!takes(*p, c.kind, c.reason, c.name_space)) continue;
      found = p->name;
      break;
    }
    EXPECT_EQ(found, c.want) << c.type << " " << c.kind << " " << c.reason;
  }
}

TEST(Policies, ATableHasItsOwnOrTheDefaultOne) {
  const std::vector<CleaningPolicy> all = {of("*", {"Pod"}), of("*"), of("gap"), of("pod.*")};
  EXPECT_EQ(policy_of_table("gap", all), &all[2]);
  EXPECT_EQ(policy_of_table("dead", all), &all[1]);
  EXPECT_EQ(policy_of_table("dead", {of("*", {"Pod"}), of("pod.*")}), nullptr);
  EXPECT_TRUE(policies_of("gap", {of("gap"), of("pod.*")}).size() == 1);
  EXPECT_TRUE(policies_of("release.step", {of("pod.*")}).empty());
}

}  // namespace
}  // namespace pintle::lookout
