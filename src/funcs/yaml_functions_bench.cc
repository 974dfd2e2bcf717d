// toYaml and fromYaml as charts call them: through the VM, on blocks as values.yaml has them and on
// one large document.
#include <benchmark/benchmark.h>

#include <string>

#include "funcs/funcs.h"
#include "tmpl/tmpl.h"
#include "yaml/yaml.h"

namespace pintle::funcs {
namespace {

constexpr std::string_view kBlock = R"(limits: {cpu: 500m, memory: 128Mi}
requests: {cpu: 0.25, memory: 64Mi}
nodeSelector: {kubernetes.io/os: linux}
tolerations:
  - {key: dedicated, operator: Equal, value: "web", effect: NoSchedule}
annotations:
  prometheus.io/scrape: "true"
  checksum/config: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
env:
  - {name: CONFIG, value: /etc/web/config.yaml}
  - name: POD_NAME
    valueFrom: {fieldRef: {fieldPath: metadata.name}}
)";

// Executes `text`, whose dot has the block as a value and as text; counts the block's bytes.
void run(benchmark::State& state, std::string_view text, const std::string& block) {
  tmpl::Set set(table());
  auto parsed = yaml::read(block);
  if (!parsed || !set.parse("t", text)) return state.SkipWithError("parse");
  auto dot = value::make_map();
  dot->set("block", *parsed);
  dot->set("text", value::str(block));
  tmpl::Vm vm(set, {});
  std::string out;
  for (auto _ : state) {
    out.clear();
    if (!vm.execute("t", value::Value::map(dot), out)) return state.SkipWithError("execute");
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * block.size()));
}

std::string large() {
  std::string out;
  for (int i = 0; i < 1000; ++i) {
    out += "part" + std::to_string(i) + ":\n  ";
    for (char c : kBlock) {
      out += c;
      if (c == '\n') out += "  ";
    }
    out += '\n';
  }
  return out;
}

void to_yaml_of_a_block(benchmark::State& state) {
  run(state, "{{ toYaml .block | nindent 12 }}", std::string(kBlock));
}
BENCHMARK(to_yaml_of_a_block);

void to_yaml_of_a_large_document(benchmark::State& state) { run(state, "{{ toYaml .block }}", large()); }
BENCHMARK(to_yaml_of_a_large_document);

void from_yaml_of_a_block(benchmark::State& state) {
  run(state, "{{ (fromYaml .text).limits.cpu }}", std::string(kBlock));
}
BENCHMARK(from_yaml_of_a_block);

void from_yaml_of_a_large_document(benchmark::State& state) {
  run(state, "{{ (fromYaml .text).part1.limits.cpu }}", large());
}
BENCHMARK(from_yaml_of_a_large_document);

}  // namespace
}  // namespace pintle::funcs
