#include "drydock/warnings.h"

#include <algorithm>
#include <set>

#include "base/gotext.h"
#include "base/strings.h"
#include "cel/quantity.h"
#include "drydock/tree.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

using Warnings = std::vector<std::string>;

// The second of a name hides the first, unless it is made from it.
void hidden_variables(const Value& container, const std::string& path, Warnings& out) {
  std::set<std::string_view> names;
  size_t i = 0;
  for (const Value& e : items(container, "env")) {
    const std::string here = element(path + ".env", i++);
    const std::string_view name = text(e, "name"), value = text(e, "value");
    if (names.insert(name).second) continue;
    const std::string reference = cat("$(", name, ")");
    if (has(e, "valueFrom") || value == reference || value.find(reference) == value.npos) {
      out.push_back(cat(here, ": hides previous definition of ", quote(name), ", which may be dropped when using apply"));
    }
  }
}

void fractions_of_bytes(const Value& container, const std::string& path, Warnings& out) {
  for (std::string_view name : {"memory", "ephemeral-storage"}) {
    for (std::string_view part : {"limits", "requests"}) {
      const std::string_view amount = text(container, "resources", part, name);
      const auto q = cel::parse_quantity(amount);
      if (!q || q->nano % 1'000'000'000 == 0) continue;
      out.push_back(cat(path, ".resources.", part, "[", name, "]: fractional byte value ", quote(cel::canonical(*q)),
                        " is invalid, must be an integer"));
    }
  }
}

struct PortSeen {
  std::string where, key;
  std::string_view host_ip;
  int64_t host_port;
};

void overlapping_ports(const Value& container, const std::string& path, std::vector<PortSeen>& seen, Warnings& out) {
  size_t i = 0;
  for (const Value& p : items(container, "ports")) {
    const std::string_view protocol = text(p, "protocol");
    PortSeen port{element(path + ".ports", i++), cat(number(p, "containerPort"), "/", protocol.empty() ? "TCP" : protocol),
                  text(p, "hostIP"), number(p, "hostPort")};
    if (!port.host_ip.empty() && port.host_port == 0) {
      out.push_back(cat(port.where, ": hostIP set without hostPort: {Name:", text(p, "name"), " HostPort:0 ContainerPort:",
                        number(p, "containerPort"), " Protocol:", protocol.empty() ? "TCP" : protocol, " HostIP:", port.host_ip, "}"));
    }
    for (const PortSeen& other : seen) {
      if (other.key != port.key) continue;
      const bool same_host = other.host_ip == port.host_ip && other.host_port == port.host_port;
      if (same_host) {
        out.push_back(cat(port.where, ": duplicate port definition with ", other.where));
      } else if (other.host_port == 0 || port.host_port == 0) {
        out.push_back(cat(port.where, ": overlapping port definition with ", other.where));
      } else if (other.host_port == port.host_port && other.host_ip.empty() != port.host_ip.empty()) {
        out.push_back(cat(port.where, ": dangerously ambiguous port definition with ", other.where));
      }
    }
    seen.push_back(std::move(port));
  }
}

void repeated(const Value& spec, std::string_view list, std::string_view key, const std::string& path, Warnings& out) {
  std::set<std::string_view> seen;
  size_t i = 0;
  for (const Value& v : items(spec, list)) {
    const std::string here = element(child(path, list), i++);
    if (!seen.insert(text(v, key)).second) out.push_back(cat(here, ".", key, ": duplicate ", key, " ", quote(text(v, key))));
  }
}

void of_pod_spec(const Value& spec, const std::string& path, Warnings& out) {
  size_t i = 0;
  for (const Value& c : items(spec, "topologySpreadConstraints")) {
    const std::string here = element(path + ".topologySpreadConstraints", i++);
    if (!has(c, "labelSelector")) out.push_back(cat(here, ".labelSelector: a null labelSelector results in matching no pod"));
  }
  for (std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    const std::string preferred = "preferredDuringSchedulingIgnoredDuringExecution";
    const std::string needed = "requiredDuringSchedulingIgnoredDuringExecution";
    constexpr std::string_view kNone = ".labelSelector: a null labelSelector results in matching no pod";
    const std::string here = cat(path, ".affinity.", kind, ".");
    i = 0;
    for (const Value& term : items(spec, "affinity", kind, needed)) {
      const std::string at_term = element(here + needed, i++);
      if (!has(term, "labelSelector")) out.push_back(cat(at_term, kNone));
    }
    i = 0;
    for (const Value& term : items(spec, "affinity", kind, preferred)) {
      const std::string at_term = element(here + preferred, i++);
      if (!has(term, "podAffinityTerm", "labelSelector")) out.push_back(cat(at_term, ".podAffinityTerm", kNone));
    }
  }
  for (const Value& volume : items(spec, "volumes")) {
    const Value* projected = at(volume, "projected");
    if (!projected) continue;
    auto sources = items(*projected, "sources");
    const bool empty = sources.empty() || std::any_of(sources.begin(), sources.end(), [](const Value& s) { return entries_of(&s).empty(); });
    if (empty) out.push_back(cat("volume ", quote(text(volume, "name")), " (Projected) has no sources provided"));
  }
  repeated(spec, "hostAliases", "ip", path, out);
  repeated(spec, "imagePullSecrets", "name", path, out);
  i = 0;
  for (const Value& secret : items(spec, "imagePullSecrets")) {
    const std::string here = element(path + ".imagePullSecrets", i++);
    if (text(secret, "name").empty()) out.push_back(cat(here, ".name: invalid empty name \"\""));
  }
  for (std::string_view list : {"initContainers", "containers"}) {
    i = 0;
    for (const Value& c : items(spec, list)) {
      const std::string here = element(child(path, list), i++);
      fractions_of_bytes(c, here, out);
      hidden_variables(c, here, out);
    }
  }
  std::vector<PortSeen> ports;
  for (std::string_view list : {"initContainers", "containers"}) {
    i = 0;
    for (const Value& c : items(spec, list)) overlapping_ports(c, element(child(path, list), i++), ports, out);
  }
  if (path != "spec" && number(spec, "terminationGracePeriodSeconds") < 0) {
    out.push_back(cat(path, ".terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1"));
  }
}

// The pods a kind makes: where their spec stands.
struct Template {
  std::string_view group, kind, path;
  bool named;  // pods are named after the object
};
constexpr Template kTemplates[] = {{"", "Pod", "spec", true},
                                   {"", "ReplicationController", "spec.template.spec", true},
                                   {"apps", "Deployment", "spec.template.spec", true},
                                   {"apps", "ReplicaSet", "spec.template.spec", true},
                                   {"apps", "StatefulSet", "spec.template.spec", false},
                                   {"apps", "DaemonSet", "spec.template.spec", false},
                                   {"batch", "Job", "spec.template.spec", true},
                                   {"batch", "CronJob", "spec.jobTemplate.spec.template.spec", true}};

const Template* template_of(const Resource& resource) {
  for (const Template& t : kTemplates) {
    if (t.group == resource.group && t.kind == resource.kind) return &t;
  }
  return nullptr;
}

void of_template(const Template& t, const Value& object, Warnings& out) {
  const Value* spec = &object;
  for (std::string_view step : split(t.path, ".")) spec = spec ? at(*spec, step) : nullptr;
  if (spec) of_pod_spec(*spec, std::string(t.path), out);
}

void of_service(const Value& spec, Warnings& out) {
  const std::string_view type = text(spec, "type");
  if (text(spec, "clusterIP") == "None") {
    if (!text(spec, "loadBalancerIP").empty()) out.push_back("spec.loadBalancerIP is ignored for headless services");
    if (!items(spec, "externalIPs").empty()) out.push_back("spec.externalIPs is ignored for headless services");
    if (const std::string_view a = text(spec, "sessionAffinity"); !a.empty() && a != "None") {
      out.push_back("spec.SessionAffinity is ignored for headless services");
    }
  }
  const bool outside = !items(spec, "externalIPs").empty() && text(spec, "clusterIP") != "None" && type != "ExternalName";
  if (outside) out.push_back("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  if (type != "ExternalName" && !text(spec, "externalName").empty()) {
    out.push_back("spec.externalName is ignored when spec.type is not \"ExternalName\"");
  }
}

void of_kind(const Resource& resource, const Value& object, bool created, Warnings& out) {
  const Value* spec = at(object, "spec");
  const std::string& kind = resource.kind;
  if (kind == "Ingress" && created && has(object, "metadata", "annotations", "kubernetes.io/ingress.class")) {
    out.push_back("annotation \"kubernetes.io/ingress.class\" is deprecated, please use 'spec.ingressClassName' instead");
  }
  if (!spec) return;
  if (kind == "Service" && resource.group.empty()) of_service(*spec, out);
  if (kind == "StatefulSet" && number(*spec, "revisionHistoryLimit") < 0) {
    out.push_back("spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended");
  }
  if (kind == "PersistentVolume" && text(*spec, "persistentVolumeReclaimPolicy") == "Recycle") {
    out.push_back("spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended "
                  "approach is to use dynamic provisioning.");
  }
}

}  // namespace

Warnings warnings_of(const Resource& resource, const Value& object) {
  Warnings out;
  if (resource.custom()) return out;
  if (const Template* t = template_of(resource)) {
    if (auto why = is_dns1123_label(name_of(object)); t->named && !why.empty()) {
      out.push_back(cat("metadata.name: this is used in ", t->kind == "Pod" ? "the Pod's hostname" : "Pod names and hostnames",
                        ", which can result in surprising behavior; a DNS label is recommended: [", join(why, " "), "]"));
    }
    of_template(*t, object, out);
  }
  of_kind(resource, object, true, out);
  return out;
}

Warnings warnings_of_update(const Resource& resource, const Value& object, const Value& old) {
  Warnings out;
  if (resource.custom()) return out;
  const bool grew = number(object, "metadata", "generation") != number(old, "metadata", "generation");
  if (const Template* t = template_of(resource); t && grew) of_template(*t, object, out);
  of_kind(resource, object, false, out);
  return out;
}

Warnings warnings_of_delete(const Resource& resource) {
  if (resource.group != "batch" || resource.kind != "Job") return {};
  return {"child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or "
          "set propagationPolicy=Orphan to suppress this warning"};
}

}  // namespace pintle::drydock
