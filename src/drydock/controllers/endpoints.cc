// Services: Endpoints and EndpointSlices from the ready pods that a selector finds, and the address of
// a LoadBalancer.
#include <algorithm>
#include <map>

#include "base/strings.h"
#include "drydock/controllers/common.h"
#include "drydock/controllers/controllers.h"

namespace pintle::drydock {
namespace {

std::vector<Key> self(World&, const Change& change) { return self_key(change); }

// The services whose selector finds the pod, before or after.
std::vector<Key> selecting(World& world, const Change& change) {
  if (change.before && change.after) {
    bool alike = same(at(*change.before, "status", "podIP"), at(*change.after, "status", "podIP")) &&
                 same(at(*change.before, "metadata", "labels"), at(*change.after, "metadata", "labels")) &&
                 pod_ready(*change.before) == pod_ready(*change.after) &&
                 being_deleted(*change.before) == being_deleted(*change.after) &&
                 pod_finished(*change.before) == pod_finished(*change.after);
    if (alike) return {};
  }
  std::vector<Key> keys;
  for (const Value& service : world.list("", "services", namespace_of(change.object()))) {
    const Value* selector = at(service, "spec", "selector");
    bool hit = (change.before && matches_all(selector, *change.before)) ||
               (change.after && matches_all(selector, *change.after));
    if (hit) keys.push_back(key_of("", "services", service));
  }
  return keys;
}

// The port's number on a pod; a name is looked up among its containers. -1: none.
int64_t target_port(const Value& port, const Value& pod) {
  const Value* target = at(port, "targetPort");
  if (!target) return number(port, "port");
  if (!target->is_string()) return as_number(target, -1);
  for (const Value& container : items(pod, "spec", "containers")) {
    for (const Value& p : items(container, "ports")) {
      if (text(p, "name") == target->as_string()) return number(p, "containerPort");
    }
  }
  return -1;
}

// The service's ports on this pod; a name that no container has is left out.
Value ports_on(const Value& service, const Value& pod) {
  std::vector<Value> ports;
  for (const Value& port : items(service, "spec", "ports")) {
    int64_t n = target_port(port, pod);
    if (n < 0) continue;
    Value p = empty_map();
    put(p, "name", text(port, "name"));
    put(p, "port", n);
    put(p, "protocol", has(port, "protocol") ? text(port, "protocol") : std::string_view("TCP"));
    if (has(port, "appProtocol")) put(p, "appProtocol", text(port, "appProtocol"));
    ports.push_back(std::move(p));
  }
  return Value::list_of(std::move(ports));
}

// Pods of one template have the same ports; during a rollout that renumbers them there are two groups.
struct Group {
  Value ports;
  std::vector<const Value*> pods;
};
std::vector<Group> by_ports(const Value& service, const std::vector<Value>& pods) {
  std::vector<Group> groups;
  for (const Value& pod : pods) {
    Value ports = ports_on(service, pod);
    auto it = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return same(g.ports, ports); });
    if (it == groups.end()) it = groups.insert(it, {std::move(ports), {}});
    it->pods.push_back(&pod);
  }
  return groups;
}

Value pod_reference(const Value& pod) {
  Value reference = empty_map();
  put(reference, "kind", "Pod");
  put(reference, "name", name_of(pod));
  put(reference, "namespace", namespace_of(pod));
  put(reference, "uid", uid_of(pod));
  return reference;
}

Value labels_for(const Value& service) {
  const Value* own = at(service, "metadata", "labels");
  Value labels = own ? value::deep_copy(*own) : empty_map();
  if (text(service, "spec", "clusterIP") == "None") put(labels, "service.kubernetes.io/headless", "");
  return labels;
}

// Says when the first of the changes that this write reports happened: the pods' turns to ready or
// back that `known` (address -> was serving) does not have; of a new Service its own creation. A
// write for other reasons says nothing. Source: endpointslice's TriggerTimeTracker, whose memory the
// object itself replaces here.
using Known = std::map<std::string, bool, std::less<>>;

void note_change(Value& object, const Value& service, const std::vector<const Value*>& pods,
                 const std::optional<Known>& known) {
  constexpr std::string_view kTriggered = "endpoints.kubernetes.io/last-change-trigger-time";
  std::string since;
  if (!known) since = text(service, "metadata", "creationTimestamp");
  for (const Value* pod : pods) {
    if (!known) break;
    auto was = known->find(text(*pod, "status", "podIP"));
    if (was != known->end() && was->second == pod_ready(*pod)) continue;
    const Value* ready = find_condition(*at(*pod, "status"), "Ready");
    std::string_view turned = ready ? text(*ready, "lastTransitionTime") : "";
    if (!turned.empty() && (since.empty() || turned < since)) since = turned;
  }
  Value& annotations = ensure(object, "metadata", "annotations");
  since.empty() ? drop(annotations, kTriggered) : put(annotations, kTriggered, since);
  drop_when_empty(ensure(object, "metadata"), "annotations");
}

Value endpoint(const Value& service, const Value& pod) {
  bool publish = flag(service, "spec", "publishNotReadyAddresses");
  bool ending = being_deleted(pod), serving = pod_ready(pod);
  Value e = empty_map();
  put(e, "addresses", Value::list_of({make(text(pod, "status", "podIP"))}));
  Value& conditions = ensure(e, "conditions");
  put(conditions, "ready", publish || (serving && !ending));
  put(conditions, "serving", serving);
  put(conditions, "terminating", ending);
  put(e, "nodeName", text(pod, "spec", "nodeName"));
  put(e, "targetRef", pod_reference(pod));
  std::string_view host = text(pod, "spec", "hostname");
  if (!host.empty() && text(pod, "spec", "subdomain") == name_of(service)) put(e, "hostname", host);
  return e;
}

// `slice` null: a new one.
Status write_slice(World& world, const Value& service, const Group& group, Value slice) {
  std::vector<Value> endpoints;
  for (const Value* pod : group.pods) endpoints.push_back(endpoint(service, *pod));
  bool fresh = slice.is_nil();
  Value before = fresh ? Value() : value::deep_copy(slice);
  if (fresh) {
    put(ensure(slice, "metadata"), "generateName", cat(name_of(service), "-"));
    put(ensure(slice, "metadata"), "namespace", namespace_of(service));
    put(ensure(slice, "metadata"), "ownerReferences",
        Value::list_of({owner_reference(service, "v1", "Service")}));
    put(slice, "addressType", "IPv4");
  }
  Value labels = labels_for(service);
  put(labels, "kubernetes.io/service-name", name_of(service));
  put(labels, "endpointslice.kubernetes.io/managed-by", "endpointslice-controller.k8s.io");
  put(ensure(slice, "metadata"), "labels", std::move(labels));
  bool none = endpoints.empty();
  put(slice, "endpoints", none ? Value() : Value::list_of(std::move(endpoints)));
  put(slice, "ports", group.ports.length() == 0 ? Value() : value::deep_copy(group.ports));
  if (!fresh && same(before, slice)) return ok();
  std::optional<Known> known;
  if (!fresh) known.emplace();
  for (const Value& e : items(before, "endpoints")) {
    for (const Value& address : items(e, "addresses")) {
      if (address.is_string()) known->emplace(address.as_string(), flag(e, "conditions", "serving"));
    }
  }
  note_change(slice, service, group.pods, known);
  if (fresh) {
    TRY(world.create("discovery.k8s.io", "endpointslices", std::move(slice)));
  } else {
    TRY(world.update("discovery.k8s.io", "endpointslices", std::move(slice)));
  }
  return ok();
}

// A slice for every group of pods; without pods an empty one that shows the service is looked after.
Status write_slices(World& world, const Value& service, std::vector<Group> groups) {
  if (groups.empty()) groups.push_back({Value::list_of({}), {}});
  std::vector<Value> free;
  for (Value& slice : world.list("discovery.k8s.io", "endpointslices", namespace_of(service))) {
    if (controlled_by(slice, service)) free.push_back(std::move(slice));
  }
  std::vector<const Group*> left;
  for (const Group& group : groups) {
    auto it = std::find_if(free.begin(), free.end(),
                           [&](const Value& slice) { return same(at(slice, "ports"), &group.ports); });
    if (it == free.end()) {
      left.push_back(&group);
      continue;
    }
    Value slice = std::move(*it);
    free.erase(it);
    TRY(write_slice(world, service, group, std::move(slice)));
  }
  for (const Group* group : left) {  // what nobody needs serves another group under its name
    Value slice;
    if (!free.empty()) {
      slice = std::move(free.back());
      free.pop_back();
    }
    TRY(write_slice(world, service, *group, std::move(slice)));
  }
  for (const Value& slice : free) {
    Status removed = world.remove(key_of("discovery.k8s.io", "endpointslices", slice));
    if (!removed && !is_gone(removed.error())) return removed;
  }
  return ok();
}

Value address_of(const Value& service, const Value& pod) {
  Value address = empty_map();
  put(address, "ip", text(pod, "status", "podIP"));
  put(address, "nodeName", text(pod, "spec", "nodeName"));
  put(address, "targetRef", pod_reference(pod));
  std::string_view host = text(pod, "spec", "hostname");
  if (!host.empty() && text(pod, "spec", "subdomain") == name_of(service)) put(address, "hostname", host);
  return address;
}

Status write_endpoints(World& world, const Value& service, const std::vector<Group>& groups) {
  bool publish = flag(service, "spec", "publishNotReadyAddresses");
  std::vector<Value> subsets;
  std::vector<const Value*> all;
  for (const Group& group : groups) {
    if (group.ports.length() == 0 && !items(service, "spec", "ports").empty()) continue;
    std::vector<Value> ready, unready;
    for (const Value* pod : group.pods) {
      all.push_back(pod);
      if (being_deleted(*pod)) continue;
      (publish || pod_ready(*pod) ? ready : unready).push_back(address_of(service, *pod));
    }
    if (ready.empty() && unready.empty()) continue;
    Value subset = empty_map();
    if (!ready.empty()) put(subset, "addresses", Value::list_of(std::move(ready)));
    if (!unready.empty()) put(subset, "notReadyAddresses", Value::list_of(std::move(unready)));
    Value ports = value::deep_copy(group.ports);
    for (Value& port : elements_of(&ports)) {
      if (text(port, "name").empty()) drop(port, "name");
    }
    if (ports.length() > 0) put(subset, "ports", std::move(ports));
    subsets.push_back(std::move(subset));
  }
  Key key = key_of("", "endpoints", service);
  Result<Value> found = world.get(key);
  Value endpoints = found ? std::move(*found) : empty_map();
  Value before = value::deep_copy(endpoints);
  Value& meta = ensure(endpoints, "metadata");
  put(meta, "name", key.name);
  put(meta, "namespace", key.ns);
  Value labels = labels_for(service);
  put(labels, "endpoints.kubernetes.io/managed-by", "endpoint-controller");
  put(meta, "labels", std::move(labels));
  put(endpoints, "subsets", Value::list_of(std::move(subsets)));
  drop_when_empty(endpoints, "subsets");
  if (found && same(before, endpoints)) return ok();
  std::optional<Known> known;
  if (found) known.emplace();
  for (const Value& subset : items(before, "subsets")) {
    for (auto [list, serving] : {std::pair{"addresses", true}, std::pair{"notReadyAddresses", false}}) {
      for (const Value& address : items(subset, list)) known->emplace(text(address, "ip"), serving);
    }
  }
  note_change(endpoints, service, all, known);
  if (!found) {
    TRY(world.create("", "endpoints", std::move(endpoints)));
  } else {
    TRY(world.update("", "endpoints", std::move(endpoints)));
  }
  return ok();
}

Result<Again> reconcile(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found) {
    // The slice goes with its owner; Endpoints have none.
    Result<Value> left = world.get({"", "endpoints", key.ns, key.name});
    if (left && text(*left, "metadata", "labels", "endpoints.kubernetes.io/managed-by") ==
                    "endpoint-controller") {
      Status removed = world.remove({"", "endpoints", key.ns, key.name});
      if (!removed && !is_gone(removed.error())) return removed.error();
    }
    return Again();
  }
  const Value* selector = at(*found, "spec", "selector");
  bool external = text(*found, "spec", "type") == "ExternalName";
  if (entries_of(selector).empty() || external || being_deleted(*found)) return Again();
  std::vector<Value> pods;
  for (Value& pod : world.list("", "pods", key.ns)) {
    bool serves = matches_all(selector, pod) && !pod_finished(pod) && has(pod, "status", "podIP");
    if (serves) pods.push_back(std::move(pod));
  }
  std::stable_sort(pods.begin(), pods.end(), [](const Value& a, const Value& b) {
    return text(a, "status", "podIP") < text(b, "status", "podIP");
  });
  std::vector<Group> groups = by_ports(*found, pods);
  TRY(write_endpoints(world, *found, groups));
  TRY(write_slices(world, *found, std::move(groups)));
  return Again();
}

Result<Again> balance(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found || being_deleted(*found)) return Again();
  bool wanted = text(*found, "spec", "type") == "LoadBalancer" && !has(*found, "spec", "loadBalancerClass");
  bool given = !items(*found, "status", "loadBalancer", "ingress").empty();
  if (wanted == given) return Again();
  Value status = value::deep_copy(has(*found, "status") ? *at(*found, "status") : empty_map());
  put(status, "loadBalancer", empty_map());
  if (wanted) {
    world.event(*found, "Normal", "EnsuringLoadBalancer", "Ensuring load balancer", "service-controller");
    uint32_t hash = 2166136261u;
    for (char c : uid_of(*found)) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    std::string_view asked = text(*found, "spec", "loadBalancerIP");
    Value ingress = empty_map();
    put(ingress, "ip", asked.empty() ? cat("172.18.", hash >> 8 & 255, ".", 1 + hash % 254)
                                     : std::string(asked));
    put(ingress, "ipMode", "VIP");
    push(ensure(status, "loadBalancer"), "ingress", std::move(ingress));
  }
  TRY(write_status(world, "", "services", *found, std::move(status)));
  if (wanted) {
    world.event(*found, "Normal", "EnsuredLoadBalancer", "Ensured load balancer", "service-controller");
  }
  return Again();
}

}  // namespace

const Controller kEndpoints{
    "endpointslice-controller", {{"", "services", self}, {"", "pods", selecting}}, reconcile};
const Controller kLoadBalancers{
    "service-controller", {{"", "services", self}}, balance, "cloud-controller-manager"};

}  // namespace pintle::drydock
