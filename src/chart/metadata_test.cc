#include <gtest/gtest.h>

#include "chart/chart.h"
#include "chart/timestamp.h"

namespace pintle::chart {
namespace {

const std::string kBase = "apiVersion: v2\nname: x\nversion: 1.2.3\n";

// What `show chart` prints, or the error, as recorded from Helm 4.3.1.
std::string shown(const std::string& text) {
  auto metadata = parse_metadata(text);
  if (!metadata) return "cannot load Chart.yaml: " + metadata.error().text();
  if (metadata->api_version.empty()) metadata->api_version = "v1";
  if (const Status valid = validate(*metadata); !valid) return valid.error().text();
  return metadata_yaml(*metadata).value();
}

constexpr std::string_view kFrame =
    "cannot load Chart.yaml: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ";

TEST(Metadata, WrongTypesGetHelmsWords) {
  const std::pair<std::string, std::string> rows[] = {
      {"maintainers: foo",
       "string into Go struct field Metadata.maintainers of type []*v2.Maintainer"},
      {"maintainers: {}",
       "object into Go struct field Metadata.maintainers of type []*v2.Maintainer"},
      {"maintainers: [foo]",
       "string into Go struct field Metadata.maintainers of type v2.Maintainer"},
      {"dependencies: {a: b}",
       "object into Go struct field Metadata.dependencies of type []*v2.Dependency"},
      {"dependencies: [{name: a, tags: foo}]",
       "string into Go struct field Dependency.dependencies.tags of type []string"},
      {"dependencies: [{name: a, import-values: 1}]",
       "number into Go struct field Dependency.dependencies.import-values of type []interface {}"},
      {"annotations: [a]",
       "array into Go struct field Metadata.annotations of type map[string]string"},
      {"annotations: {e: [1]}", "array into Go struct field Metadata.annotations of type string"},
      {"keywords: foo", "string into Go struct field Metadata.keywords of type []string"},
      {"deprecated: foo", "string into Go struct field Metadata.deprecated of type bool"},
      {"appVersion: {a: b}", "object into Go struct field Metadata.appVersion of type string"},
  };
  for (const auto& [line, want] : rows) {
    EXPECT_EQ(shown(kBase + line + "\n"), std::string(kFrame) + want) << line;
  }
  EXPECT_EQ(shown("[a]\n"), std::string(kFrame) + "array into Go value of type v2.Metadata");
}

TEST(Metadata, NullsAndScalarsAreForgivenWhereGoForgivesThem) {
  const std::pair<std::string, std::string> rows[] = {
      {kBase + "maintainers: null\nannotations: null\ndeprecated: null\ndependencies:\n", kBase},
      {"apiVersion: v2\nName: x\nVERSION: 1.10\n", "apiVersion: v2\nname: x\nversion: \"1.1\"\n"},
      {kBase + "appVersion: 012\n",
       "apiVersion: v2\nappVersion: \"10\"\nname: x\nversion: 1.2.3\n"},
      {kBase + "appVersion: 2020-01-01\n",
       "apiVersion: v2\nappVersion: \"2020-01-01\"\nname: x\nversion: 1.2.3\n"},
      {"apiVersion: v2\nname: y\nversion: 1.2.3\n",
       "apiVersion: v2\nname: \"true\"\nversion: 1.2.3\n"},
      {kBase + "keywords: [a, null, 1]\n",
       "apiVersion: v2\nkeywords:\n- a\n- \"\"\n- \"1\"\nname: x\nversion: 1.2.3\n"},
      {"apiVersion: v2\nname: \"a\\tb\\u0007\"\nversion: 1.2.3\n",
       "apiVersion: v2\nname: a b\nversion: 1.2.3\n"},
  };
  for (const auto& [text, want] : rows) EXPECT_EQ(shown(text), want) << text;
}

TEST(Metadata, ValidationNamesTheFault) {
  const std::pair<std::string, std::string> rows[] = {
      {"", "chart.metadata.name is required"},
      {"name: ..\nversion: 1.2.3\n", "chart.metadata.name \"..\" is not allowed"},
      {"name: a/b\nversion: 1.2.3\n", "chart.metadata.name \"a/b\" is invalid"},
      {"name: x\n", "chart.metadata.version is required"},
      {"name: x\nversion: abc\n", "chart.metadata.version \"abc\" is invalid"},
      {kBase + "type: tool\n", "chart.metadata.type must be application or library"},
      {kBase + "maintainers: [null]\n", "maintainers must not contain empty or null nodes"},
      {kBase + "dependencies: [null]\n", "dependencies must not contain empty or null nodes"},
      {kBase + "dependencies: [{name: a, alias: 'b c'}]\n",
       "dependency \"a\" has disallowed characters in the alias"},
      {kBase + "dependencies: [{name: a, alias: b}, {name: b}]\n",
       "more than one dependency with name or alias \"b\""},
  };
  for (const auto& [text, want] : rows) EXPECT_EQ(shown(text), "validation: " + want) << text;
}

TEST(Metadata, StrictReadingFindsUnknownAndDoubleKeys) {
  EXPECT_TRUE(check_metadata_strictly(kBase).has_value());
  EXPECT_EQ(check_metadata_strictly(kBase + "dependency: []\n").error().text(),
            "error unmarshaling JSON: while decoding JSON: json: unknown field \"dependency\"");
  EXPECT_EQ(check_metadata_strictly(kBase + "name: y\n").error().text(),
            "error converting YAML to JSON: yaml: unmarshal errors:\n"
            "  line 4: key \"name\" already set in map");
}

TEST(Lock, RoundTripsAndKeepsTheTimeAsGoPrintsIt) {
  const auto parsed = parse_lock(
      "dependencies:\n- name: a\n  repository: file://../a\n  version: 1.0.0\n"
      "digest: sha256:0\ngenerated: \"2024-05-01T10:00:00.120000000+02:00\"\n");
  ASSERT_TRUE(parsed.has_value() && parsed->has_value());
  const Lock* lock = &**parsed;
  EXPECT_EQ(lock->generated_ns, 1714550400'120'000'000);
  EXPECT_EQ(lock_yaml(*lock).value(),
            "dependencies:\n- name: a\n  repository: file://../a\n  version: 1.0.0\n"
            "digest: sha256:0\ngenerated: \"2024-05-01T10:00:00.12+02:00\"\n");
  EXPECT_EQ(parse_lock("generated: yesterday\n").error().text(),
            "error unmarshaling JSON: while decoding JSON: parsing time \"yesterday\" as "
            "\"2006-01-02T15:04:05Z07:00\": cannot parse \"yesterday\" as \"2006\"");
  EXPECT_EQ(lock_yaml(parse_lock("digest: x\n")->value()).value(),
            "dependencies: null\ndigest: x\ngenerated: \"0001-01-01T00:00:00Z\"\n");
  EXPECT_FALSE(parse_lock("# nothing\n")->has_value());
}

TEST(Timestamp, FormatsAndParses) {
  EXPECT_EQ(format_rfc3339(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_rfc3339(-1), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(format_rfc3339(951782400'000'000'000, 3600), "2000-02-29T01:00:00+01:00");
  EXPECT_EQ(parse_rfc3339("2000-02-29T01:00:00+01:00")->unix_ns, 951782400'000'000'000);
  EXPECT_EQ(parse_rfc3339("2023-02-29T00:00:00Z").error().text(),
            "parsing time \"2023-02-29T00:00:00Z\": day out of range");
  EXPECT_EQ(parse_rfc3339("2023-01-01T00:00:00Zx").error().text(),
            "parsing time \"2023-01-01T00:00:00Zx\": extra text: \"x\"");
}

}  // namespace
}  // namespace pintle::chart
