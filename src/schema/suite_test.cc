// The official JSON-Schema-Test-Suite, as Debian packages it (json-schema-test-suite), whole: every
// draft it has that we have. Skipped where the package is not installed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/strings.h"
#include "json/json.h"
#include "schema/schema.h"

namespace pintle::schema {
namespace {

namespace fs = std::filesystem;

const fs::path kSuite = "/usr/share/json-schema-test-suite";

// Go's library, and so ours, differs from the suite here: it takes the file's own "id" for a new
// base, under which the fragment-only identifier is not found.
constexpr std::string_view kDeviations[] = {
    "Location-independent identifier in remote ref",
};

struct DraftFolder {
  const char* folder;
  const char* schema;
};

void PrintTo(const DraftFolder& d, std::ostream* out) { *out << d.folder; }

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Result<std::string> load(const std::string& url) {
  const std::string_view path = without_prefix(url, "http://localhost:1234/");
  const fs::path file = kSuite / "remotes" / path;
  if (path == url || !fs::is_regular_file(file)) return Error("no such document");
  return slurp(file);
}

class Suite : public testing::TestWithParam<DraftFolder> {};

TEST_P(Suite, VerdictsAgree) {
  const fs::path folder = kSuite / "tests" / GetParam().folder;
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not installed (json-schema-test-suite)";
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    auto groups = json::read(slurp(entry.path()), {.numbers = json::Numbers::kExact});
    ASSERT_TRUE(groups) << entry.path();
    for (const auto& group : groups->items()) {
      value::Value schema = value::deep_copy(*group.get("schema"));
      if (schema.is_map() && !schema.get("$schema")) {
        schema.as_map()->set("$schema", value::str(GetParam().schema));
      }
      auto text = json::write(schema);
      ASSERT_TRUE(text);
      if (!schema.is_map() && std::string_view(GetParam().folder) == "draft4") continue;
      const auto about = group.get("description")->as_string();
      if (std::find(std::begin(kDeviations), std::end(kDeviations), about) !=
          std::end(kDeviations)) {
        continue;
      }
      for (const auto& test : group.get("tests")->items()) {
        auto verdict = validate(*test.get("data"), *text, load);
        EXPECT_EQ(verdict.has_value(), test.get("valid")->as_bool())
            << entry.path() << ": " << about << ": " << test.get("description")->as_string() << "\n"
            << (verdict ? "" : verdict.error().text());
        ++count;
      }
    }
  }
  EXPECT_GT(count, 100u);
}

INSTANTIATE_TEST_SUITE_P(
    Drafts, Suite,
    testing::Values(
        DraftFolder{"draft4", "http://json-schema.org/draft-04/schema#"},
        DraftFolder{"draft6", "http://json-schema.org/draft-06/schema#"},
        DraftFolder{"draft7", "http://json-schema.org/draft-07/schema#"},
        DraftFolder{"draft2019-09", "https://json-schema.org/draft/2019-09/schema"},
        DraftFolder{"draft2020-12", "https://json-schema.org/draft/2020-12/schema"}));

}  // namespace
}  // namespace pintle::schema
