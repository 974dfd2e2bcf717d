// NetworkPolicy, Endpoints, EndpointSlice.
#include "drydock/kinds/networking.h"

#include <sys/socket.h>

#include <set>

#include "drydock/kinds/families.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

void network_policy_defaults(Value& object) {
  Value& spec = ensure(object, "spec");
  for (std::string_view direction : {"ingress", "egress"}) {
    for (Value& rule : elements(spec, direction)) {
      for (Value& port : elements(rule, "ports")) default_absent(port, "protocol", "TCP");
    }
  }
  if (items(spec, "policyTypes").empty()) {
    Value types = Value::list_of({make("Ingress")});
    if (!items(spec, "egress").empty()) types.as_list()->items.push_back(make("Egress"));
    put(spec, "policyTypes", std::move(types));
  }
}

void policy_port(const Value& p, const std::string& path, std::vector<Cause>& causes) {
  const Value *port = at(p, "port"), *end = at(p, "endPort");
  if (has(p, "protocol")) one_of(causes, path + ".protocol", text(p, "protocol"), {"TCP", "UDP", "SCTP"});
  if (port && port->is_string()) {
    if (end) {
      invalid_value(causes, path + ".endPort", *end, "may not be specified when `port` is non-numeric");
    }
    complain(causes, path + ".port", as_text(*port), is_port_name(as_text(*port)));
  } else if (port) {
    if (!is_port(as_number(port, 0))) invalid_value(causes, path + ".port", *port, kPortRange);
    if (!end) return;
    if (as_number(end, 0) < as_number(port, 0)) {
      invalid_value(causes, path + ".endPort", *port, "must be greater than or equal to `port`");
    }
    if (!is_port(as_number(end, 0))) invalid_value(causes, path + ".endPort", *end, kPortRange);
  } else if (end) {
    invalid_value(causes, path + ".endPort", *end, "may not be specified when `port` is not specified");
  }
}

void ip_block(const Value& block, const std::string& path, std::vector<Cause>& causes) {
  const std::string_view cidr = text(block, "cidr");
  if (cidr.empty()) return required(causes, path + ".cidr");
  if (!validate_cidr(causes, path + ".cidr", cidr)) return;
  size_t i = 0;
  for (const Value& except : items(block, "except")) {
    const std::string here = element(path + ".except", i++);
    if (!validate_cidr(causes, here, as_text(except))) continue;
    if (!within(*parse_cidr(cidr), *parse_cidr(as_text(except)))) {
      invalid_value(causes, here, except, "must be a strict subset of `cidr`");
    }
  }
}

void policy_peer(const Value& peer, const std::string& path, std::vector<Cause>& causes) {
  const Value *pods = at(peer, "podSelector"), *namespaces = at(peer, "namespaceSelector"), *block = at(peer, "ipBlock");
  validate_label_selector(pods, path + ".podSelector", causes);
  validate_label_selector(namespaces, path + ".namespaceSelector", causes);
  if (block) ip_block(*block, path + ".ipBlock", causes);
  if (!pods && !namespaces && !block) required(causes, path, "must specify a peer");
  if (block && (pods || namespaces)) forbidden_field(causes, path, "may not specify both ipBlock and another peer");
}

void network_policy_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  validate_label_selector(at(spec, "podSelector"), "spec.podSelector", causes);
  for (std::string_view direction : {"ingress", "egress"}) {
    const std::string_view peers = direction == "ingress" ? "from" : "to";
    size_t i = 0;
    for (const Value& rule : items(spec, direction)) {
      const std::string here = element(child("spec", direction), i++);
      size_t n = 0;
      for (const Value& port : items(rule, "ports")) policy_port(port, element(here + ".ports", n++), causes);
      n = 0;
      for (const Value& peer : items(rule, peers)) policy_peer(peer, element(child(here, peers), n++), causes);
    }
  }
  auto types = items(spec, "policyTypes");
  if (types.size() > 2) {
    return invalid_value(causes, "spec.policyTypes", *at(spec, "policyTypes"), "may not specify more than two policyTypes");
  }
  for (size_t i = 0; i < types.size(); ++i) {
    one_of(causes, element("spec.policyTypes", i), as_text(types[i]), {"Ingress", "Egress"});
  }
}

void endpoints_defaults(Value& object) {
  for (Value& subset : elements(object, "subsets")) {
    for (Value& port : elements(subset, "ports")) default_to(port, "protocol", "TCP");
  }
}

void endpoints_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  size_t n = 0;
  for (const Value& subset : items(object, "subsets")) {
    const std::string here = element("subsets", n++);
    if (items(subset, "addresses").empty() && items(subset, "notReadyAddresses").empty()) {
      required(causes, here, "must specify `addresses` or `notReadyAddresses`");
    }
    for (std::string_view list : {"addresses", "notReadyAddresses"}) {
      size_t i = 0;
      for (const Value& address : items(subset, list)) {
        const std::string at_address = element(child(here, list), i++);
        validate_ip(causes, at_address + ".ip", text(address, "ip"));
        if (std::string_view host = text(address, "hostname"); !host.empty()) {
          complain(causes, at_address + ".hostname", host, is_dns1123_label(host));
        }
        if (std::string_view node = text(address, "nodeName"); has(address, "nodeName")) {
          complain(causes, at_address + ".nodeName", node, is_dns1123_subdomain(node));
        }
        validate_endpoint_ip(text(address, "ip"), at_address + ".ip", causes);
      }
    }
    auto ports = items(subset, "ports");
    for (size_t i = 0; i < ports.size(); ++i) {
      const std::string at_port = element(here + ".ports", i);
      const std::string_view name = text(ports[i], "name");
      if (!name.empty()) complain(causes, at_port + ".name", name, is_dns1123_label(name));
      else if (ports.size() > 1) required(causes, at_port + ".name");
      if (!is_port(number(ports[i], "port"))) {
        invalid_value(causes, at_port + ".port", make(number(ports[i], "port")), kPortRange);
      }
      one_of_or_required(causes, at_port + ".protocol", text(ports[i], "protocol"), {"SCTP", "TCP", "UDP"});
      if (std::string_view app = text(ports[i], "appProtocol"); has(ports[i], "appProtocol")) {
        complain(causes, at_port + ".appProtocol", app, is_label_key(app));
      }
    }
  }
}

void endpoint_slice_defaults(Value& object) {
  for (Value& port : elements(object, "ports")) {
    if (!has(port, "name")) put(port, "name", "");
    default_absent(port, "protocol", "TCP");
  }
}

void slice_address(std::string_view address, std::string_view type, const std::string& list, size_t i,
                   std::vector<Cause>& causes) {
  const std::string here = element(list, i);
  if (type == "FQDN") {
    return complain(causes, here, address, is_dns1123_subdomain(without_suffix(address, ".")));
  }
  const int family = address_family(address);
  if (family == 0) return validate_ip(causes, here, address);
  if (family != (type == "IPv4" ? AF_INET : AF_INET6)) {
    invalid_value(causes, list, address, cat("must be an ", type, " address"));
  }
  validate_endpoint_ip(address, here, causes);
}

void endpoint_slice_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  const std::string_view type = text(object, "addressType");
  one_of_or_required(causes, "addressType", type, {"FQDN", "IPv4", "IPv6"});
  std::set<std::string_view> names;
  size_t i = 0;
  for (const Value& port : items(object, "ports")) {
    const std::string here = element("ports", i++);
    const std::string_view name = text(port, "name");
    if (!name.empty()) complain(causes, here + ".name", name, is_dns1123_label(name));
    if (!names.insert(name).second) duplicate(causes, here + ".name", make(name));
    one_of(causes, here + ".protocol", text(port, "protocol"), {"SCTP", "TCP", "UDP"});
    if (has(port, "appProtocol")) {
      complain(causes, here + ".appProtocol", text(port, "appProtocol"), is_label_key(text(port, "appProtocol")));
    }
  }
  const bool known = type == "IPv4" || type == "IPv6" || type == "FQDN";
  i = 0;
  for (const Value& endpoint : items(object, "endpoints")) {
    const std::string here = element("endpoints", i++), list = here + ".addresses";
    auto addresses = items(endpoint, "addresses");
    if (addresses.empty()) required(causes, list, "must contain at least 1 address");
    for (size_t n = 0; known && n < addresses.size(); ++n) slice_address(as_text(addresses[n]), type, list, n, causes);
    if (std::string_view node = text(endpoint, "nodeName"); has(endpoint, "nodeName")) {
      complain(causes, here + ".nodeName", node, is_dns1123_subdomain(node));
    }
    if (std::string_view host = text(endpoint, "hostname"); has(endpoint, "hostname")) {
      complain(causes, here + ".hostname", host, is_dns1123_label(host));
    }
  }
  if (old) immutable(causes, "addressType", at(object, "addressType"), at(*old, "addressType"));
}

}  // namespace

void validate_endpoint_ip(std::string_view ip, const std::string& path, std::vector<Cause>& causes) {
  if (address_family(ip) == 0) return invalid_value(causes, path, ip, "must be a valid IP address");
  auto in = [&](std::string_view range) {
    const auto outer = parse_cidr(range);
    const auto host = parse_cidr(cat(ip, address_family(ip) == AF_INET ? "/32" : "/128"));
    return outer && host && (within(*outer, *host) || (outer->bits == host->bits && outer->bytes == host->bytes &&
                                                      outer->family == host->family));
  };
  if (in("0.0.0.0/32") || in("::/128")) invalid_value(causes, path, ip, cat("may not be unspecified (", ip, ")"));
  if (in("127.0.0.0/8") || in("::1/128")) {
    invalid_value(causes, path, ip, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
  }
  if (in("169.254.0.0/16") || in("fe80::/10")) {
    invalid_value(causes, path, ip, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  if (in("224.0.0.0/24") || in("ff02::/16")) {
    invalid_value(causes, path, ip, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
}

void add_networking_kinds(std::vector<KindRules>& out) {
  out.push_back({.group = "", .kind = "Endpoints", .defaults = endpoints_defaults,
                 .validate = endpoints_validate});
  out.push_back({.group = "discovery.k8s.io", .kind = "EndpointSlice", .defaults = endpoint_slice_defaults,
                 .validate = endpoint_slice_validate, .generation = true});
  out.push_back({.group = "networking.k8s.io", .kind = "NetworkPolicy", .defaults = network_policy_defaults,
                 .validate = network_policy_validate, .generation = true});
}

}  // namespace pintle::drydock
