// Coalescing the values of an umbrella: what grows with its subcharts.
#include <benchmark/benchmark.h>

#include "chart/values.h"
#include "yaml/yaml.h"

namespace pintle::chart {
namespace {

value::Value yaml_of(std::string_view text) { return std::move(*yaml::read(text)); }

Chart umbrella(int subcharts) {
  Chart top;
  top.metadata.name = "top";
  top.values = yaml_of("global: {region: eu, pull: {policy: Always}}\nreplicas: 2\n");
  for (int i = 0; i < subcharts; ++i) {
    auto sub = std::make_unique<Chart>();
    sub->metadata.name = "sub" + std::to_string(i);
    sub->values = yaml_of(
        "image: {repository: app, tag: '1'}\nresources: {limits: {cpu: 1, memory: 1Gi}}\n"
        "service: {type: ClusterIP, ports: [{name: http, port: 80}]}\nglobal: {region: us}\n");
    top.add_dependency(std::move(sub));
  }
  return top;
}

void coalesce(benchmark::State& state) {
  const Chart top = umbrella(static_cast<int>(state.range(0)));
  const value::Value values = yaml_of("sub1: {image: {tag: '2'}}\nglobal: {region: ap}\n");
  for (auto _ : state) benchmark::DoNotOptimize(coalesce_values(top, values));
}
BENCHMARK(coalesce)->Arg(1)->Arg(100);

}  // namespace
}  // namespace pintle::chart
