// Splitting and sorting a release's documents by kind.
#include <benchmark/benchmark.h>

#include "release/manifest.h"

namespace pintle::release {
namespace {

std::vector<RenderedFile> rendered(int n) {
  constexpr std::string_view kKinds[] = {"Deployment", "Service", "ConfigMap", "ServiceAccount"};
  std::vector<RenderedFile> files;
  for (int i = 0; i < n; ++i) {
    std::string text;
    for (std::string_view kind : kKinds) {
      text.append("---\napiVersion: v1\nkind: ").append(kind).append("\nmetadata:\n  name: x")
          .append(std::to_string(i)).append("\n  labels: {app: x}\nspec:\n  a: [1, 2]\n");
    }
    files.push_back({"c/templates/f" + std::to_string(i) + ".yaml", std::move(text)});
  }
  return files;
}

void sort(benchmark::State& state) {
  const auto files = rendered(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(sort_manifests(files, Order::kInstall));
}
BENCHMARK(sort)->Arg(10)->Arg(1000);

}  // namespace
}  // namespace pintle::release
