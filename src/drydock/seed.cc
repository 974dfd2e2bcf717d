// What a fresh cluster has before anyone asks: system namespaces, one node, priority and storage
// classes, the API's own Service, the roles people bind to.

#include "drydock/machine.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

struct Row {
  std::string_view group, plural, ns, name;
  std::string_view body;  // the rest of the object
};

constexpr Row kRows[] = {
    {"", "namespaces", "", "default", "{}"},
    {"", "namespaces", "", "kube-system", "{}"},
    {"", "namespaces", "", "kube-public", "{}"},
    {"", "namespaces", "", "kube-node-lease", "{}"},
    {"", "nodes", "", "drydock",
     R"({"metadata":{"labels":{"beta.kubernetes.io/arch":"amd64","beta.kubernetes.io/os":"linux",
         "kubernetes.io/arch":"amd64","kubernetes.io/hostname":"drydock","kubernetes.io/os":"linux"}},
        "spec":{"podCIDR":"10.244.0.0/24","podCIDRs":["10.244.0.0/24"]}})"},
    {"scheduling.k8s.io", "priorityclasses", "", "system-cluster-critical",
     R"({"value":2000000000,"description":"Used for system critical pods that must run in the cluster, but can be moved to another node if necessary."})"},
    {"scheduling.k8s.io", "priorityclasses", "", "system-node-critical",
     R"({"value":2000001000,"description":"Used for system critical pods that must not be moved from their current node."})"},
    {"storage.k8s.io", "storageclasses", "", "standard",
     R"({"metadata":{"annotations":{"storageclass.kubernetes.io/is-default-class":"true"}},
        "provisioner":"drydock.local/simulated","reclaimPolicy":"Delete","volumeBindingMode":"Immediate"})"},
    {"rbac.authorization.k8s.io", "clusterroles", "", "cluster-admin",
     R"({"metadata":{"labels":{"kubernetes.io/bootstrapping":"rbac-defaults"}},
        "rules":[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]},{"nonResourceURLs":["*"],"verbs":["*"]}]})"},
    {"rbac.authorization.k8s.io", "clusterroles", "", "admin",
     R"({"metadata":{"labels":{"kubernetes.io/bootstrapping":"rbac-defaults"}},
        "rules":[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]})"},
    {"rbac.authorization.k8s.io", "clusterroles", "", "edit",
     R"({"metadata":{"labels":{"kubernetes.io/bootstrapping":"rbac-defaults"}},
        "rules":[{"apiGroups":["*"],"resources":["*"],"verbs":["create","delete","deletecollection","get","list","patch","update","watch"]}]})"},
    {"rbac.authorization.k8s.io", "clusterroles", "", "view",
     R"({"metadata":{"labels":{"kubernetes.io/bootstrapping":"rbac-defaults"}},
        "rules":[{"apiGroups":["*"],"resources":["*"],"verbs":["get","list","watch"]}]})"},
    {"", "services", "default", "kubernetes",
     R"({"metadata":{"labels":{"component":"apiserver","provider":"kubernetes"}},
        "spec":{"type":"ClusterIP","clusterIP":"10.96.0.1","sessionAffinity":"None",
                "ports":[{"name":"https","port":443,"protocol":"TCP","targetPort":6443}]}})"},
};

constexpr std::string_view kNodeStatus =
    R"({"capacity":{"cpu":"32","memory":"256Gi","pods":"10000","ephemeral-storage":"1Ti"},
        "allocatable":{"cpu":"32","memory":"256Gi","pods":"10000","ephemeral-storage":"1Ti"},
        "addresses":[{"type":"InternalIP","address":"127.0.0.1"},{"type":"Hostname","address":"drydock"}],
        "nodeInfo":{"architecture":"amd64","operatingSystem":"linux","kubeletVersion":"v1.36.3",
                    "kubeProxyVersion":"","containerRuntimeVersion":"simulated://1","kernelVersion":"0",
                    "osImage":"drydock","bootID":"","machineID":"","systemUUID":""}})";

Value parsed(std::string_view text) {
  auto v = json::read(text, {.numbers = json::Numbers::kExact});
  CHECK(v.has_value());  // the table is ours
  return std::move(*v);
}

}  // namespace

void Machine::seed() {
  x_acting = "kube-apiserver";
  for (const Row& row : kRows) {
    if (x_store.find(row.group, row.plural, row.ns, row.name)) continue;
    Value v = parsed(row.body);
    put(ensure(v, "metadata"), "name", row.name);
    if (!row.ns.empty()) put(ensure(v, "metadata"), "namespace", row.ns);
    // What a rule refuses here is missing from the seed, no reason not to serve.
    (void)create(row.group, row.plural, std::move(v));
  }
  Result<Value> node = get({"", "nodes", "", "drydock"});
  if (!node || has(*node, "status", "capacity")) return;
  Value status = parsed(kNodeStatus);
  Value ready = empty_map();
  put(ready, "type", "Ready");
  put(ready, "status", "True");
  put(ready, "reason", "KubeletReady");
  put(ready, "message", "kubelet is posting ready status");
  put(ready, "lastHeartbeatTime", now());
  put(ready, "lastTransitionTime", now());
  push(status, "conditions", std::move(ready));
  put(*node, "status", std::move(status));
  (void)update("", "nodes", std::move(*node), "status");
}

}  // namespace pintle::drydock
