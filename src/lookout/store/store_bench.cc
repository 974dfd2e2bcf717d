// What the store costs. On SQLite in the temporary directory, or on the database that
// PINTLE_BENCH_URL names (an empty one).
//   lookout_bench --benchmark_filter=Store
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "lookout/store.h"
#include "sys/clock.h"

namespace pintle::lookout {
namespace {

using Time = std::chrono::steady_clock;

double ms_since(Time::time_point start) {
  return std::chrono::duration<double, std::milli>(Time::now() - start).count();
}

class Bench {
 public:
  Bench() {
    const char* url = std::getenv("PINTLE_BENCH_URL");
    folder_ = std::filesystem::temp_directory_path() / ("store_bench-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    url_ = url != nullptr ? url : "sqlite:" + (folder_ / "lookout.db").string();
    reopen();
    Region region;
    region.name = region.cluster_uid = "bench-" + std::to_string(sys::real_clock().now_ns());
    region_ = store_->put_region(region).value();
  }
  ~Bench() {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  void reopen() {
    store_.reset();
    store_ = std::move(Store::open({url_, std::string(32, 'k'), 1}, sys::real_clock()).value());
  }
  void subscribe(int n) {
    for (int i = 0; i < n; ++i) {
      Subscription s;
      s.name = region_.name + std::to_string(i);
      s.filter.types = {i == 0 ? "kubernetes.event" : "release.deployed"};
      s.filter.regions = {region_.name};
      s.sink_kind = "webhook";
      (void)store_->add_subscription(s).value();
    }
  }
  // `n` states of Events from `first` on, each with its raw event.
  Batch batch(int first, int n) const {
    Batch b;
    b.region_id = region_.id;
    b.region = b.cluster_uid = region_.name;
    int64_t now = sys::real_clock().now_ns() / 1'000'000;
    for (int i = first; i < first + n; ++i) {
      std::string id = std::to_string((uint64_t(i) + 1) * 0x9e3779b97f4a7c15);  // as uids: no order
      Observation o;
      o.resource = "events";
      o.uid = "7b1c3f0e-" + id;
      o.version = std::to_string(100'000 + i);
      o.subject = {"", "v1", "Pod", "prod", "web-" + std::to_string(i % 1000), "pod-" + id};
      o.digest = std::string(64, 'd');
      o.received_ms = now;
      Event e;
      e.type = "kubernetes.event";
      e.subject = o.subject;
      e.release = "web-" + std::to_string(i % 100);
      e.release_namespace = "prod";
      e.reason = "Started";
      e.message = "Started container web of the pod on a node that has a name";
      e.time_ms = now;
      e.labels = {{"app.kubernetes.io/instance", "web"}, {"team", "shop"}};
      e.data = R"({"count":1,"component":"kubelet","host":"node-1"})";
      e.observation = i - first;
      b.observations.push_back(std::move(o));
      b.events.push_back(std::move(e));
    }
    b.checkpoints = {{"events", std::to_string(first + n), now, "watching"}};
    return b;
  }
  void fill(int n, int each) {
    for (int i = 0; i < n; i += each) (void)store_->commit(batch(i, std::min(each, n - i))).value();
  }
  Store& store() { return *store_; }
  const Region& region() const { return region_; }

 private:
  std::filesystem::path folder_;
  std::string url_;
  std::unique_ptr<Store> store_;
  Region region_;
};

void report(benchmark::State& state, std::vector<double>& ms) {
  std::sort(ms.begin(), ms.end());
  state.counters["p50_ms"] = ms[ms.size() / 2];
  state.counters["p99_ms"] = ms[ms.size() * 99 / 100];
  state.counters["max_ms"] = ms.back();
}

// 1,000 events a second, in batches of what came in 10 ms, for 20 s: event to commit.
void BM_StoreSteady(benchmark::State& state) {
  Bench bench;
  bench.subscribe(1);
  for (auto _ : state) {
    std::vector<double> ms;
    auto start = Time::now();
    for (int i = 0; i < 2000; ++i) {
      auto due = start + std::chrono::milliseconds(10 * i);
      std::this_thread::sleep_until(due);
      (void)bench.store().commit(bench.batch(i * 10, 10)).value();
      ms.push_back(ms_since(due));
    }
    report(state, ms);
  }
}
BENCHMARK(BM_StoreSteady)->Iterations(1)->Unit(benchmark::kMillisecond)->UseRealTime();

// 50,000 new events at once, each due to a subscription.
void BM_StoreBurst(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    auto bench = std::make_unique<Bench>();
    bench->subscribe(1);
    state.ResumeTiming();
    bench->fill(50'000, 500);
    state.PauseTiming();
    bench.reset();
    state.ResumeTiming();
  }
}
BENCHMARK(BM_StoreBurst)->Iterations(1)->Unit(benchmark::kMillisecond)->UseRealTime();

// 50,000 known states once more.
void BM_StoreRelist(benchmark::State& state) {
  Bench bench;
  bench.fill(50'000, 500);
  std::vector<Batch> batches;
  for (int i = 0; i < 50'000; i += 500) batches.push_back(bench.batch(i, 500));
  uint64_t before = bench.store().statements();
  for (auto _ : state) {
    for (Batch& b : batches) {
      b.checkpoints.clear();
      (void)bench.store().commit(b).value();
    }
  }
  state.counters["statements"] = static_cast<double>(bench.store().statements() - before) /
                                 static_cast<double>(state.iterations());
}
BENCHMARK(BM_StoreRelist)->Iterations(3)->Unit(benchmark::kMillisecond)->UseRealTime();

// Claim and end what is due, 20 at a time, while 50,000 deliveries wait behind a blocked head.
void BM_StoreDeliver(benchmark::State& state) {
  Bench bench;
  Subscription s;
  s.name = bench.region().name;
  s.filter.regions = {s.name};
  s.order_by = "subscription";
  Subscription blocked = bench.store().add_subscription(s).value();
  bench.fill(50'000, 500);
  auto head = bench.store().claim("bench", 1, 600'000, 1).value();
  (void)bench.store().update_subscription((blocked.enabled = false, blocked));
  s.name += "b";
  s.order_by = "subject";
  (void)bench.store().add_subscription(s).value();
  for (int i = 0; i < 20; ++i) (void)bench.store().commit(bench.batch(50'000 + i * 500, 500)).value();
  std::vector<double> ms;
  size_t sent = 0;
  for (auto _ : state) {
    auto start = Time::now();
    auto got = bench.store().claim("bench", 1, 60'000, 20).value();
    ms.push_back(ms_since(start));
    for (const Claimed& c : got) {
      (void)bench.store().finish(c.delivery, DeliveryState::kSucceeded, 0, "", {});
    }
    sent += got.size();
  }
  report(state, ms);
  state.SetItemsProcessed(static_cast<int64_t>(sent));
}
BENCHMARK(BM_StoreDeliver)->Iterations(400)->Unit(benchmark::kMillisecond)->UseRealTime();

// 1,000,000 stored events: open, the counts of what exists, a page of the newest, cleaning.
void BM_StoreMillion(benchmark::State& state) {
  Bench bench;
  auto start = Time::now();
  bench.fill(1'000'000, 1000);
  state.counters["fill_s"] = ms_since(start) / 1000;
  for (auto _ : state) {
    start = Time::now();
    bench.reopen();
    state.counters["open_ms"] = ms_since(start);
    start = Time::now();
    state.counters["objects"] =
        static_cast<double>(bench.store().counts(bench.region().name, "events")->size());
    state.counters["counts_ms"] = ms_since(start);
    EventQuery q;
    q.newest_first = true;
    start = Time::now();
    (void)bench.store().events(q).value();
    state.counters["page_ms"] = ms_since(start);
    q.type = "kubernetes.event";
    q.name = "web-17";
    start = Time::now();
    (void)bench.store().events(q).value();
    state.counters["named_ms"] = ms_since(start);
    start = Time::now();
    (void)bench.store().next_due_ms().value();
    (void)bench.store().commit(bench.batch(2'000'000, 10)).value();
    state.counters["commit_ms"] = ms_since(start);
    start = Time::now();
    CleaningPolicy all;
    all.name = all.type = "*";
    all.keep_ms = 1;
    (void)bench.store().clean({all}, 1000, {}).value();
    state.counters["clean1000_ms"] = ms_since(start);
  }
}
BENCHMARK(BM_StoreMillion)->Iterations(1)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace pintle::lookout
