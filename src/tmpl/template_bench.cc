// Lexer, parser and VM on text like that of real charts: most actions are includes, ifs and fields.
#include <benchmark/benchmark.h>

#include "tmpl/lexer.h"
#include "tmpl/testing/functions.h"
#include "tmpl/tmpl.h"

namespace pintle::tmpl {
namespace {

using value::Value;

constexpr std::string_view kHelpers = R"({{- define "c.name" -}}
{{- if .Values.nameOverride }}{{ .Values.nameOverride }}{{ else }}{{ .Chart.Name }}{{ end -}}
{{- end }}
{{- define "c.labels" -}}
app.kubernetes.io/name: {{ include "c.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- if .Values.extra }}
{{- range $k, $v := .Values.extra }}
{{ $k }}: {{ $v | printf "%q" }}
{{- end }}
{{- end }}
{{- end }})";

constexpr std::string_view kPart = R"(apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include "c.name" . }}-{{ .Release.Name }}
  labels:
    {{- include "c.labels" . | nindent 4 }}
{{- with .Values.annotations }}
  annotations:
    {{- range $k, $v := . }}
    {{ $k }}: {{ $v }}
    {{- end }}
{{- end }}
data:
  {{- if and .Values.service.enabled (or .Values.nope (eq .Values.service.type "ClusterIP")) }}
  type: {{ .Values.service.type | upper }}
  port: {{ .Values.service.port }}
  {{- else }}
  none: true
  {{- end }}
)";

std::string chart_text(int parts) {
  std::string text;
  for (int i = 0; i < parts; ++i) text.append("---\n").append(kPart);
  return text;
}

Value map_of(std::initializer_list<std::pair<const char*, Value>> entries) {
  auto m = value::make_map();
  for (const auto& [k, v] : entries) m->set(k, v);
  return Value::map(m);
}

Value data() {
  Value service = map_of({{"enabled", Value::boolean(true)},
                          {"type", value::str("ClusterIP")},
                          {"port", Value::number(80)}});
  Value extra = map_of({{"team", value::str("a")}, {"tier", value::str("backend")}});
  return map_of({{"Values",
                  map_of({{"service", service}, {"extra", extra}, {"annotations", extra}})},
                 {"Chart", map_of({{"Name", value::str("bench")}})},
                 {"Release", map_of({{"Name", value::str("release")}})}});
}

void lexer(benchmark::State& state) {
  std::string text = chart_text(100);
  for (auto _ : state) {
    Lexer lexer(text, true, true);
    while (lexer.next().kind != TokenKind::kEof) {
    }
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}
BENCHMARK(lexer);

void lexer_plain_text(benchmark::State& state) {
  std::string text(1 << 20, 'x');
  for (size_t i = 0; i < text.size(); i += 200) text[i] = '{';
  for (auto _ : state) benchmark::DoNotOptimize(Lexer(text, true, true).next());
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}
BENCHMARK(lexer_plain_text);

void parse(benchmark::State& state) {
  std::string text = chart_text(100);
  for (auto _ : state) {
    Set set(testing_functions());
    if (!set.parse("t", text)) state.SkipWithError("parse");
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}
BENCHMARK(parse);

// 100 manifests: 300 includes, 200 ranges, 1,100 fields.
void execute(benchmark::State& state) {
  std::string text = chart_text(100);
  Set set(testing_functions());
  if (!set.parse("h", kHelpers) || !set.parse("t", text)) state.SkipWithError("parse");
  Vm vm(set, {});
  Value values = data();
  std::string out;
  for (auto _ : state) {
    out.clear();
    if (!vm.execute("t", values, out)) state.SkipWithError("execute");
  }
  state.SetItemsProcessed(state.iterations() * 100);
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * out.size()));
}
BENCHMARK(execute);

void parse_compile_and_execute(benchmark::State& state) {
  std::string text = chart_text(100);
  Value values = data();
  for (auto _ : state) {
    Set set(testing_functions());
    std::string out;
    if (!set.parse("h", kHelpers) || !set.parse("t", text)) state.SkipWithError("parse");
    Vm vm(set, {});
    if (!vm.execute("t", values, out)) state.SkipWithError("execute");
  }
}
BENCHMARK(parse_compile_and_execute);

// tpl in a set of many templates: the cost must not know the size of the set.
void tpl(benchmark::State& state) {
  Set set(testing_functions());
  std::vector<std::string> names, texts;
  for (int i = 0; i < state.range(0); ++i) {
    names.push_back("t" + std::to_string(i));
    texts.push_back("{{ define \"d" + std::to_string(i) + "\" }}x{{ end }}");
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (!set.parse(names[i], texts[i])) state.SkipWithError("parse");
  }
  if (!set.parse("main", "{{ range 1000 }}{{ tpl \"{{ .Release.Name }}\" $ }}{{ end }}")) {
    state.SkipWithError("parse");
  }
  Vm vm(set, {});
  Value values = data();
  std::string out;
  for (auto _ : state) {
    out.clear();
    if (!vm.execute("main", values, out)) state.SkipWithError("execute");
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(tpl)->Arg(10)->Arg(10000);

}  // namespace
}  // namespace pintle::tmpl
