#include "action/lint.h"

#include <gtest/gtest.h>

#include "action/lint_rules.h"
#include "chart/load.h"
#include "chart/save.h"
#include "sys/memory_disk.h"
#include "sys/testing/fake_clock.h"

namespace pintle::action {
namespace {

class Lint : public testing::Test {
 protected:
  void add(const std::string& name, const std::string& text) { disk_.add("/c/" + name, text); }
  std::string run(bool quiet = false, LintOptions options = {}) {
    return lint_all(context_, {"/c"}, value::Value::map(value::make_map()), false, quiet, options)
        .text;
  }
  void good_chart() {
    add("Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\nicon: https://x.example/i.png\n");
    add("values.yaml", "a: 1\n");
    add("templates/ok.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ok\n");
  }

  sys::MemoryDisk disk_;
  sys::FakeClock clock_;
  Context context_{.disk = disk_, .clock = clock_};
};

TEST_F(Lint, AGoodChartHasNothingToSay) {
  good_chart();
  EXPECT_EQ(run(), "==> Linting /c\n\n1 chart(s) linted, 0 chart(s) failed\n");
  EXPECT_EQ(run(true), "");
}

TEST_F(Lint, ChartYamlFindingsComeInHelmsOrder) {
  add("Chart.yaml",
      "apiVersion: v3\nname: a/b\nversion: 1.10\nappVersion: 2\nunknown: x\n"
      "maintainers:\n- name: m\n  email: nobody\nsources: [nowhere]\nicon: pic.png\n"
      "type: application\ndependencies:\n- name: d\n");
  EXPECT_EQ(
      run(),
      "==> Linting /c\n"
      "[WARNING] Chart.yaml: failed to strictly parse chart metadata file\n"
      "\terror unmarshaling JSON: while decoding JSON: json: unknown field \"unknown\"\n"
      "[ERROR] Chart.yaml: chart name \"a/b\" is invalid\n"
      "[ERROR] Chart.yaml: apiVersion 'v3' is not valid. The value must be either \"v1\" or "
      "\"v2\"\n"
      "[ERROR] Chart.yaml: version should be of type string but it's of type float64\n"
      "[ERROR] Chart.yaml: appVersion should be of type string but it's of type float64\n"
      "[ERROR] Chart.yaml: invalid email 'nobody' for maintainer 'm'\n"
      "[ERROR] Chart.yaml: invalid source URL 'nowhere'\n"
      "[ERROR] Chart.yaml: invalid icon URL 'pic.png'\n"
      "[ERROR] Chart.yaml: chart type is not valid in apiVersion 'v3'. It is valid in apiVersion "
      "'v2'\n"
      "[ERROR] Chart.yaml: dependencies are not valid in the Chart file with apiVersion 'v3'. They "
      "are valid in apiVersion 'v2'\n"
      "[WARNING] Chart.yaml: version '1.1' is not a valid SemVerV2\n"
      "[INFO] values.yaml: file does not exist\n"
      "[WARNING] templates/: directory does not exist\n"
      "[ERROR] : unable to load chart\n"
      "\tvalidation: chart.metadata.name \"a/b\" is invalid\n\n");
}

TEST_F(Lint, TemplatesAreRenderedAndLookedAt) {
  good_chart();
  add("templates/bad.json", "{}");
  add("templates/names.yaml",
      "  \napiVersion: v1\nkind: Service\nmetadata:\n  name: 1Up\n---\n"
      "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata:\n  name: c\n---\n"
      "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d\n");
  add("templates/indent.yaml", "\n  kind: X\n  metadata: {name: x}\n");
  EXPECT_EQ(
      run(),
      "==> Linting /c\n"
      "[ERROR] templates/bad.json: file extension '.json' not valid. Valid extensions are .yaml, "
      ".yml, .tpl, or .txt\n"
      "[WARNING] templates/indent.yaml: document starts with an illegal indent: \"  kind: X\", "
      "which may cause parsing problems\n"
      "[WARNING] templates/names.yaml: object name does not conform to Kubernetes naming "
      "requirements: \"1Up\": metadata.name: Invalid value: \"1Up\": a DNS-1035 label must consist "
      "of lower case alphanumeric characters or '-', start with an alphabetic character, and end "
      "with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
      "'[a-z]([-a-z0-9]*[a-z0-9])?')\n"
      "[WARNING] templates/names.yaml: batch/v1beta1 CronJob is deprecated in v1.21+, unavailable "
      "in v1.25+; use batch/v1 CronJob\n"
      "[ERROR] templates/names.yaml: a Deployment must contain matchLabels or matchExpressions, "
      "and \"d\" does not\n\n");
}

TEST_F(Lint, BadYamlEndsTheGroup) {
  good_chart();
  add("templates/a.yaml", "a: b: c\n");
  add("templates/z.yaml", "  x: y\n");
  EXPECT_EQ(run(),
            "==> Linting /c\n[ERROR] templates/a.yaml: unable to parse YAML: error converting YAML "
            "to JSON: yaml: mapping values are not allowed in this context\n\n");
}

TEST_F(Lint, CrdsAndDependenciesAreChecked) {
  good_chart();
  add("crds/a.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n");
  add("charts/s/Chart.yaml", "apiVersion: v2\nname: s\nversion: 1.0.0\n");
  EXPECT_EQ(run(),
            "==> Linting /c\n"
            "[ERROR] /c: chart metadata is missing these dependencies: s\n"
            "[ERROR] crds/a.yaml: apiVersion is not in 'apiextensions.k8s.io'\n"
            "[ERROR] crds/a.yaml: object kind is not 'CustomResourceDefinition'\n\n");
}

TEST_F(Lint, WhatIsNoChartIsOneError) {
  disk_.add("/c/x", "");
  EXPECT_EQ(
      run(),
      "==> Linting /c\nError unable to check Chart.yaml file in chart: stat /c/Chart.yaml: no "
      "such file or directory\n\n");
  const auto none = lint(context_, "/none.tgz", value::Value());
  EXPECT_EQ(none.errors, (std::vector<std::string>{
                             "unable to open tarball: open /none.tgz: no such file or directory"}));
  disk_.add("/bad.tgz", "x");
  EXPECT_EQ(lint(context_, "/bad.tgz", value::Value()).errors,
            (std::vector<std::string>{"unable to extract tarball: unexpected EOF"}));
}

TEST_F(Lint, ArchivesAreLinted) {
  good_chart();
  const auto chart = chart::load(disk_, "/c").value()->clone();
  ASSERT_TRUE(chart::save_archive(disk_, *chart, "/", 0).has_value());
  const auto report = lint(context_, "/c-0.1.0.tgz", value::Value::map(value::make_map()));
  EXPECT_TRUE(report.messages.empty()) << report.messages[0].line();
  EXPECT_TRUE(report.errors.empty());
}

TEST_F(Lint, StrictMakesWarningsFail) {
  good_chart();
  add("templates/w.yaml", " a: 1\n metadata: {name: x}\n");
  LintOptions strict;
  strict.strict = true;
  EXPECT_TRUE(lint(context_, "/c", value::Value::map(value::make_map())).errors.empty());
  EXPECT_EQ(lint(context_, "/c", value::Value::map(value::make_map()), strict).errors.size(), 1u);
}

TEST(LintAddresses, AreJudgedAsGovalidatorJudges) {
  for (const char* good : {"a@b.co", "a.b+c@x-y.example.com", "ü@exämple.com", "\"a b\"@x.io"}) {
    EXPECT_TRUE(is_email(good)) << good;
  }
  for (const char* bad : {"a", "@b.co", "a@b", "a..b@c.de", "a@b.c1", "a@-b.de", "a b@c.de"}) {
    EXPECT_FALSE(is_email(bad)) << bad;
  }
  for (const char* good : {"https://github.com/x", "github.com/x", "http://localhost:8080",
                           "https://my-site.example.com", "http://10.0.0.1/x", "ftp://a.bc"}) {
    EXPECT_TRUE(is_url(good)) << good;
  }
  for (const char* bad : {"", "x", "http://", ".com", "http://a b.com", "mailto:x", "//"}) {
    EXPECT_FALSE(is_url(bad)) << bad;
  }
  EXPECT_TRUE(is_request_url("mailto:x"));
  EXPECT_FALSE(is_request_url("/x"));
}

TEST(LintObjects, JsonStreamsAreRead) {
  std::string seen;
  const auto each = [&](const ObjectHead& o) { seen += o.kind + "/" + o.name + " "; };
  EXPECT_FALSE(
      each_object("{\"kind\": \"A\", \"metadata\": {\"name\": \"a\"}}\n{\"Kind\":\"B\"}", each));
  EXPECT_EQ(seen, "A/a B/ ");
  seen.clear();
  EXPECT_FALSE(each_object("{kind: C}\n", each)) << "flow YAML";
  EXPECT_EQ(seen, "C/ ");
  EXPECT_EQ(each_object("{ x", each),
            "json: offset 3: invalid character 'x' looking for beginning "
            "of object key string");
  EXPECT_EQ(each_object("just text\n", each),
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go "
            "value of type rules.k8sYamlStruct");
}

}  // namespace
}  // namespace pintle::action
