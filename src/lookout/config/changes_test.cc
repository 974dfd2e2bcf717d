#include "lookout/config/changes.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace pintle::lookout {
namespace {

TEST(FileChanges, TellWhatAFileThatIsReadAnewBrings) {
  constexpr const char* kBefore = R"(
raw_events = true
[[regions]]
name = "a"
kubeconfig = "a.kubeconfig"
[[regions]]
name = "b"
kubeconfig = "b.kubeconfig"
[[tokens]]
name = "t"
sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
role = "read"
[[people]]
name = "ann"
mail = "ann@example.com"
)";
  constexpr const char* kAfter = R"(
raw_events = false
[[regions]]
name = "a"
kubeconfig = "a.kubeconfig"
enabled = false
[[regions]]
name = "c"
kubeconfig = "c.kubeconfig"
[[tokens]]
name = "t"
sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
role = "admin"
[[people]]
name = "ann"
mail = "other@example.com"
[[cleaning]]
type = "*"
keep = "30d"
[guard]
allow = ["hooks.internal"]
)";
  const auto before = parse_config(kBefore, "f.toml"), after = parse_config(kAfter, "f.toml");
  ASSERT_TRUE(before) << before.error().text();
  ASSERT_TRUE(after) << after.error().text();
  std::vector<std::string> told;
  std::string all;
  for (const AuditChange& c : file_changes(*before, *after)) {
    told.push_back(cat(c.verb, " ", c.kind, " ", c.name));
    all += c.fields + "\n";
  }
  EXPECT_EQ(told, (std::vector<std::string>{"changed region a", "removed region b", "added region c",
                                            "added cleaning *", "changed person ann", "changed token t",
                                            "changed configuration file"}));
  for (const char* want : {R"({"field":"enabled","before":true,"after":false})",
                           R"({"field":"mail","before":"***","after":"***"})",
                           R"({"field":"sha256","before":"***","after":"***"})",
                           R"({"field":"role","before":"read","after":"admin"})",
                           R"({"field":"guard.allow","before":[],"after":["hooks.internal"]})",
                           R"({"field":"raw_events","before":true,"after":false})"}) {
    EXPECT_NE(all.find(want), std::string::npos) << want << "\n" << all;
  }
  for (const char* hidden : {"@example.com", "9f86d081", "00000000"}) EXPECT_EQ(all.find(hidden), std::string::npos);
  EXPECT_TRUE(file_changes(*after, *after).empty());
}

}  // namespace
}  // namespace pintle::lookout
