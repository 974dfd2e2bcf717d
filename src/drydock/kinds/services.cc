// Service with its allocations.
//
// Allocation asks the World for all services: with the few hundred of a trial cluster a search is
// cheaper to keep right than an allocator's state.
#include <algorithm>
#include <set>

#include "drydock/kinds/families.h"
#include "drydock/kinds/service_validation.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

constexpr int kFirstNodePort = 30000, kLastNodePort = 32767;

void service_defaults(Value& object) {
  Value& spec = ensure(object, "spec");
  default_to(spec, "sessionAffinity", "None");
  if (text(spec, "sessionAffinity") == "None") drop(spec, "sessionAffinityConfig");
  if (text(spec, "sessionAffinity") == "ClientIP" &&
      !has(spec, "sessionAffinityConfig", "clientIP", "timeoutSeconds")) {
    put(ensure(spec, "sessionAffinityConfig", "clientIP"), "timeoutSeconds", 10800);
  }
  default_to(spec, "type", "ClusterIP");
  for (Value& port : elements(spec, "ports")) {
    default_to(port, "protocol", "TCP");
    const Value* target = at(port, "targetPort");
    bool none = !target || (target->is_int() && target->as_int() == 0) ||
                (target->is_string() && target->as_string().empty());
    if (none) put(port, "targetPort", number(port, "port"));
  }
  const std::string type(text(spec, "type"));
  bool outside = type == "NodePort" || type == "LoadBalancer";
  if (outside || (type == "ClusterIP" && !items(spec, "externalIPs").empty())) {
    default_to(spec, "externalTrafficPolicy", "Cluster");
  }
  if (outside || type == "ClusterIP") default_absent(spec, "internalTrafficPolicy", "Cluster");
  if (type == "LoadBalancer" && !has(spec, "allocateLoadBalancerNodePorts")) {
    put(spec, "allocateLoadBalancerNodePorts", true);
  }
}

struct Taken {
  std::set<std::string, std::less<>> addresses;
  std::set<int64_t> node_ports;
};

Taken taken(World& world, const Value& but) {
  Taken out;
  for (const Value& s : world.list("", "services", "")) {
    if (name_of(s) == name_of(but) && namespace_of(s) == namespace_of(but)) continue;
    for (const Value& ip : items(s, "spec", "clusterIPs")) {
      if (ip.is_string()) out.addresses.emplace(ip.as_string());
    }
    for (const Value& p : items(s, "spec", "ports")) out.node_ports.insert(number(p, "nodePort"));
    out.node_ports.insert(number(s, "spec", "healthCheckNodePort"));
  }
  return out;
}

uint32_t random_below(World& world, uint32_t n) {
  uint32_t h = 2166136261u;
  for (char c : world.random_suffix(8)) h = (h ^ static_cast<uint8_t>(c)) * 16777619u;
  return (h ^ (h >> 16)) % n;
}

std::string free_address(World& world, const Taken& used) {
  uint32_t start = random_below(world, 65000);
  for (uint32_t i = 0; i < 65000; ++i) {
    uint32_t n = 256 + (start + i) % 65000;  // the first addresses are left for the asked-for
    std::string ip = cat("10.96.", n / 256 % 256, ".", n % 256);
    if (n % 65536 != 65535 && !used.addresses.contains(ip)) return ip;
  }
  return "";
}

int64_t free_port(World& world, Taken& used) {
  constexpr uint32_t kCount = kLastNodePort - kFirstNodePort + 1;
  uint32_t start = random_below(world, kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    int64_t port = kFirstNodePort + (start + i) % kCount;
    if (used.node_ports.insert(port).second) return port;
  }
  return 0;
}

Error service_error(const Value& service, Cause cause) {
  return invalid("", "Service", name_of(service), {std::move(cause)});
}

bool needs_node_ports(const Value& spec) {
  std::string_view type = text(spec, "type");
  return type == "NodePort" ||
         (type == "LoadBalancer" && flag(spec, "allocateLoadBalancerNodePorts"));
}

bool headless_by_hand(const Value& spec) { return text(spec, "clusterIP") == "None" && entries(spec, "selector").empty(); }

// What was asked for, before anything is given. The cluster has one family, IPv4.
Status check_addresses(const Value& service, const Value* old) {
  const Value& spec = pod_spec_of(service);
  std::vector<Cause> causes;
  validate_cluster_ips(spec, causes);
  const bool kept = old && same(at(spec, "ipFamilies"), at(*old, "spec", "ipFamilies"));
  auto families = items(spec, "ipFamilies");
  const bool looks = causes.empty() && !kept && !headless_by_hand(spec);
  if (looks && text(spec, "ipFamilyPolicy") == "RequireDualStack") {
    invalid_value(causes, "spec.ipFamilyPolicy", "RequireDualStack", "this cluster is not configured for dual-stack services");
  }
  for (size_t i = 0; looks && i < families.size(); ++i) {
    if (as_text(families[i]) != "IPv6") continue;
    invalid_value(causes, element("spec.ipFamilies", i), families[i], "not configured on this cluster");
  }
  if (causes.empty()) return ok();
  return invalid("", "Service", name_of(service), std::move(causes));
}

Status allocate(World& world, Value& service, const Value* old) {
  Value& spec = ensure(service, "spec");
  const std::string type(text(spec, "type"));
  // The deprecated singular stands for a list of one.
  const bool changed = old && text(*old, "spec", "clusterIP") != text(spec, "clusterIP") &&
                       same(at(spec, "clusterIPs"), at(*old, "spec", "clusterIPs"));
  if (!text(spec, "clusterIP").empty() && (changed || items(spec, "clusterIPs").empty())) {
    put(spec, "clusterIPs", Value::list_of({make(text(spec, "clusterIP"))}));
  }
  if (type == "ExternalName") return ok();
  TRY(check_addresses(service, old));
  Taken used = taken(world, service);
  std::string ip(text(spec, "clusterIP"));
  bool kept = old && text(*old, "spec", "clusterIP") == ip;
  if (ip.empty()) {
    ip = free_address(world, used);
    if (ip.empty()) return status_error(500, "InternalError", "failed to allocate a serviceIP: range is full");
  } else if (ip != "None" && !kept && address_family(ip) != 0 && (!old || text(*old, "spec", "clusterIP").empty())) {
    if (used.addresses.contains(ip)) {
      return service_error(service, {"FieldValueInvalid",
                                     cat("Invalid value: [\"", ip, "\"]: failed to allocate IP ", ip,
                                         ": provided IP is already allocated"),
                                     "spec.clusterIPs"});
    }
    if (!ip.starts_with("10.96.")) {
      return service_error(service,
                           {"FieldValueInvalid",
                            cat("Invalid value: [\"", ip, "\"]: failed to allocate IP ", ip,
                                ": the provided IP (", ip,
                                ") is not in the valid range. The range of valid IPs is 10.96.0.0/16"),
                            "spec.clusterIPs"});
    }
  }
  put(spec, "clusterIP", ip);
  put(spec, "clusterIPs", Value::list_of({make(ip)}));
  const bool both = headless_by_hand(spec);
  default_to(spec, "ipFamilyPolicy", both ? "RequireDualStack" : "SingleStack");
  if (items(spec, "ipFamilies").empty()) {
    put(spec, "ipFamilies", both ? Value::list_of({make("IPv4"), make("IPv6")}) : Value::list_of({make("IPv4")}));
  }
  if (!needs_node_ports(spec)) return ok();
  size_t i = 0;
  for (Value& p : elements(spec, "ports")) {
    int64_t wanted = number(p, "nodePort");
    std::string path = cat("spec.ports[", i++, "].nodePort");
    if (wanted == 0) continue;
    if (wanted < kFirstNodePort || wanted > kLastNodePort) {
      return service_error(service, {"FieldValueInvalid",
                                     cat("Invalid value: ", wanted,
                                         ": provided port is not in the valid range. The range of "
                                         "valid ports is 30000-32767"),
                                     path});
    }
    if (!used.node_ports.insert(wanted).second) {
      return service_error(service, {"FieldValueInvalid",
                                     cat("Invalid value: ", wanted, ": provided port is already allocated"),
                                     path});
    }
  }
  for (Value& p : elements(spec, "ports")) {
    if (number(p, "nodePort") == 0) put(p, "nodePort", free_port(world, used));
  }
  if (type == "LoadBalancer" && text(spec, "externalTrafficPolicy") == "Local" &&
      number(spec, "healthCheckNodePort") == 0) {
    put(spec, "healthCheckNodePort", free_port(world, used));
  }
  return ok();
}

void empty_balancer(Value& object) {
  Value status = empty_map();
  put(status, "loadBalancer", empty_map());
  put(object, "status", std::move(status));
}

Status service_create(World& world, Value& object) {
  empty_balancer(object);
  return allocate(world, object, nullptr);
}

// What a client left out of an update stays: addresses and the ports of the same number.
Status service_update(World& world, Value& object, const Value& old) {
  copy_entry(object, old, "status");
  Value& spec = ensure(object, "spec");
  const Value& before = pod_spec_of(old);
  const std::string type(text(spec, "type"));
  if (type == "ExternalName" && text(before, "type") != "ExternalName") {  // what was allocated goes
    for (std::string_view key : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
      if (same(at(spec, key), at(before, key))) drop(spec, key);
    }
  }
  if (type != "ExternalName" && text(before, "type") != "ExternalName") {
    const bool as_before = items(spec, "clusterIPs").empty() || same(at(spec, "clusterIPs"), at(before, "clusterIPs"));
    if (text(spec, "clusterIP").empty() && as_before) {
      copy_entry(spec, before, "clusterIP");
      copy_entry(spec, before, "clusterIPs");
    }
    for (std::string_view key : {"ipFamilies", "ipFamilyPolicy"}) {
      if (!has(spec, key)) copy_entry(spec, before, key);
    }
  }
  if (!needs_node_ports(spec) && needs_node_ports(before)) {  // what was allocated goes with the type
    for (Value& p : elements(spec, "ports")) {
      for (const Value& q : items(before, "ports")) {
        if (number(p, "nodePort") == number(q, "nodePort")) drop(p, "nodePort");
      }
    }
  }
  if (needs_node_ports(spec) && needs_node_ports(before)) {
    for (Value& p : elements(spec, "ports")) {
      if (number(p, "nodePort") != 0) continue;
      for (const Value& q : items(before, "ports")) {
        if (number(q, "port") == number(p, "port") && text(q, "protocol") == text(p, "protocol")) {
          put(p, "nodePort", number(q, "nodePort"));
        }
      }
    }
    if (number(spec, "healthCheckNodePort") == 0) copy_entry(spec, before, "healthCheckNodePort");
  }
  return allocate(world, object, &old);
}

std::vector<std::string_view> service_fields() { return {"spec.clusterIP", "spec.type"}; }

}  // namespace

void add_service_kinds(std::vector<KindRules>& out) {
  out.push_back({.group = "", .kind = "Service", .defaults = service_defaults, .create = service_create,
                 .update = service_update, .validate = service_validate, .selectable = service_fields});
}

}  // namespace pintle::drydock
