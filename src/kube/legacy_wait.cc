#include "kube/legacy_wait.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>

#include "base/strings.h"
#include "kube/apply.h"
#include "kube/discovery.h"
#include "kube/live.h"
#include "kube/wait.h"

namespace pintle::kube {
namespace {

constexpr int64_t kRoundMs = 2000;
constexpr int kTolerated = 30;  // failures to ask, for each object

bool observed(const value::Value& o) {
  return number(o, {"status", "observedGeneration"}, 0) == number(o, {"metadata", "generation"}, 0);
}

// A count or a percentage of `total`.
int64_t scaled(const value::Value* v, int64_t total, bool up) {
  if (!v) return 0;
  if (v->is_int()) return v->as_int();
  if (!v->is_string()) return 0;
  int64_t percent = 0;
  const std::string_view s = v->as_string();
  std::from_chars(s.data(), s.data() + s.size(), percent);
  return (percent * total + (up ? 99 : 0)) / 100;
}

bool is_controlled_by(const value::Value& o, const value::Value& owner) {
  const value::Value* owners = at(o, {"metadata", "ownerReferences"});
  if (!owners) return false;
  return std::ranges::any_of(owners->items(), [&](const value::Value& ref) {
    const value::Value* controls = ref.get("controller");
    return controls && value::truth(*controls) && text(ref, {"uid"}) == text(owner, {"metadata", "uid"});
  });
}

// A ReplicaSet's pod template, less the label it is told apart by, against its Deployment's.
bool same_template(const value::Value& rs, const value::Value& deployment) {
  const value::Value* theirs = at(rs, {"spec", "template"});
  const value::Value* wanted = at(deployment, {"spec", "template"});
  if (!theirs || !wanted) return false;
  const value::Value own = value::deep_copy(*theirs);
  if (const value::Value* labels = at(own, {"metadata", "labels"}); labels && labels->as_map()) {
    labels->as_map()->erase("pod-template-hash");
  }
  return value::deep_equal(own, *wanted);
}

bool service(const value::Value& o) {
  if (text(o, {"spec", "type"}) == "ExternalName") return true;
  if (text(o, {"spec", "clusterIP"}).empty()) return false;
  if (text(o, {"spec", "type"}) != "LoadBalancer") return true;
  const value::Value* external = at(o, {"spec", "externalIPs"});
  const value::Value* ingress = at(o, {"status", "loadBalancer", "ingress"});
  return (external && external->length() > 0) || (ingress && ingress->length() > 0);
}

Result<bool> job(const Object& o, const value::Value& live) {
  if (number(live, {"status", "failed"}, 0) > number(live, {"spec", "backoffLimit"}, 6)) {
    return Error(Code::kFailedPrecondition, cat("job is failed: ", o.ns, "/", o.name));
  }
  const value::Value* completions = at(live, {"spec", "completions"});
  return !completions || !completions->is_int() ||
         number(live, {"status", "succeeded"}, 0) >= completions->as_int();
}

bool daemon_set(const value::Value& o) {
  if (!observed(o)) return false;
  if (text(o, {"spec", "updateStrategy", "type"}) != "RollingUpdate") return true;
  const int64_t want = number(o, {"status", "desiredNumberScheduled"}, 0);
  if (number(o, {"status", "updatedNumberScheduled"}, 0) != want) return false;
  const int64_t away =
      scaled(at(o, {"spec", "updateStrategy", "rollingUpdate", "maxUnavailable"}), want, true);
  return number(o, {"status", "numberReady"}, 0) >= want - away;
}

bool stateful_set(const value::Value& o) {
  if (!observed(o)) return false;
  if (text(o, {"spec", "updateStrategy", "type"}) != "RollingUpdate") return true;
  const int64_t partition = number(o, {"spec", "updateStrategy", "rollingUpdate", "partition"}, 0);
  const int64_t replicas = number(o, {"spec", "replicas"}, 1);
  if (number(o, {"status", "updatedReplicas"}, 0) < replicas - partition) return false;
  if (number(o, {"status", "readyReplicas"}, 0) != replicas) return false;
  return partition != 0 ||
         text(o, {"status", "currentRevision"}) == text(o, {"status", "updateRevision"});
}

class Rounds {
 public:
  Rounds(Rest& rest, const WaitOptions& options) : rest_(rest), options_(options) {}

  Result<bool> ready(const Object& o) {
    const value::Value live = TRY(get_object(rest_, o));
    if (o.kind == "Deployment" && o.group == "apps") return deployment(o, live);
    const bool replicas = o.kind == "ReplicaSet" && o.group == "apps";
    const bool controller = o.kind == "ReplicationController" && o.group.empty();
    if (replicas || controller) {
      if (!observed(live)) return false;
      const value::Value* labels =
          replicas ? at(live, {"spec", "selector", "matchLabels"}) : at(live, {"spec", "selector"});
      const value::Value list = TRY(items("", "v1", "pods", o.ns, labels));
      const auto pods = list.items();
      return std::all_of(pods.begin(), pods.end(),
                         [](const value::Value& p) { return condition_is(p, "Ready", "True"); });
    }
    return legacy_ready(o, live, options_.jobs);
  }

 private:
  Result<value::Value> items(std::string_view group, std::string_view version,
                             std::string_view plural, const std::string& ns,
                             const value::Value* labels) {
    Call call;
    call.path = collection_path(group, version, plural, true, ns);
    if (labels) call.query = "labelSelector=" + query_escape(selector_text(*labels));
    call.cancel = options_.cancel;
    const value::Value list = TRY(decode(TRY(rest_.call(call))));
    const value::Value* found = list.get("items");
    return found ? *found : value::Value();
  }

  // Ready when the ReplicaSet of the present template is. Known by its template, not its revision:
  // a Deployment that is scaled and changed at once is "observed" before it has the new ReplicaSet.
  Result<bool> deployment(const Object& o, const value::Value& live) {
    const value::Value* paused = at(live, {"spec", "paused"});
    if (paused && value::truth(*paused)) return true;
    const value::Value list = TRY(
        items("apps", "v1", "replicasets", o.ns, at(live, {"spec", "selector", "matchLabels"})));
    const value::Value* newest = nullptr;
    for (const value::Value& rs : list.items()) {
      if (!is_controlled_by(rs, live) || !same_template(rs, live)) continue;
      // Of several Kubernetes takes the oldest.
      if (newest == nullptr || text(rs, {"metadata", "creationTimestamp"}) <
                                   text(*newest, {"metadata", "creationTimestamp"})) {
        newest = &rs;
      }
    }
    if (newest == nullptr || !observed(*newest) || !observed(live)) return false;
    const int64_t want = number(live, {"spec", "replicas"}, 1);
    int64_t away = 0;
    if (text(live, {"spec", "strategy", "type"}) == "RollingUpdate") {
      const value::Value* allowed = at(live, {"spec", "strategy", "rollingUpdate", "maxUnavailable"});
      away = std::min(scaled(allowed, want, false), want);
    }
    return number(*newest, {"status", "readyReplicas"}, 0) >= want - away;
  }

  Rest& rest_;
  const WaitOptions& options_;
};

bool tolerable(const Error& e) {
  const auto* status = e.find<ApiStatus>();
  if (!status || status->code == 0 || status->code == 429) return true;
  return status->code >= 500 && status->code != 501;
}

}  // namespace

Result<bool> legacy_ready(const Object& o, const value::Value& live, bool jobs) {
  if (o.group.empty()) {
    if (o.kind == "Pod") return condition_is(live, "Ready", "True");
    if (o.kind == "PersistentVolumeClaim") return text(live, {"status", "phase"}) == "Bound";
    if (o.kind == "Service") return service(live);
  }
  if (o.group == "batch" && o.kind == "Job") return jobs ? job(o, live) : Result<bool>(true);
  if (o.group == "apps" && o.kind == "DaemonSet") return daemon_set(live);
  if (o.group == "apps" && o.kind == "StatefulSet") return stateful_set(live);
  if (o.group == "apiextensions.k8s.io" && o.kind == "CustomResourceDefinition") {
    return condition_is(live, "Established", "True") || condition_is(live, "NamesAccepted", "False");
  }
  return true;
}

Status legacy_wait(Rest& rest, sys::Clock& clock, const Objects& objects, const WaitOptions& options) {
  const int64_t deadline = clock.monotonic_ns() + options.timeout_ms * 1'000'000;
  std::vector<int> failures(objects.size());
  Rounds rounds(rest, options);
  for (;;) {
    bool all = true;
    for (size_t i = 0; i < objects.size() && all; ++i) {
      auto is = rounds.ready(objects[i]);
      if (!is) {
        if (!tolerable(is.error()) || ++failures[i] > kTolerated) return std::move(is).error();
        all = false;
      } else {
        failures[i] = 0;
        all = *is;
      }
      if (all) continue;
      if (options.progress) {
        const Object& o = objects[i];
        options.progress({{o.kind, o.ns, o.name, "InProgress", "",
                           object_path(o, o.name), pod_selector(o)}});
      }
    }
    if (all) return ok();
    for (int64_t slept = 0; slept < kRoundMs; slept += 50) {
      if (options.cancel && options.cancel->cancelled()) return Error(Code::kCancelled, "context canceled");
      if (clock.monotonic_ns() >= deadline) {
        return Error(Code::kDeadlineExceeded, "context deadline exceeded");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
}

}  // namespace pintle::kube
