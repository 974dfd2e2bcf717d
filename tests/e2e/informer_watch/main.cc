// informer_watch: one informer factory against a real server, driven by lines on standard input,
// for tests/e2e/informer and figures.
//
//   informer_watch KUBECONFIG GROUP/VERSION PLURAL [namespace=N] [watch-list=off] [text=off]
//                  [start-version=V] [watches=N] [managed-fields=keep] [metadata=only] [mirror=off]
//                  [clusters=N]
//
// watches=N makes N informers, one per namespace w0, w1, ...; the numbers are then of all together.
// clusters=N spreads them over N connections, each to a loopback address of its own (the server must
// listen on all), which share two I/O threads.
// Commands: "stats" prints one line of key=value; "wait N" waits up to 60 s for N objects; "keys"
// prints a checksum of what the store holds and of what a handler has put together; end of input
// stops.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "http/http.h"
#include "informer/factory.h"
#include "kube/config.h"
#include "sys/disk.h"
#include "sys/environ.h"

using namespace pintle;
using namespace pintle::informer;

namespace {

int64_t status_of(const char* field) {  // KiB of /proc/self/status
  FILE* f = fopen("/proc/self/status", "r");
  char line[256];
  int64_t out = 0;
  while (f && fgets(line, sizeof line, f)) {
    if (strncmp(line, field, strlen(field)) == 0) out = atoll(line + strlen(field) + 1);
  }
  if (f) fclose(f);
  return out;
}

size_t thread_count() {
  size_t n = 0;
  for ([[maybe_unused]] const auto& t : std::filesystem::directory_iterator("/proc/self/task")) ++n;
  return n;
}

// What a handler knows from changes alone: it must equal the store.
struct Mirror {
  std::mutex mutex;
  std::map<std::string, std::string> versions;  // key -> version
  uint64_t adds = 0, updates = 0, deletes = 0, tombstones = 0, wrong = 0;

  Take hear(const Change& c) {
    std::lock_guard held(mutex);
    const std::string key(c.object->key());
    const bool known = versions.contains(key);
    switch (c.kind) {
      case Change::Kind::kAdd:
        ++adds;
        wrong += known;
        break;
      case Change::Kind::kUpdate:
        ++updates;
        wrong += !known || versions[key] != c.before->resource_version();
        break;
      case Change::Kind::kDelete:
        ++deletes;
        tombstones += c.final_state_unknown;
        wrong += !known;
        versions.erase(key);
        return Take::kTaken;
      default:
        return Take::kTaken;
    }
    versions[key] = c.object->resource_version();
    return Take::kTaken;
  }
};

int fail(const Error& e) {
  fprintf(stderr, "%s\n", e.text().c_str());
  return 1;
}

using Clusters = std::vector<std::shared_ptr<kube::Rest>>;

Result<Clusters> connections(kube::ClientConfig config, int count) {
  const std::shared_ptr<http::Engine> engines[] = {http::make_engine(), http::make_engine()};
  const std::string server = config.server;
  const size_t host = server.find("127."), port = server.rfind(':');
  if (count > 1 && (host == std::string::npos || port < host)) {
    return Error("many clusters want a server on loopback");
  }
  Clusters out;
  for (int i = 0; i < count; ++i) {
    if (count > 1) {
      config.server = cat(server.substr(0, host), "127.2.", i / 250, ".", 1 + i % 250,
                          server.substr(port));
    }
    out.push_back(TRY(kube::connect(
        config, {.user_agent = "informer_watch", .engine = engines[i % std::size(engines)]})));
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4)
    return fprintf(stderr, "usage: informer_watch KUBECONFIG GROUP/VERSION PLURAL [k=v]...\n"), 2;
  std::map<std::string, std::string> set;
  for (int i = 4; i < argc; ++i) {
    const std::string arg = argv[i];
    set[arg.substr(0, arg.find('='))] = arg.substr(arg.find('=') + 1);
  }
  kube::ConfigFlags flags;
  flags.kubeconfig = argv[1];
  auto config = kube::client_config(flags, sys::real_disk(), sys::real_environ());
  if (!config) return fail(config.error());
  const auto clusters = connections(*config, std::max(1, atoi(set["clusters"].c_str())));
  if (!clusters) return fail(clusters.error());

  Resource resource;
  const std::string gv = argv[2];
  const size_t slash = gv.find('/');
  resource.group = slash == std::string::npos ? "" : gv.substr(0, slash);
  resource.version = slash == std::string::npos ? gv : gv.substr(slash + 1);
  resource.plural = argv[3];
  resource.name_space = set["namespace"];
  resource.metadata_only = set["metadata"] == "only";
  InformerOptions options;
  options.reflector.watch_list = set["watch-list"] != "off";
  options.reflector.start_version = set["start-version"];
  options.keep_text = set["text"] != "off";
  if (set["managed-fields"] != "keep") options.reflector.transform = drop_managed_fields();
  options.on_error = [](const Error& e) { fprintf(stderr, "informer: %s\n", e.text().c_str()); };

  Factory factory;
  Mirror mirror;
  std::vector<std::shared_ptr<SharedInformer>> informers;
  const int watches = set["watches"].empty() ? 0 : atoi(set["watches"].c_str());
  for (int i = 0; i < std::max(watches, 1); ++i) {
    if (watches > 0) resource.name_space = cat("w", i);
    auto informer = factory.informer((*clusters)[i % clusters->size()], resource, options);
    if (!informer) return fail(informer.error());
    if (set["mirror"] != "off") {
      if (auto added = (*informer)->add_handler([&](const Change& c) { return mirror.hear(c); });
          !added) {
        return fail(added.error());
      }
    }
    informers.push_back(std::move(*informer));
  }
  const auto began = std::chrono::steady_clock::now();
  factory.start();
  if (!factory.wait_for_sync(120 * kSecond)) return fail(Error("not synced in 120 s"));
  const auto synced = std::chrono::steady_clock::now() - began;
  printf("synced ms=%lld\n",
         static_cast<long long>(
             std::chrono::duration_cast<std::chrono::milliseconds>(synced).count()));
  fflush(stdout);

  const auto objects = [&] {
    size_t n = 0;
    for (const auto& i : informers) n += i->store().size();
    return n;
  };
  char line[256];
  while (fgets(line, sizeof line, stdin)) {
    const std::string command(line, strcspn(line, "\n"));
    if (command.starts_with("wait ")) {
      const size_t want = strtoul(line + 5, nullptr, 10);
      for (int i = 0; i < 12'000 && objects() != want; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
      printf("objects=%zu\n", objects());
    } else if (command == "keys") {
      size_t different = 0;
      uint64_t sum = 0;
      std::lock_guard held(mirror.mutex);
      for (const auto& i : informers) {
        for (const ObjectPtr& o : i->store().list()) {
          sum += crypt::adler32(cat(o->key(), "@", o->resource_version()));
          const auto at = mirror.versions.find(std::string(o->key()));
          different += at == mirror.versions.end() || at->second != o->resource_version();
        }
      }
      printf("different=%zu mirrored=%zu wrong=%llu sum=%llu\n", different,
             mirror.versions.size(), static_cast<unsigned long long>(mirror.wrong),
             static_cast<unsigned long long>(sum));
    } else if (command == "stats") {
      Counters all;
      for (const auto& i : informers) {
        const Counters c = i->counters();
        all.lists += c.lists;
        all.list_ns += c.list_ns;
        all.list_items += c.list_items;
        all.watches += c.watches;
        all.watch_items += c.watch_items;
        all.watch_bookmarks += c.watch_bookmarks;
        all.watch_list_fallbacks += c.watch_list_fallbacks;
        all.expired += c.expired;
        all.unchanged += c.unchanged;
        all.added += c.added;
        all.updated += c.updated;
        all.deleted += c.deleted;
        all.tombstones += c.tombstones;
        all.skipped_frames += c.skipped_frames;
      }
      const auto n = [](uint64_t v) { return static_cast<unsigned long long>(v); };
      printf(
          "objects=%zu lists=%llu list_ms=%lld list_items=%llu watches=%llu items=%llu "
          "bookmarks=%llu "
          "fallbacks=%llu expired=%llu unchanged=%llu added=%llu updated=%llu deleted=%llu "
          "tombstones=%llu skipped=%llu rss_kib=%lld peak_kib=%lld threads=%zu\n",
          objects(), n(all.lists), static_cast<long long>(all.list_ns / kMs), n(all.list_items),
          n(all.watches), n(all.watch_items), n(all.watch_bookmarks), n(all.watch_list_fallbacks),
          n(all.expired), n(all.unchanged), n(all.added), n(all.updated), n(all.deleted),
          n(all.tombstones), n(all.skipped_frames), static_cast<long long>(status_of("VmRSS:")),
          static_cast<long long>(status_of("VmHWM:")), thread_count());
    }
    fflush(stdout);
  }
  factory.stop();
  return 0;
}
