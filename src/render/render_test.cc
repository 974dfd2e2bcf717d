#include "render/render.h"

#include <gtest/gtest.h>

#include "json/json.h"

namespace pintle::render {
namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

std::unique_ptr<chart::Chart> make_chart(const std::string& name, const Files& templates,
                                         const char* values = "{}", const Files& files = {}) {
  auto c = std::make_unique<chart::Chart>();
  c->metadata.name = name;
  c->metadata.version = "0.1.0";
  c->has_metadata = true;
  c->values = *json::read(values);
  for (const auto& [path, text] : templates) {
    c->templates.push_back(std::make_shared<chart::File>(chart::File{path, text}));
  }
  for (const auto& [path, text] : files) {
    c->files.push_back(std::make_shared<chart::File>(chart::File{path, text}));
  }
  return c;
}

// All rendered files as "PATH=TEXT" lines, or the error.
std::string rendered(const chart::Chart& c, const char* values = "{}", Options options = {}) {
  ReleaseOptions release;
  release.name = "rel";
  release.namespace_ = "ns";
  ValuesOptions values_options;
  values_options.helm3 = options.helm3;
  Capabilities capabilities;
  capabilities.api_versions = {"v1", "apps/v1"};
  auto top = render_values(c, *json::read(values), release, capabilities, values_options);
  if (!top) return top.error().text();
  auto files = render(c, *top, options);
  if (!files) return files.error().text();
  std::string out;
  for (const auto& f : *files) out += f.path + "=" + f.content + "\n";
  return out;
}

std::string one(const std::string& text, const char* values = "{}", Options options = {}) {
  auto c = make_chart("c", {{"templates/t.yaml", text}}, "{}",
                      {{"d/a.txt", "x\ny\n"}, {"b.txt", "B"}});
  std::string out = rendered(*c, values, options);
  constexpr std::string_view kPrefix = "c/templates/t.yaml=";
  if (!out.starts_with(kPrefix)) return out;
  return out.substr(kPrefix.size(), out.size() - kPrefix.size() - 1);
}

TEST(Render, ShowsHelmsObjects) {
  struct Row {
    const char* claim;
    const char* text;
    const char* want;
  } rows[] = {
      {"the release", "{{ .Release.Name }}/{{ .Release.Namespace }}/{{ .Release.Service }}",
       "rel/ns/Helm"},
      {"the chart is a map", "{{ .Chart.Name }}{{ .Chart.Nope }}{{ .Chart.IsRoot }}", "ctrue"},
      {"this template", "{{ .Template.Name }} {{ .Template.BasePath }}",
       "c/templates/t.yaml c/templates"},
      {"API versions", "{{ .Capabilities.APIVersions.Has \"apps/v1\" }}"
                       "{{ .Capabilities.APIVersions.Has \"x\" }}", "truefalse"},
      {"the version prints itself", "{{ .Capabilities.KubeVersion }} "
                                    "{{ .Capabilities.KubeVersion.Minor }}", "v1.37.0 37"},
      {"but not inside a function", "{{ printf \"%v\" .Capabilities.KubeVersion }}",
       "{v1.37.0  1 37}"},
      {"structs are written in their own order", "{{ toJson .Capabilities.KubeVersion }}",
       R"({"Version":"v1.37.0","Major":"1","Minor":"37"})"},
      {"by the names of their tags", "{{ toJson .Capabilities.HelmVersion }}",
       R"({"version":"v4.3.1","kube_client_version":"v1.37"})"},
      {"and sorted as YAML", "{{ toYaml .Capabilities.KubeVersion }}",
       "Major: \"1\"\nMinor: \"37\"\nVersion: v1.37.0"},
      {"but not pretty YAML, which knows no tags", "{{ toYamlPretty (dict \"a\" .Capabilities.HelmVersion) }}",
       "a:\n  version: v4.3.1\n  gitcommit: \"\"\n  gittreestate: \"\"\n  goversion: \"\"\n"
       "  kubeclientversion: v1.37"},
      {"nor TOML", "{{ toToml (dict \"a\" .Capabilities.KubeVersion \"b\" (list .Capabilities.HelmVersion)) }}",
       "[a]\n  Version = \"v1.37.0\"\n  Major = \"1\"\n  Minor = \"37\"\n\n[[b]]\n  Version = \"v4.3.1\"\n"
       "  GitCommit = \"\"\n  GitTreeState = \"\"\n  GoVersion = \"\"\n  KubeClientVersion = \"v1.37\"\n"},
      {"files", "{{ .Files.Get \"b.txt\" }}{{ .Files.Get \"no\" }}", "B"},
      {"globs", "{{ range $p, $b := .Files.Glob \"d/*\" }}{{ $p }}{{ end }}", "d/a.txt"},
      {"lines", "{{ .Files.Lines \"d/a.txt\" }}{{ .Files.Lines \"no\" }}", "[x y][]"},
      {"files as config", "{{ .Files.AsConfig }}", "a.txt: |\n  x\n  y\nb.txt: B"},
      {"no value is nothing", "[{{ .Values.nope }}]<no value>", "[]"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.claim);
    EXPECT_EQ(one(row.text), row.want);
  }
}

TEST(Render, ValuesHaveMethods) {
  EXPECT_EQ(one("{{ typeOf .Values }}{{ (.Values.Table \"a.b\").c }}{{ .Values.PathValue \"a.b.c\" }}",
                R"({"a":{"b":{"c":"x"}}})"),
            "common.Valuesxx");
}

TEST(Render, FilesRunDeepestFirstAndSeeEarlierSets) {
  auto c = make_chart("c", {{"templates/a.yaml", "{{ .Values.k }}"},
                            {"templates/b.yaml", "{{ $_ := set .Values \"k\" \"from b\" }}"}});
  EXPECT_EQ(rendered(*c), "c/templates/a.yaml=from b\nc/templates/b.yaml=\n");
}

TEST(Render, TheParentsDefinesWin) {
  auto c = make_chart("c", {{"templates/t.yaml", "{{ include \"n\" . }}"},
                            {"templates/_h.tpl", "{{ define \"n\" }}parent{{ end }}"}});
  c->add_dependency(make_chart("s", {{"templates/s.yaml", "{{ include \"n\" . }}"},
                                     {"templates/_h.tpl", "{{ define \"n\" }}child{{ end }}"}}));
  EXPECT_EQ(rendered(*c), "c/charts/s/templates/s.yaml=parent\nc/templates/t.yaml=parent\n");
}

TEST(Render, SubchartsSeeTheirPartOfTheValues) {
  auto c = make_chart("c", {{"templates/t.yaml", "{{ .Subcharts.s.Values.x }}"}},
                      R"({"s":{"x":1},"global":{"g":2}})");
  c->add_dependency(make_chart("s", {{"templates/s.yaml", "{{ .Values.x }}{{ .Values.global.g }}"}},
                               R"({"x":5})"));
  EXPECT_EQ(rendered(*c), "c/charts/s/templates/s.yaml=12\nc/templates/t.yaml=1\n");
}

TEST(Render, LibraryChartsGiveOnlyPartials) {
  auto c = make_chart("c", {{"templates/t.yaml", "{{ include \"l\" . }}"}});
  c->add_dependency(make_chart("lib", {{"templates/_l.tpl", "{{ define \"l\" }}L{{ end }}"},
                                       {"templates/x.yaml", "no"}}));
  c->dependencies[0]->metadata.type = "Library";
  EXPECT_EQ(rendered(*c), "c/templates/t.yaml=L\n");
}

TEST(Render, ErrorsAreInHelmsWords) {
  EXPECT_EQ(one("a\n{{ nope }}"), "parse error at (c/templates/t.yaml:2): function \"nope\" not defined");
  EXPECT_EQ(one("{{ required \"need x\" .Values.x }}"),
            "execution error at (c/templates/t.yaml:1:3): need x");
  EXPECT_EQ(one("{{ .Values.a.b }}"),
            "c/templates/t.yaml:1:10\n  executing \"c/templates/t.yaml\" at <.Values.a.b>:\n"
            "    nil pointer evaluating interface {}.b");
  Options helm3;
  helm3.helm3 = true;
  EXPECT_EQ(one("{{ .Values.a.b }}", "{}", helm3),
            "template: c/templates/t.yaml:1:10: executing \"c/templates/t.yaml\" at "
            "<.Values.a.b>: nil pointer evaluating interface {}.b");
  EXPECT_EQ(one("{{ .Chart.Nope }}", "{}", helm3),
            "template: c/templates/t.yaml:1:9: executing \"c/templates/t.yaml\" at <.Chart.Nope>: "
            "can't evaluate field Nope in type interface {}");
}

TEST(Render, LintDoesNotFail) {
  Options lint;
  lint.lint = true;
  std::string line;
  lint.log = [&](std::string_view level, std::string_view message, const LogAttrs& attrs) {
    line = slog_line(level, message, attrs);
  };
  EXPECT_EQ(one("[{{ required \"need x\" .Values.x }}]", "{}", lint), "[]");
  EXPECT_EQ(line, "level=WARN msg=\"missing required value\" message=\"need x\"");
}

TEST(Render, WritesAMapAnewWhenItChanged) {
  struct Row {
    const char* claim;
    const char* text;
    const char* want;
  } rows[] = {
      {"again and again", "{{ range tuple 1 2 3 }}{{ toYaml $.Values.m }};{{ end }}", "a: 1;a: 1;a: 1;"},
      {"set", "{{ range tuple 1 2 3 4 }}{{ toYaml $.Values.m }};{{ $_ := set $.Values.m \"a\" . }}{{ end }}",
       "a: 1;a: 1;a: 2;a: 3;"},
      {"set further in",
       "{{ range tuple 1 2 3 4 }}{{ toYaml $.Values | sha256sum | trunc 0 }}{{ toYaml $.Values }};"
       "{{ $_ := set $.Values.m \"a\" . }}{{ end }}",
       "m:\n  a: 1;m:\n  a: 1;m:\n  a: 2;m:\n  a: 3;"},
      {"unset", "{{ range tuple 1 2 3 }}{{ toYaml $.Values.m }};{{ end }}{{ $_ := unset .Values.m \"a\" }}"
       "{{ toYaml .Values.m }}", "a: 1;a: 1;a: 1;{}"},
      {"merge", "{{ range tuple 1 2 3 }}{{ toYaml $.Values.m }};{{ end }}"
       "{{ $_ := merge .Values.m (dict \"b\" 2) }}{{ toYaml .Values.m }}", "a: 1;a: 1;a: 1;a: 1\nb: 2"},
      {"mergeOverwrite", "{{ range tuple 1 2 3 }}{{ mustToYaml $.Values.m }};{{ end }}"
       "{{ $_ := mergeOverwrite .Values.m (dict \"a\" 2) }}{{ mustToYaml .Values.m }}",
       "a: 1;a: 1;a: 1;a: 2"},
      {"a new map each time", "{{ range tuple 1 2 3 }}{{ dict \"k\" . | toYaml }};{{ end }}",
       "k: 1;k: 2;k: 3;"},
  };
  for (const auto& r : rows) EXPECT_EQ(one(r.text, R"({"m":{"a":1}})"), r.want) << r.claim;
}

// The scope is one map for all templates of a chart, and its Template another for each.
TEST(Render, WritesTheScopeOfEachTemplate) {
  const std::string text = "{{ range tuple 1 2 3 }}{{ (toYaml $ | fromYaml).Template.Name }} {{ end }}";
  auto c = make_chart("c", {{"templates/a.yaml", text}, {"templates/b.yaml", text}});
  EXPECT_EQ(rendered(*c),
            "c/templates/a.yaml=c/templates/a.yaml c/templates/a.yaml c/templates/a.yaml \n"
            "c/templates/b.yaml=c/templates/b.yaml c/templates/b.yaml c/templates/b.yaml \n");
}

TEST(ParseKubeVersion, KeepsTheSuffixInHelm4) {
  auto v = parse_kube_version("1.33.4-gke.1245000");
  ASSERT_TRUE(v);
  EXPECT_EQ(v->version, "v1.33.4-gke.1245000");
  EXPECT_EQ(v->normalized, "v1.33.4");
  EXPECT_EQ(v->minor, "33");
  EXPECT_EQ(parse_kube_version("1.33.4-gke", true)->version, "v1.33.4");
  EXPECT_EQ(parse_kube_version("1").error().text(), "illegal version string \"1\"");
  EXPECT_EQ(parse_kube_version("x").error().text(), "could not parse \"x\" as version");
  EXPECT_EQ(parse_kube_version("01.2").error().text(),
            "illegal zero-prefixed version component \"01\" in \"01.2\"");
}

}  // namespace
}  // namespace pintle::render
