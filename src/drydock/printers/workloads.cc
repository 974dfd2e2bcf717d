// Pods and what makes them.
#include <algorithm>

#include "base/strings.h"
#include "drydock/printers/cells.h"

namespace pintle::drydock {
namespace {

bool restartable_init(const Value& pod, std::string_view name) {
  for (const Value& c : items(pod, "spec", "initContainers")) {
    if (text(c, "name") == name) return text(c, "restartPolicy") == "Always";
  }
  return false;
}

bool condition_true(const Value& object, std::string_view type) {
  for (const Value& c : items(object, "status", "conditions")) {
    if (text(c, "type") == type) return text(c, "status") == "True";
  }
  return false;
}

std::string terminated_reason(const Value& state) {
  if (std::string_view r = text(state, "reason"); !r.empty()) return std::string(r);
  if (int64_t s = number(state, "signal"); s != 0) return cat("Signal:", s);
  return cat("ExitCode:", number(state, "exitCode"));
}

struct PodRow {
  std::string reason;
  int64_t total = 0, ready = 0, restarts = 0;
  std::string_view last_restart;
};

void count_restart(PodRow& row, const Value& status) {
  row.restarts += number(status, "restartCount");
  row.last_restart = std::max(row.last_restart, text(status, "lastState", "terminated", "finishedAt"));
}

// True while an init container holds the pod back.
bool initializing(const Value& pod, PodRow& row) {
  auto inits = items(pod, "status", "initContainerStatuses");
  for (size_t i = 0; i < inits.size(); ++i) {
    const Value& s = inits[i];
    bool sidecar = restartable_init(pod, text(s, "name"));
    count_restart(row, s);
    const Value* done = at(s, "state", "terminated");
    if (done && number(*done, "exitCode") == 0) continue;
    if (sidecar && flag(s, "started")) {
      if (flag(s, "ready")) ++row.ready;
      continue;
    }
    std::string_view waiting = text(s, "state", "waiting", "reason");
    if (done) row.reason = "Init:" + terminated_reason(*done);
    else if (!waiting.empty() && waiting != "PodInitializing") row.reason = cat("Init:", waiting);
    else row.reason = cat("Init:", i, "/", items(pod, "spec", "initContainers").size());
    return true;
  }
  return false;
}

PodRow pod_row(const Value& pod) {
  PodRow row;
  row.total = static_cast<int64_t>(items(pod, "spec", "containers").size());
  for (const Value& c : items(pod, "spec", "initContainers")) {
    if (text(c, "restartPolicy") == "Always") ++row.total;
  }
  row.reason = text(pod, "status", "phase");
  if (std::string_view r = text(pod, "status", "reason"); !r.empty()) row.reason = r;
  for (const Value& c : items(pod, "status", "conditions")) {
    if (text(c, "type") == "PodScheduled" && text(c, "reason") == "SchedulingGated") {
      row.reason = "SchedulingGated";
    }
  }
  bool init = initializing(pod, row);
  if (!init || condition_true(pod, "Initialized")) {
    if (!init) {
      row.restarts = 0;
      row.last_restart = {};
      for (const Value& s : items(pod, "status", "initContainerStatuses")) {
        if (restartable_init(pod, text(s, "name"))) count_restart(row, s);
      }
    }
    bool running = false;
    auto statuses = items(pod, "status", "containerStatuses");
    for (size_t i = statuses.size(); i-- > 0;) {
      const Value& s = statuses[i];
      count_restart(row, s);
      std::string_view waiting = text(s, "state", "waiting", "reason");
      if (!waiting.empty()) {
        row.reason = waiting;
      } else if (const Value* done = at(s, "state", "terminated")) {
        row.reason = terminated_reason(*done);
      } else if (flag(s, "ready") && has(s, "state", "running")) {
        running = true;
        ++row.ready;
      }
    }
    if (row.reason == "Completed" && running) {
      row.reason = condition_true(pod, "Ready") ? "Running" : "NotReady";
    }
  }
  if (has(pod, "metadata", "deletionTimestamp")) {
    std::string_view phase = text(pod, "status", "phase");
    if (text(pod, "status", "reason") == "NodeLost") row.reason = "Unknown";
    else if (phase != "Succeeded" && phase != "Failed") row.reason = "Terminating";
  }
  return row;
}

Cells pod_cells(World& world, const Value& pod) {
  PodRow row = pod_row(pod);
  std::string restarts = cat(row.restarts);
  if (row.restarts != 0 && !row.last_restart.empty()) {
    restarts = cat(row.restarts, " (", age_of(world, row.last_restart), " ago)");
  }
  auto ips = items(pod, "status", "podIPs");
  std::string_view ip = ips.empty() ? text(pod, "status", "podIP") : text(ips[0], "ip");
  std::string gates = "<none>";
  if (auto wanted = items(pod, "spec", "readinessGates"); !wanted.empty()) {
    auto good = std::count_if(wanted.begin(), wanted.end(), [&](const Value& g) {
      return condition_true(pod, text(g, "conditionType"));
    });
    gates = cat(good, "/", wanted.size());
  }
  return {make(cat(row.ready, "/", row.total)), make(row.reason), make(restarts), age(world, pod),
          make(or_none(ip)), make(or_none(text(pod, "spec", "nodeName"))),
          make(or_none(text(pod, "status", "nominatedNodeName"))), make(gates)};
}

void containers(const Value& spec, Cells& out) {
  std::string names, images;
  for (const Value& c : items(spec, "containers")) {
    if (!names.empty()) {
      names += ",";
      images += ",";
    }
    names += text(c, "name");
    images += text(c, "image");
  }
  out.push_back(make(names));
  out.push_back(make(images));
}

const Value& template_spec(const Value& object) {
  static thread_local const Value nothing = empty_map();
  const Value* spec = at(object, "spec", "template", "spec");
  return spec ? *spec : nothing;
}

Cells deployment_cells(World& world, const Value& d) {
  Cells out = {make(cat(number(d, "status", "readyReplicas"), "/", number(d, "spec", "replicas"))),
               make(number(d, "status", "updatedReplicas")),
               make(number(d, "status", "availableReplicas")), age(world, d)};
  containers(template_spec(d), out);
  out.push_back(make(selector_text(at(d, "spec", "selector"))));
  return out;
}

Cells replica_cells(World& world, const Value& r) {
  Cells out = {make(number(r, "spec", "replicas")), make(number(r, "status", "replicas")),
               make(number(r, "status", "readyReplicas")), age(world, r)};
  containers(template_spec(r), out);
  bool labels = text(r, "kind") == "ReplicationController";
  out.push_back(make(labels ? label_text(at(r, "spec", "selector"))
                            : selector_text(at(r, "spec", "selector"))));
  return out;
}

Cells stateful_cells(World& world, const Value& s) {
  Cells out = {make(cat(number(s, "status", "readyReplicas"), "/", number(s, "spec", "replicas"))),
               age(world, s)};
  containers(template_spec(s), out);
  return out;
}

Cells daemon_cells(World& world, const Value& d) {
  Cells out;
  for (std::string_view key : {"desiredNumberScheduled", "currentNumberScheduled", "numberReady",
                               "updatedNumberScheduled", "numberAvailable"}) {
    out.push_back(make(number(d, "status", key)));
  }
  const Value* nodes = at(template_spec(d), "nodeSelector");
  out.push_back(make(label_text(nodes)));
  out.push_back(age(world, d));
  containers(template_spec(d), out);
  out.push_back(make(selector_text(at(d, "spec", "selector"))));
  return out;
}

Cells job_cells(World& world, const Value& j) {
  std::string done;
  if (has(j, "spec", "completions")) {
    done = cat(number(j, "status", "succeeded"), "/", number(j, "spec", "completions"));
  } else {
    int64_t parallel = number(j, "spec", "parallelism");
    done = parallel > 1 ? cat(number(j, "status", "succeeded"), "/1 of ", parallel)
                        : cat(number(j, "status", "succeeded"), "/1");
  }
  std::string status = "Running";
  if (condition_true(j, "Complete")) status = "Complete";
  else if (condition_true(j, "Failed")) status = "Failed";
  else if (has(j, "metadata", "deletionTimestamp")) status = "Terminating";
  else if (condition_true(j, "Suspended")) status = "Suspended";
  else if (condition_true(j, "FailureTarget")) status = "FailureTarget";
  else if (condition_true(j, "SuccessCriteriaMet")) status = "SuccessCriteriaMet";
  std::string took;
  if (int64_t from = unix_seconds(text(j, "status", "startTime")); from >= 0) {
    int64_t to = unix_seconds(text(j, "status", "completionTime"));
    took = human_duration((to >= 0 ? to : world.now_ns() / 1'000'000'000) - from);
  }
  Cells out = {make(status), make(done), make(took), age(world, j)};
  containers(template_spec(j), out);
  out.push_back(make(selector_text(at(j, "spec", "selector"))));
  return out;
}

Cells cron_cells(World& world, const Value& c) {
  std::string last = "<none>", zone = "<none>";
  if (has(c, "status", "lastScheduleTime")) last = age_of(world, text(c, "status", "lastScheduleTime"));
  if (has(c, "spec", "timeZone")) zone = text(c, "spec", "timeZone");
  Cells out = {make(text(c, "spec", "schedule")), make(zone),
               make(flag(c, "spec", "suspend") ? "True" : "False"),
               make(static_cast<int64_t>(items(c, "status", "active").size())), make(last),
               age(world, c)};
  const Value* job = at(c, "spec", "jobTemplate");
  containers(job ? template_spec(*job) : Value::nil(), out);
  out.push_back(make(job ? selector_text(at(*job, "spec", "selector")) : "<none>"));
  return out;
}

Cells pod_template_cells(World&, const Value& t) {
  const Value* spec = at(t, "template", "spec");
  Cells out;
  containers(spec ? *spec : Value::nil(), out);
  out.push_back(make(label_text(at(t, "template", "metadata", "labels"))));
  return out;
}

Cells revision_cells(World& world, const Value& r) {
  std::string owner = "<none>";
  for (const Value& o : items(r, "metadata", "ownerReferences")) {
    if (!flag(o, "controller")) continue;
    std::string kind;
    for (char c : text(o, "kind")) kind.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
    std::string_view version = text(o, "apiVersion");
    size_t slash = version.find('/');
    if (slash != version.npos) kind += cat(".", version.substr(0, slash));
    owner = cat(kind, "/", text(o, "name"));
  }
  return {make(owner), make(number(r, "revision")), age(world, r)};
}

}  // namespace

void add_workload_printers(std::vector<PrinterRow>& out) {
  out.push_back({"", "Pod",
                 PINTLE_COLUMNS("Ready|Status|Restarts|Age|*IP|*Node|*Nominated Node|*Readiness Gates"),
                 pod_cells});
  out.push_back({"", "PodTemplate", PINTLE_COLUMNS("Containers|Images|Pod Labels"), pod_template_cells});
  out.push_back({"apps", "Deployment",
                 PINTLE_COLUMNS("Ready|#Up-to-date|#Available|Age|*Containers|*Images|*Selector"),
                 deployment_cells});
  out.push_back({"apps", "ReplicaSet",
                 PINTLE_COLUMNS("#Desired|#Current|#Ready|Age|*Containers|*Images|*Selector"),
                 replica_cells});
  out.push_back({"", "ReplicationController",
                 PINTLE_COLUMNS("#Desired|#Current|#Ready|Age|*Containers|*Images|*Selector"),
                 replica_cells});
  out.push_back({"apps", "StatefulSet", PINTLE_COLUMNS("Ready|Age|*Containers|*Images"), stateful_cells});
  out.push_back({"apps", "DaemonSet",
                 PINTLE_COLUMNS("#Desired|#Current|#Ready|#Up-to-date|#Available|Node Selector|Age|"
                                "*Containers|*Images|*Selector"),
                 daemon_cells});
  out.push_back({"apps", "ControllerRevision", PINTLE_COLUMNS("Controller|#Revision|Age"), revision_cells});
  out.push_back({"batch", "Job",
                 PINTLE_COLUMNS("Status|Completions|Duration|Age|*Containers|*Images|*Selector"),
                 job_cells});
  out.push_back({"batch", "CronJob",
                 PINTLE_COLUMNS("Schedule|Timezone|Suspend|#Active|Last Schedule|Age|*Containers|"
                                "*Images|*Selector"),
                 cron_cells});
}

}  // namespace pintle::drydock
