// A region before a scripted API server, on a stepped clock: the real informers, writer and store.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/strings.h"
#include "informer/testing/scripted_test.h"
#include "lookout/region/region.h"
#include "lookout/testing/memory_store.h"
#include "lookout/testing/store_fixture.h"
#include "sys/memory_disk.h"
#include "sys/testing/fake_environ.h"

namespace pintle::lookout {

// An API server as far as lists and watches go: what is in `objects` by path is listed, streamed or
// not, and put() and remove() tell those who watch.
class FakeCluster {
 public:
  std::shared_ptr<informer::ScriptedRest> rest = std::make_shared<informer::ScriptedRest>();
  std::string uid = "uid-of-kube-system";
  std::string server = "";             // why nothing is answered: an error of the connection
  std::string break_watches = "";      // why every watch ends before it is answered
  std::map<std::string, int> refuse;   // path, or "" for all -> status
  bool hold_lists = false;             // they wait for their answer
  std::string endless = "";            // the path of which a streamed list does not come to its end
  int64_t version = 1000;
  std::vector<std::string> asked;      // "list PATH", "stream PATH @VERSION", "watch PATH @VERSION", "get PATH"

  struct Object {
    std::string name_space, name, uid, rest;  // rest: the members beside metadata, without braces
    std::string labels = {};
    std::string metadata = {};  // more of its members
    int64_t version = 0;
  };
  void put(const std::string& path, Object o) {
    o.version = ++version;
    auto& at = objects_[path][o.name_space + "/" + o.name];
    const bool there = !at.name.empty();
    at = o;
    tell(path, there ? "MODIFIED" : "ADDED", at);
  }
  void remove(const std::string& path, const std::string& key) {
    Object o = objects_[path][key];
    objects_[path].erase(key);
    o.version = ++version;
    tell(path, "DELETED", o);
  }
  // Ends every watch, as a server that restarts; the next requests are answered as it is set up now.
  void cut() {
    for (auto& [key, x] : std::exchange(watches_, {})) x->end();
  }
  void cut_with(int code) {
    for (auto& [key, x] : std::exchange(watches_, {})) x->refuse(code, reason_of(code));
  }
  void bookmark() {
    for (auto& [key, x] : watches_) say(x, bookmark_of(x->call, false));
  }
  // False: there was nothing to answer.
  bool serve() {
    bool any = feed();
    if (!hold_lists) {
      for (const auto& x : std::exchange(held_, {})) answer(x);
    }
    while (const auto x = rest->next()) {
      any = true;
      answer(x);
    }
    return any;
  }
  bool watched(const std::string& path) const {
    for (const auto& [key, x] : watches_) {
      if (x->call.path == path && !x->dropped && !x->ended) return true;
    }
    return false;
  }

 private:
  using Exchange = std::shared_ptr<informer::ScriptedRest::Exchange>;
  static std::string reason_of(int code) {
    return code == 401 ? "Unauthorized" : code == 403 ? "Forbidden" : code == 404 ? "NotFound"
           : code == 410 ? "Expired" : "InternalError";
  }
  static std::string kind_of(const kube::Call& call) {
    if (call.accept.find("PartialObjectMetadata") != std::string::npos) return "PartialObjectMetadata";
    static const std::map<std::string, std::string> kKinds = {
        {"secrets", "Secret"}, {"configmaps", "ConfigMap"}, {"pods", "Pod"}, {"events", "Event"},
        {"deployments", "Deployment"}, {"statefulsets", "StatefulSet"}, {"daemonsets", "DaemonSet"},
        {"jobs", "Job"}, {"rollouts", "Rollout"}, {"applications", "Application"},
        {"customresourcedefinitions", "CustomResourceDefinition"}};
    const auto it = kKinds.find(call.path.substr(call.path.rfind('/') + 1));
    return it == kKinds.end() ? "" : it->second;
  }
  // "/apis/apps/v1/deployments" -> "apps/v1", "/api/v1/pods" -> "v1"
  static std::string head_of(const kube::Call& call) {
    const std::string kind = kind_of(call);
    const auto steps = split(call.path, "/");
    const std::string version = kind == "PartialObjectMetadata" ? "meta.k8s.io/v1"
                                : steps[1] == "api" ? std::string(steps[2])
                                                    : cat(steps[2], "/", steps[3]);
    return cat("\"kind\":\"", kind, "\",\"apiVersion\":\"", version, "\"");
  }
  static std::string json_of(const Object& o, const kube::Call& call) {
    return cat("{", head_of(call), ",\"metadata\":{\"name\":\"", o.name, "\",\"namespace\":\"",
               o.name_space, "\",\"uid\":\"", o.uid, "\",\"resourceVersion\":\"", o.version,
               "\",\"labels\":{", o.labels, "}", o.metadata.empty() ? "" : ",", o.metadata, "}", o.rest.empty() ? "" : ",", o.rest, "}");
  }
  std::string bookmark_of(const kube::Call& call, bool initial_end) const {
    return informer::frame_json(
        "BOOKMARK", cat("{", head_of(call), ",\"metadata\":{\"resourceVersion\":\"", version,
                        "\"", initial_end ? ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}" : "",
                        "}}"));
  }
  static std::string decoded(const Exchange& x, std::string_view name) {
    return replace_all(x->find(name), "%3D", "=");
  }
  static bool selected(const Exchange& x, const Object& o) {
    const std::string labels = decoded(x, "labelSelector"), fields = decoded(x, "fieldSelector");
    if (const size_t at = labels.find('='); at != std::string::npos) {
      const std::string want = cat("\"", labels.substr(0, at), "\":\"", labels.substr(at + 1), "\"");
      if (o.labels.find(want) == std::string::npos) return false;
    }
    return !fields.starts_with("metadata.name=") || fields == "metadata.name=" + o.name;
  }
  void tell(const std::string& path, std::string_view type, const Object& o) {
    for (auto& [key, x] : watches_) {
      if (x->call.path == path && selected(x, o)) say(x, informer::frame_json(type, json_of(o, x->call)));
    }
  }
  // A reader that is full refuses a frame; it is then sent again.
  void say(const Exchange& x, std::string frame) {
    waiting_.emplace_back(x, std::move(frame));
    feed();
  }
  bool feed() {
    bool any = false;
    std::set<const void*> full;
    std::erase_if(waiting_, [&](auto& one) {
      const auto& [x, frame] = one;
      if (full.contains(x.get())) return false;
      if (x->send(frame) == kube::Rest::Flow::kPause) {
        full.insert(x.get());
        return false;
      }
      return any = true;
    });
    return any;
  }
  void answer(const Exchange& x) {
    const std::string& path = x->call.path;
    const bool streams = x->find("sendInitialEvents") == "true";
    asked.push_back(x->is_watch() ? cat(streams ? "stream " : "watch ", path, " @", x->find("resourceVersion"))
                                  : cat(path.find("kube-system") != std::string::npos ? "get " : "list ", path));
    if (hold_lists && asked.back().starts_with("list")) return held_.push_back(x);
    if (!server.empty()) return x->end(Error(Code::kUnavailable, server));
    if (x->is_watch() && !break_watches.empty()) return x->end(Error(Code::kUnavailable, break_watches));
    for (const std::string& key : {path, std::string()}) {
      if (const auto it = refuse.find(key); it != refuse.end()) {
        return x->refuse(it->second, reason_of(it->second), cat("refused with ", it->second));
      }
    }
    if (path == "/api/v1/namespaces/kube-system") {
      return x->answer(cat("{\"kind\":\"Namespace\",\"metadata\":{\"name\":\"kube-system\",\"uid\":\"", uid, "\"}}"));
    }
    std::vector<std::string> items;
    for (const auto& [key, o] : objects_[path]) {
      if (selected(x, o)) items.push_back(json_of(o, x->call));
    }
    if (!x->is_watch()) {
      return x->answer(informer::list_json(items, cat(version), "", kind_of(x->call) + "List"));
    }
    x->accept();
    watches_[cat(path, "?", x->call.query.substr(0, x->call.query.find("&resourceVersion")))] = x;
    if (x->find("sendInitialEvents") == "true") {
      for (const std::string& item : items) say(x, informer::frame_json("ADDED", item));
      if (path != endless) say(x, bookmark_of(x->call, true));
      return;
    }
    const int64_t from = atoll(x->find("resourceVersion").c_str());
    for (const auto& [key, o] : objects_[path]) {
      if (o.version > from && selected(x, o)) say(x, informer::frame_json("ADDED", json_of(o, x->call)));
    }
  }

  std::vector<std::pair<Exchange, std::string>> waiting_;
  std::vector<Exchange> held_;
  std::map<std::string, std::map<std::string, Object>> objects_;
  std::map<std::string, Exchange> watches_;
};

class RegionTest : public testing::Test {
 protected:
  RegionTest()
      : writer_([this](const Batch& b) { return commit(b); }, clock_, {},
                [this](const Batch& b, const Committed&) { done(b); }) {
    config_.name = "eu-1";
    config_.kubeconfig_text =
        "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
        "clusters: [{name: c, cluster: {server: \"https://scripted:6443\"}}]\nusers: [{name: u, user: {}}]\n";
    writer_.start();
  }
  ~RegionTest() override {
    region_.reset();
    writer_.stop(0);
    factory_.stop();
  }

  // A new one on what is stored, as after a restart or a change of the configuration.
  void begin() {
    region_.reset();
    std::shared_ptr<informer::ScriptedRest> rest = cluster_.rest = std::make_shared<informer::ScriptedRest>();
    region_ = std::make_unique<WatchedRegion>(
        config_,
        RegionShared{store_, writer_, factory_, clock_, disk_, environ_, log_, "me", [] {}, nullptr, nullptr,
                     [](std::function<void()> task) { task(); },
                     [rest](const kube::ClientConfig&) { return rest; }},
        rules_, tracker_, true);
    ask_ms_ = 0;
    settle();
  }
  // Until nobody has anything to do: what region/regions.cc does, asking each second.
  void settle() {
    for (int i = 0; i < 50; ++i) {
      const int64_t now = clock_.now_ns() / 1'000'000;
      if (!region_->connected() && config_.enabled && now >= ask_ms_) {
        ask_ms_ = now + 1000;
        answered_ = false;
        region_->ask([this] { answered_ = true; });
      }
      bool busy = factory_.run_ready() > 0;
      busy = cluster_.serve() || busy;
      if (std::exchange(answered_, false)) {
        (void)region_->take(0);
        busy = true;
      }
      region_->care();
      busy = factory_.run_ready() > 0 || busy;
      if (!busy && !cluster_.serve()) break;
    }
    flush();
  }
  void pass(int64_t ms, int64_t step_ms = 1000) {
    for (; ms > 0; ms -= step_ms) {
      clock_.step(std::min(ms, step_ms) * 1'000'000);
      settle();
    }
  }
  // Until all that was pushed is stored.
  void flush() {
    Batch mark;
    mark.region_id = std::numeric_limits<int64_t>::max();
    mark.checkpoints.push_back({});
    Lock held(mutex_);
    const int before = marks_;
    held.unlock();
    writer_.push(std::move(mark));
    held.lock();
    while (marks_ <= before) changed_.wait(mutex_);
  }
  std::string state() { return region_->status().state; }
  // What was told, without raw Events: "TYPE REASON" each.
  std::vector<std::string> told(std::string_view prefix = "") {
    EventQuery query;
    query.limit = 1000;
    std::vector<std::string> out;
    const auto events = store_.events(query);
    for (const StoredEvent& e : *events) {
      if (e.event.type == "kubernetes.event" || !e.event.type.starts_with(prefix)) continue;
      out.push_back(cat(e.event.type, ' ', e.event.reason));
    }
    return out;
  }
  Result<std::vector<StoredEvent>> events_of(const std::string& type) {
    EventQuery query;
    query.type = type;
    query.limit = 1000;
    return store_.events(query);
  }
  std::vector<StoredGap> gaps() { return *store_.gaps(0, 100); }
  std::vector<std::string> asked() { return std::exchange(cluster_.asked, {}); }

  sys::FakeClock clock_{kStartMs * 1'000'000};
  sys::MemoryDisk disk_;
  sys::FakeEnviron environ_;
  MemoryStore store_{clock_};
  informer::Factory factory_{{.clock = &clock_, .random = [] { return 0.0; }, .threads = false}};
  FakeCluster cluster_;
  RegionConfig config_;
  TrackerOptions tracker_;
  Log log_;
  std::shared_ptr<const Rules> rules_ =
      std::make_shared<const Rules>(std::move(*Rules::compile(Rules::defaults())));
  std::unique_ptr<WatchedRegion> region_;
  int64_t ask_ms_ = 0;
  bool answered_ = false;

 private:
  Result<Committed> commit(const Batch& batch) {
    if (batch.region_id == std::numeric_limits<int64_t>::max()) return Committed{};
    return store_.commit(batch);
  }
  void done(const Batch& batch) {
    if (batch.region_id != std::numeric_limits<int64_t>::max()) return;
    Lock held(mutex_);
    ++marks_;
    changed_.notify_all();
  }

  Mutex mutex_;
  Condition changed_;
  int marks_ GUARDED_BY(mutex_) = 0;
  Writer writer_;  // last: it ends first
};

}  // namespace pintle::lookout
