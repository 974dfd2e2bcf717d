// Networking, rbac, autoscaling, policy, storage classes, leases and webhooks.
#include "base/strings.h"
#include "drydock/printers/cells.h"

namespace pintle::drydock {
namespace {

Cells ingress_cells(World& world, const Value& i) {
  std::string cls = "<none>";
  if (has(i, "spec", "ingressClassName")) cls = text(i, "spec", "ingressClassName");
  std::vector<std::string> hosts;
  size_t rules = 0;
  for (const Value& r : items(i, "spec", "rules")) {
    ++rules;
    if (hosts.size() < 3 && !text(r, "host").empty()) hosts.emplace_back(text(r, "host"));
  }
  std::string names = hosts.empty() ? "*" : join(hosts, ",");
  if (!hosts.empty() && rules > 3) names += cat(" + ", rules - 3, " more...");
  std::string address;
  for (const Value& a : items(i, "status", "loadBalancer", "ingress")) {
    if (!address.empty()) address += ",";
    address += text(a, "ip").empty() ? text(a, "hostname") : text(a, "ip");
  }
  return {make(cls), make(names), make(address), make(items(i, "spec", "tls").empty() ? "80" : "80, 443"),
          age(world, i)};
}

Cells ingress_class_cells(World& world, const Value& c) {
  std::string parameters = "<none>";
  if (const Value* p = at(c, "spec", "parameters")) {
    parameters = text(*p, "kind");
    if (!text(*p, "apiGroup").empty()) parameters += cat(".", text(*p, "apiGroup"));
    parameters += cat("/", text(*p, "name"));
  }
  return {make(text(c, "spec", "controller")), make(parameters), age(world, c)};
}

Cells policy_cells(World& world, const Value& p) {
  return {make(selector_text(at(p, "spec", "podSelector"))), age(world, p)};
}

Cells role_cells(World&, const Value& r) { return {make(text(r, "metadata", "creationTimestamp"))}; }

Cells binding_cells(World& world, const Value& b) {
  std::string users, groups, accounts;
  for (const Value& s : items(b, "subjects")) {
    std::string_view kind = text(s, "kind");
    std::string& list = kind == "User" ? users : kind == "Group" ? groups : accounts;
    if (!list.empty()) list += ", ";
    if (kind == "ServiceAccount") list += cat(text(s, "namespace"), "/");
    list += text(s, "name");
  }
  return {make(cat(text(b, "roleRef", "kind"), "/", text(b, "roleRef", "name"))), age(world, b),
          make(users), make(groups), make(accounts)};
}

std::string metric_text(const Value& spec, std::string_view source, const Value& object) {
  const Value* target = at(spec, source, "target");
  const Value* current = nullptr;
  for (const Value& m : items(object, "status", "currentMetrics")) {
    if (text(m, "type") == text(spec, "type") && text(m, source, "name") == text(spec, source, "name")) {
      current = at(m, source, "current");
    }
  }
  std::string_view name = text(spec, source, "name");
  std::string prefix = source == "resource" ? cat(name, ": ") : "";
  if (target && has(*target, "averageUtilization")) {
    std::string now = current && has(*current, "averageUtilization")
                          ? cat(number(*current, "averageUtilization"), "%")
                          : "<unknown>";
    return cat(prefix, now, "/", number(*target, "averageUtilization"), "%");
  }
  if (target && has(*target, "averageValue")) {
    std::string now = current ? show(at(*current, "averageValue")) : "";
    return cat(prefix, now.empty() ? "<unknown>" : now, "/", show(at(*target, "averageValue")),
               source == "object" || source == "external" ? " (avg)" : "");
  }
  std::string now = current ? show(at(*current, "value")) : "";
  return cat(prefix, now.empty() ? "<unknown>" : now, "/", target ? show(at(*target, "value")) : "<auto>");
}

Cells scale_cells(World& world, const Value& s) {
  return {make(number(s, "spec", "replicas")), make(number(s, "status", "replicas")), age(world, s)};
}

Cells autoscaler_cells(World& world, const Value& h) {
  std::vector<std::string> metrics;
  for (const Value& m : items(h, "spec", "metrics")) {
    std::string_view type = text(m, "type");
    std::string_view source = type == "Resource" ? "resource" : type == "Pods" ? "pods"
                              : type == "External" ? "external" : type == "Object" ? "object"
                                                                  : "containerResource";
    metrics.push_back(metric_text(m, source, h));
  }
  if (const Value* cpu = at(h, "spec", "targetCPUUtilizationPercentage")) {
    std::string now = has(h, "status", "currentCPUUtilizationPercentage")
                          ? cat(number(h, "status", "currentCPUUtilizationPercentage"), "%")
                          : "<unknown>";
    metrics.push_back(cat("cpu: ", now, "/", as_number(cpu, 0), "%"));
  }
  size_t more = metrics.size() > 2 ? metrics.size() - 2 : 0;
  if (more) metrics.resize(2);
  std::string shown = or_none(join(metrics, ", "));
  if (more) shown += cat(" + ", more, " more...");
  std::string least = has(h, "spec", "minReplicas") ? cat(number(h, "spec", "minReplicas")) : "<unset>";
  return {make(cat(text(h, "spec", "scaleTargetRef", "kind"), "/", text(h, "spec", "scaleTargetRef", "name"))),
          make(shown), make(least), make(number(h, "spec", "maxReplicas")),
          make(number(h, "status", "currentReplicas")), age(world, h)};
}

Cells budget_cells(World& world, const Value& b) {
  auto limit = [&](std::string_view key) {
    return make(has(b, "spec", key) ? show(at(b, "spec", key)) : std::string("N/A"));
  };
  return {limit("minAvailable"), limit("maxUnavailable"), make(number(b, "status", "disruptionsAllowed")),
          age(world, b)};
}

Cells class_cells(World& world, const Value& c) {
  return {make(text(c, "provisioner")), make(text(c, "reclaimPolicy")),
          make(text(c, "volumeBindingMode")), make(flag(c, "allowVolumeExpansion")), age(world, c)};
}

Cells priority_cells(World& world, const Value& c) {
  return {make(number(c, "value")), make(flag(c, "globalDefault")), age(world, c),
          make(text(c, "preemptionPolicy"))};
}

Cells lease_cells(World& world, const Value& l) {
  return {make(text(l, "spec", "holderIdentity")), age(world, l)};
}

Cells webhook_cells(World& world, const Value& w) {
  return {make(items(w, "webhooks").size()), age(world, w)};
}

Cells runtime_cells(World& world, const Value& r) { return {make(text(r, "handler")), age(world, r)}; }

Cells csi_driver_cells(World& world, const Value& d) {
  std::string modes, tokens = "<unset>";
  for (const Value& m : items(d, "spec", "volumeLifecycleModes")) modes += (modes.empty() ? "" : ",") + show(&m);
  auto wanted = items(d, "spec", "tokenRequests");
  if (!wanted.empty()) {
    tokens.clear();
    for (const Value& t : wanted) tokens += cat(tokens.empty() ? "" : ",", text(t, "audience"));
  }
  return {make(flag(d, "spec", "attachRequired")), make(flag(d, "spec", "podInfoOnMount")),
          make(flag(d, "spec", "storageCapacity")), make(tokens),
          make(flag(d, "spec", "requiresRepublish")), make(or_none(modes)), age(world, d)};
}

}  // namespace

void add_other_printers(std::vector<PrinterRow>& out) {
  constexpr std::string_view kRbac = "rbac.authorization.k8s.io";
  out.push_back({"networking.k8s.io", "Ingress", PINTLE_COLUMNS("Class|Hosts|Address|Ports|Age"),
                 ingress_cells});
  out.push_back({"networking.k8s.io", "IngressClass", PINTLE_COLUMNS("Controller|Parameters|Age"),
                 ingress_class_cells});
  out.push_back({"networking.k8s.io", "NetworkPolicy", PINTLE_COLUMNS("Pod-Selector|Age"), policy_cells});
  out.push_back({kRbac, "Role", PINTLE_COLUMNS("Created At"), role_cells});
  out.push_back({kRbac, "ClusterRole", PINTLE_COLUMNS("Created At"), role_cells});
  out.push_back({kRbac, "RoleBinding", PINTLE_COLUMNS("Role|Age|*Users|*Groups|*ServiceAccounts"),
                 binding_cells});
  out.push_back({kRbac, "ClusterRoleBinding", PINTLE_COLUMNS("Role|Age|*Users|*Groups|*ServiceAccounts"),
                 binding_cells});
  out.push_back({"autoscaling", "HorizontalPodAutoscaler",
                 PINTLE_COLUMNS("Reference|Targets|MinPods|#MaxPods|#Replicas|Age"), autoscaler_cells});
  out.push_back({"autoscaling", "Scale", PINTLE_COLUMNS("#Desired|#Available|Age"), scale_cells});
  out.push_back({"policy", "PodDisruptionBudget",
                 PINTLE_COLUMNS("Min Available|Max Unavailable|#Allowed Disruptions|Age"), budget_cells});
  out.push_back({"storage.k8s.io", "StorageClass",
                 PINTLE_COLUMNS("Provisioner|ReclaimPolicy|VolumeBindingMode|AllowVolumeExpansion|Age"),
                 class_cells});
  out.push_back({"storage.k8s.io", "CSIDriver",
                 PINTLE_COLUMNS("AttachRequired|PodInfoOnMount|StorageCapacity|TokenRequests|"
                                "RequiresRepublish|Modes|Age"),
                 csi_driver_cells});
  out.push_back({"scheduling.k8s.io", "PriorityClass",
                 PINTLE_COLUMNS("#Value|Global-Default|Age|PreemptionPolicy"), priority_cells});
  out.push_back({"coordination.k8s.io", "Lease", PINTLE_COLUMNS("Holder|Age"), lease_cells});
  out.push_back({"admissionregistration.k8s.io", "MutatingWebhookConfiguration",
                 PINTLE_COLUMNS("#Webhooks|Age"), webhook_cells});
  out.push_back({"admissionregistration.k8s.io", "ValidatingWebhookConfiguration",
                 PINTLE_COLUMNS("#Webhooks|Age"), webhook_cells});
  out.push_back({"node.k8s.io", "RuntimeClass", PINTLE_COLUMNS("Handler|Age"), runtime_cells});
}

}  // namespace pintle::drydock
