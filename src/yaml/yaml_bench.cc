#include "yaml/yaml.h"

#include <benchmark/benchmark.h>

namespace pintle::yaml {
namespace {

// One document with the mix of a rendered Deployment: nested maps, lists, quoted and literal text.
std::string manifest(int i) {
  std::string n = std::to_string(i);
  return R"(apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-)" + n + R"(
  namespace: default
  labels:
    app.kubernetes.io/name: web
    app.kubernetes.io/instance: "release-name"
    helm.sh/chart: web-1.2.3
  annotations:
    checksum/config: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
spec:
  replicas: 3
  selector:
    matchLabels:
      app.kubernetes.io/name: web
  template:
    spec:
      serviceAccountName: web
      containers:
        - name: web
          image: "registry.example.com/team/web:1.27.3"
          imagePullPolicy: IfNotPresent
          args:
            - --listen=:8080
            - --log-level=info
          env:
            - name: CONFIG
              value: "/etc/web/config.yaml"
            - name: POD_NAME
              valueFrom:
                fieldRef:
                  fieldPath: metadata.name
          resources:
            limits:
              cpu: 500m
              memory: 128Mi
            requests:
              cpu: 0.25
          readinessProbe:
            httpGet:
              path: /ready
              port: 8080
      volumes:
        - name: config
          configMap:
            name: web-config
  script: |
    #!/bin/sh
    set -eu
    exec /usr/bin/web --config /etc/web/config.yaml "$@"
)";
}

// A list of them, so that one document is as large as asked for.
std::string large(size_t bytes) {
  std::string out = "items:\n";
  for (int i = 0; out.size() < bytes; ++i) {
    std::string text = manifest(i);
    out += "  - ";
    for (size_t p = 0; p < text.size();) {
      size_t end = text.find('\n', p);
      if (p > 0) out += "    ";
      out.append(text, p, end - p + 1);
      p = end + 1;
    }
  }
  return out;
}

void set_bytes(benchmark::State& state, size_t bytes) {
  state.SetBytesProcessed(static_cast<int64_t>(bytes) * state.iterations());
}

void BM_ReadSmall(benchmark::State& state) {
  std::string text = manifest(1);
  for (auto _ : state) benchmark::DoNotOptimize(read(text));
  set_bytes(state, text.size());
}
BENCHMARK(BM_ReadSmall);

void BM_ReadLarge(benchmark::State& state) {
  std::string text = large(3 << 20);
  for (auto _ : state) benchmark::DoNotOptimize(read(text));
  set_bytes(state, text.size());
}
BENCHMARK(BM_ReadLarge);

void BM_ReadFields(benchmark::State& state) {
  std::string text = large(3 << 20);
  static const Fields head = {"apiVersion", "kind", "metadata.name", "metadata.annotations"};
  for (auto _ : state) benchmark::DoNotOptimize(read_fields(text, head));
  set_bytes(state, text.size());
}
BENCHMARK(BM_ReadFields);

void BM_ReadWithAnchors(benchmark::State& state) {
  std::string text = "base: &base {a: 1}\nuse: *base\n" + large(1 << 20);
  for (auto _ : state) benchmark::DoNotOptimize(read(text));
  set_bytes(state, text.size());
}
BENCHMARK(BM_ReadWithAnchors);

void BM_Write(benchmark::State& state) {
  auto v = read(large(static_cast<size_t>(state.range(0)))).value();
  size_t bytes = 0;
  for (auto _ : state) {
    std::string out;
    benchmark::DoNotOptimize(append(out, v));
    bytes += out.size();
  }
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
}
BENCHMARK(BM_Write)->Arg(1000)->Arg(3 << 20);

}  // namespace
}  // namespace pintle::yaml
