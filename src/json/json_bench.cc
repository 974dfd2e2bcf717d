#include <benchmark/benchmark.h>

#include "json/json.h"

namespace pintle::json {
namespace {

std::string sample(int objects) {
  std::string s = "[";
  for (int i = 0; i < objects; ++i) {
    if (i > 0) s += ',';
    s += R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"labels":{"app.kubernetes.io/name":"web",)"
         R"("tier":"front"},"name":"item-)" + std::to_string(i) +
         R"("},"replicas":3,"ratio":0.75,"text":"a few words, as they are in charts","on":true})";
  }
  return s + "]";
}

void BM_Read(benchmark::State& state) {
  std::string text = sample(2000);
  for (auto _ : state) benchmark::DoNotOptimize(read(text));
  state.SetBytesProcessed(static_cast<int64_t>(text.size()) * state.iterations());
}
BENCHMARK(BM_Read);

void BM_Write(benchmark::State& state) {
  auto v = read(sample(2000)).value();
  size_t bytes = 0;
  for (auto _ : state) {
    std::string out;
    benchmark::DoNotOptimize(append(out, v));
    bytes += out.size();
  }
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
}
BENCHMARK(BM_Write);

}  // namespace
}  // namespace pintle::json
