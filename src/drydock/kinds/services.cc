// Service with its allocations, Ingress, IngressClass, NetworkPolicy, Endpoints, EndpointSlice.
//
// Allocation asks the World for all services: with the few hundred of a trial cluster a search is
// cheaper to keep right than an allocator's state.
#include <arpa/inet.h>

#include <algorithm>
#include <set>

#include "base/gotext.h"
#include "drydock/kinds/families.h"
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
  if (outside || type == "ClusterIP") default_to(spec, "internalTrafficPolicy", "Cluster");
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

bool is_address(std::string_view s) {
  in_addr v4;
  in6_addr v6;
  const std::string text(s);
  return inet_pton(AF_INET, text.c_str(), &v4) == 1 || inet_pton(AF_INET6, text.c_str(), &v6) == 1;
}
constexpr std::string_view kAddressRule = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

Status allocate(World& world, Value& service, const Value* old) {
  Value& spec = ensure(service, "spec");
  const std::string type(text(spec, "type"));
  if (type == "ExternalName") {
    for (std::string_view key : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) drop(spec, key);
    return ok();
  }
  Taken used = taken(world, service);
  std::string ip(text(spec, "clusterIP"));
  if (ip.empty() && !items(spec, "clusterIPs").empty() && items(spec, "clusterIPs")[0].is_string()) {
    ip = items(spec, "clusterIPs")[0].as_string();
  }
  bool kept = old && text(*old, "spec", "clusterIP") == ip;
  if (ip.empty()) {
    ip = free_address(world, used);
    if (ip.empty()) return status_error(500, "InternalError", "failed to allocate a serviceIP: range is full");
  } else if (ip != "None" && !kept && is_address(ip) && (!old || text(*old, "spec", "clusterIP").empty())) {
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
  bool selectorless_headless = ip == "None" && entries(spec, "selector").empty();
  default_to(spec, "ipFamilyPolicy", selectorless_headless ? "RequireDualStack" : "SingleStack");
  if (items(spec, "ipFamilies").empty()) {
    put(spec, "ipFamilies", selectorless_headless ? Value::list_of({make("IPv4"), make("IPv6")})
                                                  : Value::list_of({make("IPv4")}));
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
  if (type != "ExternalName" && text(before, "type") != "ExternalName") {
    if (text(spec, "clusterIP").empty() && items(spec, "clusterIPs").empty()) {
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

void service_port(const Value& p, const std::string& here, bool name_needed,
                  std::set<std::string_view>& names, std::vector<Cause>& causes) {
  std::string_view name = text(p, "name");
  if (name.empty()) {
    if (name_needed) required(causes, here + ".name");
  } else {
    for (const std::string& m : is_dns1123_label(name)) invalid_value(causes, here + ".name", name, m);
    if (!names.insert(name).second) duplicate(causes, here + ".name", make(name));
  }
  if (!is_port(number(p, "port"))) {
    invalid_value(causes, here + ".port", make(number(p, "port")), kPortRange);
  }
  std::string_view protocol = text(p, "protocol");
  if (protocol.empty()) required(causes, here + ".protocol");
  else if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP") {
    not_supported(causes, here + ".protocol", protocol, {"SCTP", "TCP", "UDP"});
  }
  const Value* target = at(p, "targetPort");
  if (target && target->is_string()) {
    for (const std::string& m : is_port_name(target->as_string())) {
      invalid_value(causes, here + ".targetPort", *target, m);
    }
  } else if (target && !is_port(as_number(target, 0))) {
    invalid_value(causes, here + ".targetPort", *target, kPortRange);
  }
}

void service_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  std::string_view type = text(spec, "type");
  auto ports = items(spec, "ports");
  if (ports.empty() && text(spec, "clusterIP") != "None" && type != "ExternalName") {
    required(causes, "spec.ports");
  }
  if (type == "ExternalName") {
    std::string_view name = without_suffix(text(spec, "externalName"), ".");
    if (name.empty()) required(causes, "spec.externalName");
    else for (const std::string& m : is_dns1123_subdomain(name)) {
      invalid_value(causes, "spec.externalName", name, m);
    }
  }
  std::set<std::string_view> names;
  std::set<std::pair<int64_t, std::string_view>> seen;
  for (size_t i = 0; i < ports.size(); ++i) {
    std::string here = element("spec.ports", i);
    service_port(ports[i], here, ports.size() > 1, names, causes);
    if (!seen.insert({number(ports[i], "port"), text(ports[i], "protocol")}).second) {
      duplicate_text(causes, here,
                     cat("{\"Name\":\"\",\"Protocol\":", quote(text(ports[i], "protocol")),
                         ",\"AppProtocol\":null,\"Port\":", number(ports[i], "port"),
                         ",\"TargetPort\":0,\"NodePort\":0}"));
    }
  }
  validate_labels(at(spec, "selector"), "spec.selector", causes);
  std::string_view affinity = text(spec, "sessionAffinity");
  if (affinity != "None" && affinity != "ClientIP") {
    not_supported(causes, "spec.sessionAffinity", affinity, {"ClientIP", "None"});
  }
  if (type != "ClusterIP" && type != "NodePort" && type != "LoadBalancer" && type != "ExternalName") {
    not_supported(causes, "spec.type", type, {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"});
  }
  if (type == "ClusterIP") {
    for (size_t i = 0; i < ports.size(); ++i) {
      if (number(ports[i], "nodePort") == 0) continue;
      forbidden_field(causes, element("spec.ports", i) + ".nodePort", "may not be used when `type` is 'ClusterIP'");
    }
  }
  const std::string_view ip = text(spec, "clusterIP");
  if (!ip.empty() && ip != "None" && !is_address(ip)) invalid_value(causes, "spec.clusterIPs[0]", ip, kAddressRule);
  size_t n = 0;
  for (const Value& v : items(spec, "externalIPs")) {
    const std::string_view external = v.is_string() ? v.as_string() : std::string_view();
    if (!is_address(external)) invalid_value(causes, element("spec.externalIPs", n), external, kAddressRule);
    ++n;
  }
  n = 0;
  for (const Value& v : items(spec, "ipFamilies")) {
    const std::string_view family = v.is_string() ? v.as_string() : std::string_view();
    if (family != "IPv4" && family != "IPv6") not_supported(causes, element("spec.ipFamilies", n), family, {"IPv4", "IPv6"});
    ++n;
  }
  const bool external = type == "NodePort" || type == "LoadBalancer" || !items(spec, "externalIPs").empty();
  if (std::string_view policy = text(spec, "externalTrafficPolicy"); !policy.empty() && !external) {
    invalid_value(causes, "spec.externalTrafficPolicy", policy, "may only be set for externally-accessible services");
  }
  if (type == "LoadBalancer" && text(spec, "clusterIP") == "None") {
    invalid_value(causes, "spec.clusterIPs[0]", "None", "may not be set to 'None' for LoadBalancer services");
  }
  if (old && type != "ExternalName" && text(*old, "spec", "type") != "ExternalName" &&
      text(spec, "clusterIP") != text(*old, "spec", "clusterIP") && (ip == "None" || is_address(ip))) {
    invalid_value(causes, "spec.clusterIPs[0]", spec.get("clusterIPs") ? *spec.get("clusterIPs") : Value::nil(),
                  "may not change once set");
  }
}

std::vector<std::string_view> service_fields() { return {"spec.clusterIP", "spec.type"}; }

// ---- the others ----

Status ingress_create(World& world, Value& object) {
  empty_balancer(object);
  if (has(object, "spec", "ingressClassName") ||
      has(object, "metadata", "annotations", "kubernetes.io/ingress.class")) {
    return ok();
  }
  for (const Value& c : world.list("networking.k8s.io", "ingressclasses", "")) {
    if (text(c, "metadata", "annotations", "ingressclass.kubernetes.io/is-default-class") == "true") {
      put(ensure(object, "spec"), "ingressClassName", name_of(c));
    }
  }
  return ok();
}

void ingress_backend(const Value& backend, const std::string& path, std::vector<Cause>& causes) {
  const Value* service = at(backend, "service");
  if (!service) {
    if (!has(backend, "resource")) invalid_value(causes, path, "", "resource or service backend is required");
    return;
  }
  std::string_view name = text(*service, "name");
  if (name.empty()) required(causes, path + ".service.name");
  else for (const std::string& m : is_dns1035_label(name)) {
    invalid_value(causes, path + ".service.name", name, m);
  }
  std::string_view port_name = text(*service, "port", "name");
  int64_t port = number(*service, "port", "number");
  if (port_name.empty() && port == 0) {
    required(causes, path, "port name or number is required");
  } else if (!port_name.empty() && port != 0) {
    invalid_value(causes, path, "", "cannot set both port name & port number");
  } else if (!port_name.empty()) {
    for (const std::string& m : is_port_name(port_name)) {
      invalid_value(causes, path + ".service.port.name", port_name, m);
    }
  } else if (!is_port(port)) {
    invalid_value(causes, path + ".service.port.number", make(port), kPortRange);
  }
}

void ingress_path(const Value& p, const std::string& here, std::vector<Cause>& causes) {
  std::string_view path = text(p, "path"), type = text(p, "pathType");
  if (type.empty()) {
    required(causes, here + ".pathType", "pathType must be specified");
  } else if (type == "Exact" || type == "Prefix") {
    if (!path.starts_with('/')) {
      invalid_value(causes, here + ".path", path, "must be an absolute path");
    }
    for (std::string_view bad : {"//", "/./", "/../", "%2f", "%2F"}) {
      if (path.find(bad) != path.npos) {
        invalid_value(causes, here + ".path", path, cat("must not contain '", bad, "'"));
      }
    }
  } else if (type == "ImplementationSpecific") {
    if (!path.empty() && !path.starts_with('/')) {
      invalid_value(causes, here + ".path", path, "must be an absolute path");
    }
  } else {
    not_supported(causes, here + ".pathType", type, {"Exact", "ImplementationSpecific", "Prefix"});
  }
  const Value* backend = at(p, "backend");
  ingress_backend(backend ? *backend : Value::nil(), here + ".backend", causes);
}

void ingress_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  if (items(spec, "rules").empty() && !has(spec, "defaultBackend")) {
    invalid_value(causes, "spec", Value::nil(),
                  "either `defaultBackend` or `rules` must be specified");
  }
  size_t i = 0;
  for (const Value& rule : items(spec, "rules")) {
    std::string here = element("spec.rules", i++);
    std::string_view host = text(rule, "host");
    if (!host.empty()) {
      auto bad = host.find('*') != host.npos ? is_wildcard_subdomain(host) : is_dns1123_subdomain(host);
      for (const std::string& m : bad) invalid_value(causes, here + ".host", host, m);
    }
    const Value* http = at(rule, "http");
    if (http && items(*http, "paths").empty()) required(causes, here + ".http.paths");
    size_t j = 0;
    if (http) {
      for (const Value& p : items(*http, "paths")) {
        ingress_path(p, element(here + ".http.paths", j++), causes);
      }
    }
  }
  if (const Value* backend = at(spec, "defaultBackend")) {
    ingress_backend(*backend, "spec.defaultBackend", causes);
  }
}

void ingress_class_defaults(Value& object) {
  if (Value* p = find(object, "spec", "parameters")) default_to(*p, "scope", "Cluster");
}

void network_policy_defaults(Value& object) {
  Value& spec = ensure(object, "spec");
  for (std::string_view direction : {"ingress", "egress"}) {
    for (Value& rule : elements(spec, direction)) {
      for (Value& port : elements(rule, "ports")) default_to(port, "protocol", "TCP");
    }
  }
  if (items(spec, "policyTypes").empty()) {
    Value types = Value::list_of({make("Ingress")});
    if (!items(spec, "egress").empty()) types.as_list()->items.push_back(make("Egress"));
    put(spec, "policyTypes", std::move(types));
  }
}

void endpoints_defaults(Value& object) {
  for (Value& subset : elements(object, "subsets")) {
    for (Value& port : elements(subset, "ports")) default_to(port, "protocol", "TCP");
  }
}

void endpoint_slice_defaults(Value& object) {
  for (Value& port : elements(object, "ports")) {
    if (!has(port, "name")) put(port, "name", "");
    default_to(port, "protocol", "TCP");
  }
}

void endpoint_slice_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  std::string_view type = text(object, "addressType");
  if (type.empty()) required(causes, "addressType");
  else if (type != "IPv4" && type != "IPv6" && type != "FQDN") {
    not_supported(causes, "addressType", type, {"FQDN", "IPv4", "IPv6"});
  }
  if (old) immutable(causes, "addressType", at(object, "addressType"), at(*old, "addressType"));
}

void network_policy_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  size_t i = 0;
  for (const Value& v : items(object, "spec", "policyTypes")) {
    const std::string_view type = v.is_string() ? v.as_string() : std::string_view();
    const std::string here = element("spec.policyTypes", i++);
    if (type != "Ingress" && type != "Egress") not_supported(causes, here, type, {"Ingress", "Egress"});
  }
}

}  // namespace

void add_service_kinds(std::vector<KindRules>& out) {
  out.push_back({.group = "", .kind = "Service", .defaults = service_defaults, .create = service_create,
                 .update = service_update, .validate = service_validate, .selectable = service_fields});
  out.push_back({.group = "", .kind = "Endpoints", .defaults = endpoints_defaults});
  out.push_back({.group = "discovery.k8s.io", .kind = "EndpointSlice",
                 .defaults = endpoint_slice_defaults, .validate = endpoint_slice_validate,
                 .generation = true});
  out.push_back({.group = "networking.k8s.io", .kind = "Ingress", .create = ingress_create,
                 .update = keep_status, .validate = ingress_validate, .generation = true});
  out.push_back({.group = "networking.k8s.io", .kind = "IngressClass",
                 .defaults = ingress_class_defaults, .generation = true});
  out.push_back({.group = "networking.k8s.io", .kind = "NetworkPolicy",
                 .defaults = network_policy_defaults, .validate = network_policy_validate,
                 .generation = true});
}

}  // namespace pintle::drydock
