// The scheduler and the kubelet of the one simulated node.
//
// A pod goes one step per call: bound; its images pulled; its init containers run; running and ready;
// and, when it is one that ends, finished. The step is read from the pod itself, so nothing is lost
// with a restart. Only changes that are not our own status writes wake it (see `pod_keys`): between
// steps it waits its delay on the World's clock. Probes are not run: what starts is ready.
//
// Annotations script it, on the pod or its template:
//   drydock.pintle.dev/start-for: 5s  becomes ready that long after it was scheduled
//   drydock.pintle.dev/fail: ImagePull | Crash | NeverReady | OOM | ExitCode=N
//   drydock.pintle.dev/run-for: 2s    ends (fails, with Crash, OOM or ExitCode) after that long
//   drydock.pintle.dev/stop-for: 2s   takes that long to end when deleted
// An image whose tag is or holds "does-not-exist" or "missing", or whose registry ends in ".invalid",
// cannot be pulled. A pod that restarts Never or OnFailure succeeds after a short run.
#include <charconv>
#include <cstdlib>

#include "base/strings.h"
#include "drydock/controllers/common.h"
#include "drydock/controllers/controllers.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kScheduler = "default-scheduler";
constexpr std::string_view kKubelet = "kubelet";
constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kShortRun = 300 * kMillisecond;

std::vector<Key> pod_keys(World&, const Change& change) {
  auto unlike = [&](std::string_view map, std::string_view field) {
    return !same(at(*change.before, map, field), at(*change.after, map, field));
  };
  if (!change.after) return {};
  if (change.before && !unlike("metadata", "deletionTimestamp") &&
      !unlike("metadata", "annotations") && !unlike("spec", "schedulingGates") &&
      !unlike("spec", "containers") && !unlike("spec", "nodeName")) {
    return {};
  }
  return {key_of("", "pods", *change.after)};
}

// ---- what the annotations and the image say ----

std::string_view annotation(const Value& pod, std::string_view name) {
  return text(pod, "metadata", "annotations", cat("drydock.pintle.dev/", name));
}

Again duration(std::string_view t) {  // 1.5s 300ms 2m 1h
  double n = 0;
  auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), n);
  if (error != std::errc() || n < 0 || n > 1e6) return std::nullopt;
  std::string_view unit(end, static_cast<size_t>(t.data() + t.size() - end));
  double ns = unit == "ms" ? 1e6 : unit == "m" ? 60e9 : unit == "h" ? 3600e9 : 1e9;
  return static_cast<int64_t>(n * ns);
}

struct Ending {
  int exit_code = 0;
  std::string_view reason = "Completed";
};

std::optional<Ending> scripted_failure(const Value& pod) {
  std::string_view fail = annotation(pod, "fail");
  if (fail == "Crash") return Ending{1, "Error"};
  if (fail == "OOM") return Ending{137, "OOMKilled"};
  if (!fail.starts_with("ExitCode=")) return std::nullopt;
  int code = 1;
  std::from_chars(fail.data() + 9, fail.data() + fail.size(), code);
  return Ending{code, code == 0 ? "Completed" : "Error"};
}

std::string pull_failure(const Value& pod, std::string_view image) {
  size_t slash = image.find('/');
  std::string_view registry = slash == image.npos ? "" : image.substr(0, slash);
  std::string_view host = registry.substr(0, registry.find(':'));
  size_t colon = image.rfind(':');
  std::string_view tag = colon == image.npos || (slash != image.npos && colon < image.rfind('/'))
                             ? "" : image.substr(colon + 1);
  std::string full(image);
  if (registry.find('.') == registry.npos && registry.find(':') == registry.npos &&
      registry != "localhost") {
    full = cat("docker.io/", slash == image.npos ? "library/" : "", image);
  }
  if (tag.empty()) full += ":latest";
  std::string start = cat("failed to pull and unpack image \"", full, "\": failed to resolve reference \"",
                          full, "\": ");
  if (host.ends_with(".invalid")) {
    return cat(start, "failed to do request: Head \"https://", registry, "/v2/\": dial tcp: lookup ",
               host, ": no such host");
  }
  bool marked = tag.find("does-not-exist") != tag.npos || tag.find("missing") != tag.npos;
  if (marked || annotation(pod, "fail") == "ImagePull") {
    return cat("rpc error: code = NotFound desc = ", start, full, ": not found");
  }
  return "";
}

// ---- status ----

void set_pod_condition(World& world, Value& status, std::string_view type, bool on,
                       std::string_view reason = "", std::string_view message = "",
                       int64_t generation = 0) {
  Value* condition = find_condition(status, type);
  std::string_view state = on ? "True" : "False";
  if (!condition) {
    Value fresh = empty_map();
    put(fresh, "type", type);
    push(status, "conditions", std::move(fresh));
    condition = find_condition(status, type);
    put(*condition, "lastProbeTime", Value());
  }
  if (text(*condition, "status") != state) put(*condition, "lastTransitionTime", world.now());
  put(*condition, "status", state);
  if (generation) put(*condition, "observedGeneration", generation);
  reason.empty() ? drop(*condition, "reason") : put(*condition, "reason", reason);
  message.empty() ? drop(*condition, "message") : put(*condition, "message", message);
}

std::string names_of_unready(const Value& status) {
  std::vector<std::string_view> names;
  for (const Value& c : items(status, "containerStatuses")) {
    if (!flag(c, "ready")) names.push_back(text(c, "name"));
  }
  return join(names, " ");
}

// Ready and ContainersReady, from the containers' own.
void sum_up(World& world, const Value& pod, Value& status) {
  int64_t generation = number(pod, "metadata", "generation");
  if (generation) put(status, "observedGeneration", generation);
  std::string_view phase = text(status, "phase");
  std::string unready = names_of_unready(status);
  std::string reason, message;
  bool ready = unready.empty();
  if (phase == "Succeeded") {
    ready = false;
    reason = "PodCompleted";
  } else if (phase == "Failed") {
    ready = false;
    reason = "PodFailed";
  } else if (!ready) {
    reason = "ContainersNotReady";
    message = cat("containers with unready status: [", unready, "]");
  }
  set_pod_condition(world, status, "Ready", ready, reason, message, generation);
  set_pod_condition(world, status, "ContainersReady", ready, reason, message, generation);
}

Value container_status(const Value& container, std::string_view waiting) {
  Value c = empty_map();
  put(c, "name", text(container, "name"));
  put(c, "image", text(container, "image"));
  put(c, "imageID", "");
  put(c, "ready", false);
  put(c, "started", false);
  put(c, "restartCount", 0);
  put(c, "lastState", empty_map());
  put(ensure(c, "state", "waiting"), "reason", waiting);
  return c;
}

std::string container_id(World& world) {
  std::string id = "containerd://";
  while (id.size() < 13 + 64) {
    for (char c : world.new_uid()) {
      if (c != '-' && id.size() < 13 + 64) id += c;
    }
  }
  return id;
}

void set_waiting(Value& c, std::string_view reason, std::string_view message) {
  put(c, "state", empty_map());
  Value& waiting = ensure(c, "state", "waiting");
  put(waiting, "reason", reason);
  if (!message.empty()) put(waiting, "message", message);
  put(c, "ready", false);
  put(c, "started", false);
}

void set_running(World& world, Value& c, bool ready) {
  put(c, "state", empty_map());
  put(ensure(c, "state", "running"), "startedAt", world.now());
  put(c, "ready", ready);
  put(c, "started", true);
  put(c, "containerID", container_id(world));
  std::string_view image = text(c, "image");
  put(c, "imageID", cat(image.substr(0, image.rfind(':')), "@sha256:", "simulated"));
}

void set_terminated(World& world, Value& c, Ending ending, bool init) {
  std::string started(text(c, "state", "running", "startedAt"));
  put(c, "state", empty_map());
  Value& end = ensure(c, "state", "terminated");
  put(end, "exitCode", ending.exit_code);
  put(end, "reason", ending.reason);
  put(end, "startedAt", started.empty() ? world.now() : started);
  put(end, "finishedAt", world.now());
  put(end, "containerID", text(c, "containerID"));
  put(c, "ready", init && ending.exit_code == 0);
  put(c, "started", false);
}

struct Kubelet {
  World& world;
  Value& pod;
  Value status;

  void event(std::string_view type, std::string_view reason, std::string_view message) {
    world.event(pod, type, reason, message, kKubelet);
  }
  Result<Again> write(Again again) {
    sum_up(world, pod, status);
    TRY(write_status(world, "", "pods", pod, std::move(status)));
    return again;
  }
  int64_t start_delay() {
    if (Again scripted = duration(annotation(pod, "start-for"))) return *scripted;
    return std::max<int64_t>(world.pod_start_ms(), 0) * kMillisecond;
  }

  // The first report: what is to come, and the pull of the first image.
  Result<Again> accept() {
    put(status, "phase", "Pending");
    put(status, "startTime", world.now());
    put(status, "hostIP", "10.0.0.1");
    Value host = empty_map();
    put(host, "ip", "10.0.0.1");
    put(status, "hostIPs", Value::list_of({host}));
    bool has_init = !items(pod, "spec", "initContainers").empty();
    int64_t generation = number(pod, "metadata", "generation");
    set_pod_condition(world, status, "PodReadyToStartContainers", false, "", "", generation);
    std::vector<std::string_view> names;
    for (const Value& c : items(pod, "spec", "initContainers")) {
      push(status, "initContainerStatuses", container_status(c, "PodInitializing"));
      names.push_back(text(c, "name"));
    }
    std::string pending = cat("containers with incomplete status: [", join(names, " "), "]");
    set_pod_condition(world, status, "Initialized", !has_init,
                      has_init ? "ContainersNotInitialized" : "", has_init ? pending : "", generation);
    for (const Value& c : items(pod, "spec", "containers")) {
      push(status, "containerStatuses",
           container_status(c, has_init ? "PodInitializing" : "ContainerCreating"));
    }
    return write(start_delay());
  }

  // A volume or variable that names what is not there holds the pod back.
  std::string missing_volume() {
    for (const Value& volume : items(pod, "spec", "volumes")) {
      for (auto [field, name, plural, word] :
           {std::tuple{"configMap", "name", "configmaps", "configmap"},
            std::tuple{"secret", "secretName", "secrets", "secret"}}) {
        const Value* source = at(volume, field);
        if (!source || flag(*source, "optional")) continue;
        std::string wanted(text(*source, name));
        if (!world.get({"", plural, std::string(namespace_of(pod)), wanted})) {
          return cat("MountVolume.SetUp failed for volume \"", text(volume, "name"), "\" : ", word, " \"",
                     wanted, "\" not found");
        }
      }
    }
    return "";
  }

  std::string missing_variable(const Value& container) {
    for (const Value& source : items(container, "envFrom")) {
      for (auto [field, plural, word] : {std::tuple{"configMapRef", "configmaps", "configmap"},
                                         std::tuple{"secretRef", "secrets", "secret"}}) {
        std::string message = missing(at(source, field), plural, word);
        if (!message.empty()) return message;
      }
    }
    for (const Value& variable : items(container, "env")) {
      for (auto [field, plural, word] : {std::tuple{"configMapKeyRef", "configmaps", "configmap"},
                                         std::tuple{"secretKeyRef", "secrets", "secret"}}) {
        std::string message = missing(at(variable, "valueFrom", field), plural, word);
        if (!message.empty()) return message;
      }
    }
    return "";
  }
  std::string missing(const Value* reference, std::string_view plural, std::string_view word) {
    if (!reference || flag(*reference, "optional")) return "";
    std::string name(text(*reference, "name"));
    if (world.get({"", std::string(plural), std::string(namespace_of(pod)), name})) return "";
    return cat(word, " \"", name, "\" not found");
  }

  // Pulls, creates and starts one container. False: it waits for its image or a variable.
  bool launch(const Value& container, Value& c, bool ready) {
    std::string_view image = text(container, "image");
    bool again = text(c, "state", "waiting", "reason") == "ImagePullBackOff" ||
                 text(c, "state", "waiting", "reason") == "ErrImagePull";
    std::string failure = pull_failure(pod, image);
    event("Normal", "Pulling", cat("Pulling image \"", image, "\""));
    if (!failure.empty()) {
      event("Warning", "Failed", cat("Failed to pull image \"", image, "\": ", failure));
      event("Warning", "Failed", "Error: ErrImagePull");
      if (again) {
        event("Normal", "BackOff", cat("Back-off pulling image \"", image, "\""));
        event("Warning", "Failed", "Error: ImagePullBackOff");
        set_waiting(c, "ImagePullBackOff",
                    cat("Back-off pulling image \"", image, "\": ErrImagePull: ", failure));
      } else {
        set_waiting(c, "ErrImagePull", failure);
      }
      return false;
    }
    std::string took = cat(start_delay() / kMillisecond, "ms");
    event("Normal", "Pulled", cat("Successfully pulled image \"", image, "\" in ", took, " (", took,
                                  " including waiting). Image size: 0 bytes."));
    std::string unset = missing_variable(container);
    if (!unset.empty()) {
      event("Warning", "Failed", cat("Error: ", unset));
      set_waiting(c, "CreateContainerConfigError", unset);
      return false;
    }
    event("Normal", "Created", "Container created");
    event("Normal", "Started", "Container started");
    set_running(world, c, ready);
    return true;
  }

  Result<Again> start() {
    std::string unmounted = missing_volume();
    if (!unmounted.empty()) {
      event("Warning", "FailedMount", unmounted);
      return Again(2 * kSecond);
    }
    int64_t generation = number(pod, "metadata", "generation");
    set_pod_condition(world, status, "PodReadyToStartContainers", true, "", "", generation);
    if (unset(status, "podIP")) assign_address();
    auto inits = items(pod, "spec", "initContainers");
    auto init_statuses = elements(status, "initContainerStatuses");
    for (size_t i = 0; i < inits.size() && i < init_statuses.size(); ++i) {
      Value& c = init_statuses[i];
      if (has(c, "state", "terminated") || has(c, "state", "running")) continue;
      bool sidecar = text(inits[i], "restartPolicy") == "Always";
      if (!launch(inits[i], c, sidecar)) return write(Again(10 * kSecond));
      if (!sidecar) set_terminated(world, c, {}, true);
    }
    set_pod_condition(world, status, "Initialized", true, "", "", generation);

    bool ready = annotation(pod, "fail") != "NeverReady";
    bool all = true;
    auto containers = items(pod, "spec", "containers");
    auto statuses = elements(status, "containerStatuses");
    for (size_t i = 0; i < containers.size() && i < statuses.size(); ++i) {
      if (has(statuses[i], "state", "waiting")) all &= launch(containers[i], statuses[i], ready);
    }
    bool any = false;
    for (const Value& c : statuses) any |= has(c, "state", "running");
    if (any) put(status, "phase", "Running");
    if (!all) return write(Again(10 * kSecond));
    return write(run_for());
  }

  void assign_address() {
    // From the uid, so that the same pod keeps it; two pods seldom share one.
    uint32_t hash = 2166136261u;
    for (char c : uid_of(pod)) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    std::string ip = flag(pod, "spec", "hostNetwork")
                         ? "10.0.0.1" : cat("10.244.", hash >> 8 & 255, ".", 2 + hash % 252);
    put(status, "podIP", ip);
    Value entry = empty_map();
    put(entry, "ip", ip);
    put(status, "podIPs", Value::list_of({entry}));
  }

  // How long the containers run; none: for ever.
  Again run_for() {
    if (Again scripted = duration(annotation(pod, "run-for"))) return scripted;
    std::string_view policy = text(pod, "spec", "restartPolicy");
    if (scripted_failure(pod) || policy == "Never" || policy == "OnFailure") return kShortRun;
    return std::nullopt;
  }

  Result<Again> finish() {
    Ending ending = scripted_failure(pod).value_or(Ending{});
    std::string_view policy = text(pod, "spec", "restartPolicy");
    bool restart = policy != "Never" && (policy != "OnFailure" || ending.exit_code != 0);
    int64_t wait = 0;
    for (Value& c : elements(status, "containerStatuses")) {
      if (!has(c, "state", "running")) continue;
      set_terminated(world, c, ending, false);
      if (!restart) continue;
      put(c, "lastState", value::deep_copy(*at(c, "state")));
      int64_t back_off = std::min<int64_t>(10LL << std::min<int64_t>(number(c, "restartCount"), 5), 300);
      std::string_view shown = back_off == 300 ? "5m0s" : "";
      std::string length = !shown.empty() ? std::string(shown)
                           : back_off < 60 ? cat(back_off, "s")
                                           : cat(back_off / 60, "m", back_off % 60, "s");
      std::string about = cat(text(c, "name"), " pod=", name_of(pod), "_", namespace_of(pod), "(",
                              uid_of(pod), ")");
      event("Warning", "BackOff", cat("Back-off restarting failed container ", text(c, "name"), " in pod ",
                                      name_of(pod), "_", namespace_of(pod), "(", uid_of(pod), ")"));
      set_waiting(c, "CrashLoopBackOff",
                  cat("back-off ", length, " restarting failed container=", about));
      wait = back_off * kSecond;
    }
    if (restart) return write(Again(wait));
    put(status, "phase", ending.exit_code == 0 ? "Succeeded" : "Failed");
    std::string reason = ending.exit_code == 0 ? "PodCompleted" : "";
    set_pod_condition(world, status, "PodReadyToStartContainers", false);
    set_pod_condition(world, status, "Initialized", true, reason);
    return write(std::nullopt);
  }

  Result<Again> step() {
    if (unset(status, "startTime")) return accept();
    bool waiting = false, running = false, crashed = false;
    for (const Value& c : items(status, "initContainerStatuses")) waiting |= has(c, "state", "waiting");
    for (Value& c : elements(status, "containerStatuses")) {
      running |= has(c, "state", "running");
      if (!has(c, "state", "waiting")) continue;
      waiting = true;
      if (text(c, "state", "waiting", "reason") == "CrashLoopBackOff") {
        crashed = true;
        put(c, "restartCount", number(c, "restartCount") + 1);
      }
    }
    if (waiting || crashed) return start();
    if (running && run_for()) return finish();
    return Again();
  }
};

// ---- the scheduler ----

// Pods that wait for a claim: it was bound, or came.
std::vector<Key> waiting_for(World& world, const Change& change) {
  std::vector<Key> keys;
  if (!change.after) return keys;
  bool lasts = change.before && same(at(*change.before, "status", "phase"), at(*change.after, "status", "phase"));
  if (lasts) return keys;
  for (const Value& pod : world.list("", "pods", namespace_of(*change.after))) {
    if (has(pod, "spec", "nodeName")) continue;
    for (const Value& volume : items(pod, "spec", "volumes")) {
      if (text(volume, "persistentVolumeClaim", "claimName") != name_of(*change.after)) continue;
      keys.push_back(key_of("", "pods", pod));
      break;
    }
  }
  return keys;
}

// Why a volume keeps the pod from every node; "" when none does.
std::string unbound(World& world, const Value& pod) {
  for (const Value& volume : items(pod, "spec", "volumes")) {
    std::string name(text(volume, "persistentVolumeClaim", "claimName"));
    if (name.empty()) continue;
    Result<Value> claim = world.get({"", "persistentvolumeclaims", std::string(namespace_of(pod)), name});
    if (!claim) return cat("persistentvolumeclaim \"", name, "\" not found");
    if (text(*claim, "status", "phase") != "Bound") return "pod has unbound immediate PersistentVolumeClaims";
  }
  return "";
}

std::string unschedulable(World& world, const Value& pod, std::string& node) {
  std::vector<Value> nodes = world.list("", "nodes", "");
  size_t n = nodes.size();
  if (n == 0) return "no nodes available to schedule pods";
  std::string volumes = unbound(world, pod);
  if (!volumes.empty()) return cat("0/", n, " nodes are available: ", volumes, ". not found");
  for (const Value& candidate : nodes) {
    const Value* wanted = at(pod, "spec", "nodeSelector");
    bool fits = entries_of(wanted).empty() || matches_all(wanted, candidate);
    if (!fits || flag(candidate, "spec", "unschedulable")) continue;
    node = name_of(candidate);
    return "";
  }
  return cat("0/", n, " nodes are available: ", n,
             " node(s) didn't match Pod's node affinity/selector. preemption: 0/", n,
             " nodes are available: ", n, " Preemption is not helpful for scheduling.");
}

Result<Again> schedule(World& world, Value& pod) {
  if (!items(pod, "spec", "schedulingGates").empty()) return Again();
  std::string node;
  std::string why = unschedulable(world, pod, node);
  Value status = has(pod, "status") ? value::deep_copy(*at(pod, "status")) : empty_map();
  int64_t generation = number(pod, "metadata", "generation");
  if (!why.empty()) {
    world.act_as("kube-scheduler");
    set_pod_condition(world, status, "PodScheduled", false, "Unschedulable", why, generation);
    bool fresh = TRY(write_status(world, "", "pods", pod, std::move(status)));
    if (fresh) world.event(pod, "Warning", "FailedScheduling", why, kScheduler);
    return Again(2 * kSecond);
  }
  put(ensure(pod, "spec"), "nodeName", node);
  set_pod_condition(world, status, "PodScheduled", true, "", "", generation);
  put(pod, "status", std::move(status));
  TRY(world.update("", "pods", pod, "binding"));
  world.event(pod, "Normal", "Scheduled",
              cat("Successfully assigned ", namespace_of(pod), "/", name_of(pod), " to ", node),
              kScheduler);
  return Again();  // the binding wakes the kubelet
}

Result<Again> terminate(World& world, const Value& pod) {
  int64_t grace = number_or(30, pod, "metadata", "deletionGracePeriodSeconds");
  int64_t asked = parse_time(text(pod, "metadata", "deletionTimestamp")) - grace * kSecond;
  int64_t length = std::min(duration(annotation(pod, "stop-for")).value_or(0), grace * kSecond);
  if (int64_t left = asked + length - world.now_ns(); length > 0 && left > 0) return Again(left);
  for (const Value& c : items(pod, "status", "containerStatuses")) {
    if (!has(c, "state", "running")) continue;
    world.event(pod, "Normal", "Killing", cat("Stopping container ", text(c, "name")), kKubelet);
  }
  // Who holds the pod by a finalizer (a Job) must see that it ended.
  if (!items(pod, "metadata", "finalizers").empty() && !pod_finished(pod)) {
    Value ended = pod;
    Value status = has(pod, "status") ? value::deep_copy(*at(pod, "status")) : empty_map();
    put(status, "phase", "Failed");
    for (Value& c : elements(status, "containerStatuses")) set_terminated(world, c, {143, "Error"}, false);
    sum_up(world, pod, status);
    TRY(write_status(world, "", "pods", ended, std::move(status)));
  }
  Status removed = world.remove(key_of("", "pods", pod), "Background", 0);
  if (!removed && !is_gone(removed.error())) return removed.error();
  return Again();
}

Result<Again> reconcile(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found) return Again();
  Value& pod = *found;
  if (being_deleted(pod)) {
    // With finalizers left the pod stays after its containers have ended.
    if (number_or(1, pod, "metadata", "deletionGracePeriodSeconds") == 0) return Again();
    return terminate(world, pod);
  }
  if (pod_finished(pod)) return Again();
  if (text(pod, "spec", "nodeName").empty()) return schedule(world, pod);
  Value status = has(pod, "status") ? value::deep_copy(*at(pod, "status")) : empty_map();
  if (!find_condition(status, "PodScheduled")) {
    set_pod_condition(world, status, "PodScheduled", true, "", "", number(pod, "metadata", "generation"));
  }
  return Kubelet{world, pod, std::move(status)}.step();
}

}  // namespace

const Controller kPods{"kubelet",
                       {{"", "pods", pod_keys}, {"", "persistentvolumeclaims", waiting_for}},
                       reconcile,
                       "kubelet"};

}  // namespace pintle::drydock
