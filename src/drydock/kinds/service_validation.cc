#include "drydock/kinds/service_validation.h"

#include <sys/socket.h>

#include <set>

#include "base/gotext.h"
#include "drydock/go_struct.h"
#include "drydock/kinds/families.h"
#include "drydock/kinds/networking.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kBalanced = "may only be used when `type` is 'LoadBalancer'";

bool headless(const Value& spec) {
  auto ips = items(spec, "clusterIPs");
  return text(spec, "clusterIP") == "None" || (ips.size() == 1 && as_text(ips[0]) == "None");
}

void service_port(const Value& p, const std::string& here, bool name_needed,
                  std::set<std::string_view>& names, std::vector<Cause>& causes) {
  std::string_view name = text(p, "name");
  if (name.empty()) {
    if (name_needed) required(causes, here + ".name");
  } else {
    complain(causes, here + ".name", name, is_dns1123_label(name));
    if (!names.insert(name).second) duplicate(causes, here + ".name", make(name));
  }
  if (!is_port(number(p, "port"))) {
    invalid_value(causes, here + ".port", make(number(p, "port")), kPortRange);
  }
  one_of_or_required(causes, here + ".protocol", text(p, "protocol"), {"SCTP", "TCP", "UDP"});
  if (const Value* target = at(p, "targetPort")) port_or_name(causes, here + ".targetPort", target);
  if (has(p, "appProtocol")) {
    complain(causes, here + ".appProtocol", text(p, "appProtocol"), is_label_key(text(p, "appProtocol")));
  }
}

void ports_once(std::span<const Value> ports, std::vector<Cause>& causes) {
  std::set<std::pair<int64_t, std::string_view>> node_ports, seen;
  for (size_t i = 0; i < ports.size(); ++i) {
    const int64_t node = number(ports[i], "nodePort");
    if (node != 0 && !node_ports.insert({node, text(ports[i], "protocol")}).second) {
      duplicate(causes, element("spec.ports", i) + ".nodePort", make(node));
    }
  }
  for (size_t i = 0; i < ports.size(); ++i) {
    if (seen.insert({number(ports[i], "port"), text(ports[i], "protocol")}).second) continue;
    Value key = empty_map();
    copy_entry(key, ports[i], "protocol");
    copy_entry(key, ports[i], "port");
    duplicate_text(causes, element("spec.ports", i),
                   go_struct(&key, "Name=\"\",Protocol=\"\",AppProtocol,Port=0,TargetPort=0,NodePort=0"));
  }
}

void affinity(const Value& spec, std::vector<Cause>& causes) {
  const std::string_view kind = text(spec, "sessionAffinity");
  one_of_or_required(causes, "spec.sessionAffinity", kind, {"ClientIP", "None"});
  const Value* seconds = at(spec, "sessionAffinityConfig", "clientIP", "timeoutSeconds");
  if (kind != "ClientIP" || !seconds) return;
  if (as_number(seconds, 0) <= 0 || as_number(seconds, 0) > 86400) {
    invalid_value(causes, "spec.sessionAffinityConfig.clientIP.timeoutSeconds", *seconds,
                  "must be greater than 0 and less than 86400");
  }
}

void balancer(const Value& spec, bool balanced, std::vector<Cause>& causes) {
  auto ranges = items(spec, "loadBalancerSourceRanges");
  if (!ranges.empty() && !balanced) forbidden_field(causes, "spec.LoadBalancerSourceRanges", kBalanced);
  for (size_t i = 0; i < ranges.size(); ++i) {
    validate_cidr(causes, element("spec.LoadBalancerSourceRanges", i), trim_space(as_text(ranges[i])));
  }
  if (has(spec, "allocateLoadBalancerNodePorts") && !balanced) {
    forbidden_field(causes, "spec.allocateLoadBalancerNodePorts", kBalanced);
  }
  if (!has(spec, "loadBalancerClass")) return;
  const std::string_view name = text(spec, "loadBalancerClass");
  if (balanced) complain(causes, "spec.loadBalancerClass", name, is_label_key(name));
  else forbidden_field(causes, "spec.loadBalancerClass", kBalanced);
}

void traffic(const Value& spec, bool balanced, std::vector<Cause>& causes) {
  const std::string_view type = text(spec, "type"), policy = text(spec, "externalTrafficPolicy");
  const bool outside = balanced || type == "NodePort" || (type == "ClusterIP" && !items(spec, "externalIPs").empty());
  if (outside) {
    one_of_or_required(causes, "spec.externalTrafficPolicy", policy, {"Cluster", "Local"});
  } else if (!policy.empty()) {
    invalid_value(causes, "spec.externalTrafficPolicy", policy, "may only be set for externally-accessible services");
  }
  if (const int64_t port = number(spec, "healthCheckNodePort"); port != 0 && !(balanced && policy == "Local")) {
    invalid_value(causes, "spec.healthCheckNodePort", make(port),
                  "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
  }
  if (has(spec, "internalTrafficPolicy")) {
    one_of(causes, "spec.internalTrafficPolicy", text(spec, "internalTrafficPolicy"), {"Cluster", "Local"});
  }
  if (has(spec, "trafficDistribution")) {
    one_of(causes, "spec.trafficDistribution", text(spec, "trafficDistribution"),
           {"PreferClose", "PreferSameZone", "PreferSameNode"});
  }
}

void external_name(const Value& spec, std::vector<Cause>& causes) {
  for (std::string_view key : {"clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
    if (at(spec, key)) forbidden_field(causes, child("spec", key), "may not be set for ExternalName services");
  }
  std::string_view name = without_suffix(text(spec, "externalName"), ".");
  if (name.empty()) required(causes, "spec.externalName");
  else complain(causes, "spec.externalName", name, is_dns1123_subdomain(name));
}

}  // namespace

void validate_cluster_ips(const Value& spec, std::vector<Cause>& causes) {
  if (text(spec, "type") == "ExternalName") return;
  const std::string_view ip = text(spec, "clusterIP");
  auto ips = items(spec, "clusterIPs"), families = items(spec, "ipFamilies");
  static thread_local const Value nothing = empty_list();
  const Value& shown = at(spec, "clusterIPs") ? *at(spec, "clusterIPs") : nothing;
  if (ip.empty()) {
    if (!ips.empty()) invalid_value(causes, "spec.clusterIPs", shown, "must be empty when `clusterIP` is not specified");
  } else if (ips.empty()) {
    required(causes, "spec.clusterIPs");
  } else if (as_text(ips[0]) != ip) {
    invalid_value(causes, "spec.clusterIPs", shown, "first value must match `clusterIP`");
  }
  std::set<std::string_view> seen;
  for (size_t i = 0; i < families.size(); ++i) {
    const std::string here = element("spec.ipFamilies", i);
    one_of(causes, here, as_text(families[i]), {"IPv4", "IPv6"});
    if (!seen.insert(as_text(families[i])).second) duplicate(causes, here, families[i]);
  }
  if (has(spec, "ipFamilyPolicy")) {
    one_of(causes, "spec.ipFamilyPolicy", text(spec, "ipFamilyPolicy"),
           {"PreferDualStack", "RequireDualStack", "SingleStack"});
  }
  const size_t before = causes.size();
  for (size_t i = 0; i < ips.size(); ++i) {
    if (i > 0 || as_text(ips[i]) != "None") {
      validate_ip(causes, element("spec.clusterIPs", i), as_text(ips[i]));
    } else if (ips.size() > 1) {
      invalid_value(causes, "spec.clusterIPs", shown, "'None' must be the first and only value");
    }
  }
  const bool bad = causes.size() > before;
  if (ips.size() > 2) invalid_value(causes, "spec.clusterIPs", shown, "may only hold up to 2 values");
  if (bad) return;
  if (ips.size() == 2 && address_family(as_text(ips[0])) == address_family(as_text(ips[1]))) {
    invalid_value(causes, "spec.clusterIPs", shown, "may specify no more than one IP for each IP family");
  }
  for (size_t i = 0; !headless(spec) && i < std::min(ips.size(), families.size()); ++i) {
    const int family = address_family(as_text(ips[i]));
    const std::string_view wanted = as_text(families[i]);
    if ((wanted == "IPv4" && family != AF_INET) || (wanted == "IPv6" && family != AF_INET6)) {
      invalid_value(causes, element("spec.clusterIPs", i), ips[i],
                    cat("expected an ", wanted, " value as indicated by `ipFamilies[", i, "]`"));
    }
  }
}

void service_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  const std::string_view type = text(spec, "type");
  const bool balanced = type == "LoadBalancer", external = type == "ExternalName";
  auto ports = items(spec, "ports");
  if (old && !external && text(*old, "spec", "type") != "ExternalName" && !items(*old, "spec", "clusterIPs").empty()) {
    const Value& before = items(*old, "spec", "clusterIPs")[0];
    auto ips = items(spec, "clusterIPs");
    if (ips.empty() || !same(ips[0], before)) {
      invalid_value(causes, "spec.clusterIPs[0]", at(spec, "clusterIPs") ? *at(spec, "clusterIPs") : Value::nil(),
                    "may not change once set");
    }
  }
  if (ports.empty() && !headless(spec) && !external) required(causes, "spec.ports");
  if (headless(spec) && (balanced || type == "NodePort")) {
    invalid_value(causes, "spec.clusterIPs[0]", "None", cat("may not be set to 'None' for ", type, " services"));
  }
  if (external) external_name(spec, causes);
  std::set<std::string_view> names;
  for (size_t i = 0; i < ports.size(); ++i) {
    service_port(ports[i], element("spec.ports", i), ports.size() > 1, names, causes);
  }
  validate_labels(at(spec, "selector"), "spec.selector", causes);
  affinity(spec, causes);
  validate_cluster_ips(spec, causes);
  size_t n = 0;
  for (const Value& v : items(spec, "externalIPs")) {
    const std::string here = element("spec.externalIPs", n++);
    if (address_family(as_text(v)) == 0) validate_ip(causes, here, as_text(v));
    else validate_endpoint_ip(as_text(v), here, causes);
  }
  one_of_or_required(causes, "spec.type", type, {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"});
  for (size_t i = 0; type == "ClusterIP" && i < ports.size(); ++i) {
    if (number(ports[i], "nodePort") == 0) continue;
    forbidden_field(causes, element("spec.ports", i) + ".nodePort", "may not be used when `type` is 'ClusterIP'");
  }
  ports_once(ports, causes);
  balancer(spec, balanced, causes);
  traffic(spec, balanced, causes);
}

}  // namespace pintle::drydock
