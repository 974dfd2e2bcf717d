// A rule as charts have them: compiled, and asked of an object with a list of 100.
#include <benchmark/benchmark.h>

#include "cel/cel.h"

namespace pintle::cel {
namespace {

constexpr std::string_view kRule =
    "!has(self.mode) || self.mode in ['a', 'b'] ? self.names.all(n, n.size() < 64 && n.matches('^[a-z0-9-]+$')) : false";

std::unique_ptr<Schema> of(Schema::Kind kind) {
  auto out = std::make_unique<Schema>();
  out->kind = kind;
  return out;
}
const Schema& schema() {
  static const std::unique_ptr<Schema> all = [] {
    auto names = of(Schema::Kind::kList);
    names->item = of(Schema::Kind::kString);
    auto out = of(Schema::Kind::kObject);
    out->add("mode", of(Schema::Kind::kString));
    out->add("names", std::move(names));
    return out;
  }();
  return *all;
}

void compile_rule(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(compile(kRule, schema()));
}
BENCHMARK(compile_rule);

void evaluate_rule(benchmark::State& state) {
  std::vector<value::Value> names;
  for (int i = 0; i < 100; ++i) names.push_back(value::str("name-of-" + std::to_string(i)));
  value::MapBuilder map;
  map.add(value::Str("mode"), value::str("b"));
  map.add(value::Str("names"), value::Value::list_of(std::move(names)));
  const value::Value self = value::Value::map(map.finish());
  const auto program = compile(kRule, schema());
  for (auto _ : state) {
    Budget budget;
    benchmark::DoNotOptimize(evaluate(*program, {.self = &self}, budget));
  }
}
BENCHMARK(evaluate_rule);

}  // namespace
}  // namespace pintle::cel
