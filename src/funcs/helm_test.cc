#include <gtest/gtest.h>

#include "funcs/testing/render_text.h"

namespace pintle::funcs {
namespace {

TEST(Include, GivesTheTextOfATemplate) {
  constexpr Row kRows[] = {
      {R"({{ define "n" }}<{{ .a }}>{{ end }}{{ include "n" (dict "a" 1) | quote }})", R"("<1>")"},
      {R"({{ include "x" . }})",
       R"(error: template: no template "x" associated with template "gotpl")"},
      {R"({{ define "n" }}{{ .a }}{{ end }}{{ include "n" dict }})", "<no value>"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Include, OfItselfEndsAtAThousand) {
  EXPECT_EQ(render_text(R"({{ define "r" }}{{ include "r" . }}{{ end }}{{ include "r" . }})"),
            "error: rendering template has a nested reference name: r: unable to execute template");
  EXPECT_EQ(
      render_text(
          R"({{ define "r" }}{{ if . }}{{ include "r" (sub . 1) }}{{ else }}end{{ end }})"
                        R"({{ end }}{{ include "r" 999 }})"),
      "end");
}

TEST(Tpl, RunsATextWithTheSamesTemplates) {
  constexpr Row kRows[] = {
      {R"({{ define "n" }}N{{ end }}{{ tpl "{{ include \"n\" . }}{{ .a }}" . }})", "N1",
       R"({"a":1})"},
      {R"({{ tpl "{{ .nope }}<no value>x" . }})", "x"},
      {R"({{ tpl "{{ define \"d\" }}D{{ end }}{{ include \"d\" . }}" . }})", "D"},
      {R"({{ tpl "{{" . }})",
       R"(error: cannot parse template "{{": template: gotpl:1: unclosed action)"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Tpl, TellsWhatItRan) {
  std::string got = render_text(R"({{ tpl "{{ fail \"no\" }}" . }})");
  EXPECT_EQ(got, "error: HELM_ERR_STARTnoHELM_ERR_END");
}

TEST(Tpl, OfItselfEnds) {
  // Through include at its limit, with every level told; alone at the machine's, in one line.
  std::string through_include = render_text(
      R"({{ define "r" }}{{ tpl "{{ include \"r\" . }}" . }}{{ end }}{{ include "r" . }})");
  EXPECT_TRUE(through_include.ends_with("r: unable to execute template")) << through_include;
  std::string alone = render_text("{{ tpl .t . }}", R"({"t":"{{ tpl .t . }}"})");
  EXPECT_TRUE(alone.starts_with("error: ")) << alone;
  EXPECT_LT(alone.size(), 300u) << alone;
}

TEST(Required, TakesOnlyNilAndEmptyTextForMissing) {
  constexpr Row kRows[] = {
      {R"({{ required "m" 0 }} {{ required "m" false }} {{ required "m" (list) }})", "0 false []"},
      {R"({{ required "m" .x }})", "error: HELM_ERR_STARTmHELM_ERR_END"},
      {R"({{ required "m" "" }})", "error: HELM_ERR_STARTmHELM_ERR_END"},
      {R"({{ fail "boom" }})", "error: HELM_ERR_STARTboomHELM_ERR_END"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Env, LintOnlyLogs) {
  Env env;
  env.lint = true;
  std::string log;
  env.log = [&](std::string_view level, std::string_view message, const LogAttrs& attrs) {
    log += slog_line(level, message, attrs) + "\n";
  };
  EXPECT_EQ(
      render_text(R"([{{ required "m 1" .x }}{{ required "m2" "" }}{{ fail "f" }}])", "{}", &env),
      "[]");
  EXPECT_EQ(log,
            "level=WARN msg=\"missing required value\" message=\"m 1\"\n"
            "level=WARN msg=\"missing required values\" message=m2\n"
            "level=INFO msg=\"funcMap fail\" message=f\n");
}

TEST(Env, IsTheSeamToClusterAndDns) {
  constexpr const char* kText = R"({{ lookup "v1" "Pod" "ns" "n" }} [{{ getHostByName "h" }}])";
  EXPECT_EQ(render_text(kText), "map[] []");
  Env env;
  env.lookup = [](auto version, auto kind, auto ns, auto name) -> Result<value::Value> {
    auto m = value::make_map();
    m->set("id", value::str(std::string(version) + "/" + std::string(kind) + "/" + std::string(ns) +
                            "/" + std::string(name)));
    return value::Value::map(m);
  };
  env.resolve_host = [](std::string_view host) { return "ip-" + std::string(host); };
  EXPECT_EQ(render_text(kText, "{}", &env), "map[id:v1/Pod/ns/n] [ip-h]");
  env.lookup = [](auto, auto, auto, auto) -> Result<value::Value> { return Error("no cluster"); };
  EXPECT_EQ(render_text(kText, "{}", &env), "error: no cluster");
  env.lint = true;
  EXPECT_EQ(render_text(kText, "{}", &env), "map[] [ip-h]");
}

}  // namespace
}  // namespace pintle::funcs
