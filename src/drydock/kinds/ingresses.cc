// Ingress and IngressClass.
#include "drydock/kinds/families.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kGroup = "networking.k8s.io";
constexpr std::string_view kOldClass = "kubernetes.io/ingress.class";

Status ingress_create(World& world, Value& object) {
  Value status = empty_map();
  put(status, "loadBalancer", empty_map());
  put(object, "status", std::move(status));
  if (has(object, "spec", "ingressClassName") || has(object, "metadata", "annotations", kOldClass)) return ok();
  for (const Value& c : world.list(kGroup, "ingressclasses", "")) {
    if (text(c, "metadata", "annotations", "ingressclass.kubernetes.io/is-default-class") == "true") {
      put(ensure(object, "spec"), "ingressClassName", name_of(c));
    }
  }
  return ok();
}

// {apiGroup, kind, name} of something else.
void reference(const Value& ref, const std::string& path, std::vector<Cause>& causes) {
  if (has(ref, "apiGroup")) {
    complain(causes, path + ".apiGroup", text(ref, "apiGroup"), is_dns1123_subdomain(text(ref, "apiGroup")));
  }
  for (std::string_view key : {"kind", "name"}) {
    if (text(ref, key).empty()) required(causes, child(path, key));
    else complain(causes, child(path, key), text(ref, key), is_path_segment(text(ref, key)));
  }
}

void service_backend(const Value& service, const std::string& path, std::vector<Cause>& causes) {
  const std::string_view name = text(service, "name"), port_name = text(service, "port", "name");
  const int64_t port = number(service, "port", "number");
  if (name.empty()) required(causes, path + ".service.name");
  else complain(causes, path + ".service.name", name, is_dns1123_label(name));
  if (port_name.empty() && port == 0) required(causes, path, "port name or number is required");
  else if (!port_name.empty() && port != 0) invalid_value(causes, path, "", "cannot set both port name & port number");
  else if (!port_name.empty()) complain(causes, path + ".service.port.name", port_name, is_port_name(port_name));
  else if (!is_port(port)) invalid_value(causes, path + ".service.port.number", make(port), kPortRange);
}

void ingress_backend(const Value& backend, const std::string& path, std::vector<Cause>& causes) {
  const Value *service = at(backend, "service"), *resource = at(backend, "resource");
  if (service && resource) return invalid_value(causes, path, "", "cannot set both resource and service backends");
  if (resource) return reference(*resource, path + ".resource", causes);
  if (service) return service_backend(*service, path, causes);
  invalid_value(causes, path, "", "resource or service backend is required");
}

void ingress_path(const Value& p, const std::string& here, std::vector<Cause>& causes) {
  const std::string_view path = text(p, "path"), type = text(p, "pathType");
  if (!has(p, "pathType")) return required(causes, here + ".pathType", "pathType must be specified");
  const bool exact = type == "Exact" || type == "Prefix";
  one_of(causes, here + ".pathType", type, {"Exact", "ImplementationSpecific", "Prefix"});
  if ((exact || (type == "ImplementationSpecific" && !path.empty())) && !path.starts_with('/')) {
    invalid_value(causes, here + ".path", path, "must be an absolute path");
  }
  if (exact) {
    for (std::string_view bad : {"//", "/./", "/../", "%2f", "%2F"}) {
      if (path.find(bad) != path.npos) {
        invalid_value(causes, here + ".path", path, cat("must not contain '", bad, "'"));
      }
    }
    for (std::string_view bad : {"/..", "/."}) {
      if (path.ends_with(bad)) invalid_value(causes, here + ".path", path, cat("cannot end with '", bad, "'"));
    }
  }
  const Value* backend = at(p, "backend");
  ingress_backend(backend ? *backend : Value::nil(), here + ".backend", causes);
}

void host_name(std::string_view host, const std::string& path, std::vector<Cause>& causes) {
  const bool wildcard = host.find('*') != host.npos;
  complain(causes, path, host, wildcard ? is_wildcard_subdomain(host) : is_dns1123_subdomain(host));
}

void ingress_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  if (items(spec, "rules").empty() && !has(spec, "defaultBackend")) {
    const Value* rules = spec.get("rules");
    invalid_value(causes, "spec", rules ? *rules : Value::nil(), "either `defaultBackend` or `rules` must be specified");
  }
  if (const Value* backend = at(spec, "defaultBackend")) ingress_backend(*backend, "spec.defaultBackend", causes);
  size_t i = 0;
  for (const Value& rule : items(spec, "rules")) {
    const std::string here = element("spec.rules", i++);
    if (std::string_view host = text(rule, "host"); !host.empty()) {
      if (address_family(host) != 0) {
        invalid_value(causes, here + ".host", host, "must be a DNS name, not an IP address");
      }
      host_name(host, here + ".host", causes);
    }
    const Value* http = at(rule, "http");
    if (!http) continue;
    if (items(*http, "paths").empty()) required(causes, here + ".http.paths");
    size_t j = 0;
    for (const Value& p : items(*http, "paths")) ingress_path(p, element(here + ".http.paths", j++), causes);
  }
  i = 0;
  for (const Value& tls : items(spec, "tls")) {
    const std::string here = element("spec.tls", i++);
    size_t j = 0;
    for (const Value& host : items(tls, "hosts")) host_name(as_text(host), element(here + ".hosts", j++), causes);
    if (std::string_view name = text(tls, "secretName"); !name.empty()) {
      complain(causes, here + ".secretName", name, is_dns1123_subdomain(name));
    }
  }
  if (has(spec, "ingressClassName")) {
    complain(causes, "spec.ingressClassName", text(spec, "ingressClassName"),
             is_dns1123_subdomain(text(spec, "ingressClassName")));
  }
  const Value* annotated = at(object, "metadata", "annotations", kOldClass);
  if (!old && annotated && has(spec, "ingressClassName") && as_text(*annotated) != text(spec, "ingressClassName")) {
    invalid_value(causes, child("annotations", kOldClass), *annotated,
                  "must match `ingressClassName` when both are specified");
  }
}

void ingress_class_defaults(Value& object) {
  if (Value* p = find(object, "spec", "parameters")) default_absent(*p, "scope", "Cluster");
}

void ingress_class_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  if (old && text(spec, "controller") != text(*old, "spec", "controller")) {
    invalid_value(causes, "spec.controller", text(spec, "controller"), "field is immutable");
  }
  if (text(spec, "controller").size() > 250) too_long(causes, "spec.controller", 250);
  domain_prefixed_path(causes, "spec.controller", text(spec, "controller"));
  const Value* parameters = at(spec, "parameters");
  if (!parameters) return;
  const std::string path = "spec.parameters";
  reference(*parameters, path, causes);
  const std::string_view scope = text(*parameters, "scope");
  const Value* ns = at(*parameters, "namespace");
  one_of(causes, path + ".scope", scope, {"Cluster", "Namespace"});
  if (scope == "Cluster" && ns) {
    forbidden_field(causes, path + ".namespace", "`parameters.scope` is set to 'Cluster'");
  } else if (scope == "Namespace" && !ns) {
    required(causes, path + ".namespace", "`parameters.scope` is set to 'Namespace'");
  } else if (scope == "Namespace") {
    complain(causes, path + ".namespace", as_text(*ns), is_dns1123_label(as_text(*ns)));
  }
}

}  // namespace

void add_ingress_kinds(std::vector<KindRules>& out) {
  out.push_back({.group = kGroup, .kind = "Ingress", .create = ingress_create, .update = keep_status,
                 .validate = ingress_validate, .generation = true});
  out.push_back({.group = kGroup, .kind = "IngressClass", .defaults = ingress_class_defaults,
                 .validate = ingress_class_validate, .generation = true});
}

}  // namespace pintle::drydock
