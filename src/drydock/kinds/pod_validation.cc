// A pod's spec as a whole; its parts have files of their own (pod_parts.h).
#include "drydock/kinds/pod_parts.h"
#include "drydock/kinds/pod_template.h"
#include "drydock/object_meta.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

void validate_dns_config(const Value& spec, const std::string& path, std::vector<Cause>& causes) {
  const Value* config = at(spec, "dnsConfig");
  if (text(spec, "dnsPolicy") == "None") {
    if (!config) return required(causes, path, "must provide `dnsConfig` when `dnsPolicy` is None");
    if (items(*config, "nameservers").empty()) {
      return required(causes, path + ".nameservers",
                      "must provide at least one DNS nameserver when `dnsPolicy` is None");
    }
  }
  if (!config) return;
  auto servers = items(*config, "nameservers"), searches = items(*config, "searches");
  if (servers.size() > 3) {
    invalid_value(causes, path + ".nameservers", *at(*config, "nameservers"), "must not have more than 3 nameservers");
  }
  for (size_t i = 0; i < servers.size(); ++i) {
    validate_ip(causes, element(path + ".nameservers", i), as_text(servers[i]));
  }
  if (searches.size() > 32) {
    invalid_value(causes, path + ".searches", *at(*config, "searches"), "must not have more than 32 search paths");
  }
  for (size_t i = 0; i < searches.size(); ++i) {
    std::string_view search = as_text(searches[i]);
    if (search == ".") continue;
    search = without_suffix(search, ".");
    complain(causes, element(path + ".searches", i), search, is_underscored_subdomain(search));
  }
  size_t n = 0;
  for (const Value& option : items(*config, "options")) {
    const std::string here = element(path + ".options", n++);
    if (text(option, "name").empty()) required(causes, here, "must not be empty");
  }
}

void validate_host_aliases(const Value& spec, const std::string& path, std::vector<Cause>& causes) {
  size_t n = 0;
  for (const Value& alias : items(spec, "hostAliases")) {
    const std::string here = element(path, n++);
    validate_ip(causes, here + ".ip", text(alias, "ip"));
    size_t i = 0;
    for (const Value& host : items(alias, "hostnames")) {
      complain(causes, element(here + ".hostnames", i++), as_text(host), is_dns1123_subdomain(as_text(host)));
    }
  }
}

// Absent or a good name.
void subdomain_field(const Value& spec, std::string_view key, const std::string& path, std::vector<Cause>& causes) {
  if (std::string_view name = text(spec, key); !name.empty()) {
    complain(causes, child(path, key), name, is_dns1123_subdomain(name));
  }
}
void label_field(const Value& spec, std::string_view key, const std::string& path, std::vector<Cause>& causes) {
  if (std::string_view name = text(spec, key); !name.empty()) {
    complain(causes, child(path, key), name, is_dns1123_label(name));
  }
}

// With the host's network a container's ports are the host's.
void validate_host_network(const Value& spec, const std::string& path, std::vector<Cause>& causes) {
  if (!flag(spec, "hostNetwork")) return;
  for (std::string_view list : {"containers", "initContainers"}) {
    size_t i = 0;
    for (const Value& c : items(spec, list)) {
      const std::string ports = element(child(path, list), i++) + ".ports";
      size_t n = 0;
      for (const Value& port : items(c, "ports")) {
        const std::string here = element(ports, n++) + ".hostPort";
        const int64_t host = number(port, "hostPort");
        if (host != 0 && host != number(port, "containerPort")) {
          invalid_value(causes, here, make(host), "must match `containerPort` when `hostNetwork` is true");
        }
      }
    }
  }
}

}  // namespace

void name_with(std::string_view name, const std::string& path, std::vector<Cause>& causes) {
  if (name.empty()) required(causes, path);
  else complain(causes, path, name, is_dns1123_label(name));
}

void validate_pod_spec(const Value& spec, const std::string& path, std::vector<Cause>& causes) {
  PodParts pod{spec, causes};
  validate_volumes(pod, path + ".volumes");
  validate_containers(pod, path);
  validate_host_network(spec, path, causes);
  one_of_or_required(causes, path + ".restartPolicy", text(spec, "restartPolicy"), {"Always", "OnFailure", "Never"});
  one_of_or_required(causes, path + ".dnsPolicy", text(spec, "dnsPolicy"),
                     {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"});
  validate_labels(at(spec, "nodeSelector"), path + ".nodeSelector", causes);
  validate_pod_security(at(spec, "securityContext"), path + ".securityContext", causes);
  validate_affinity(at(spec, "affinity"), path + ".affinity", causes);
  validate_dns_config(spec, path + ".dnsConfig", causes);
  size_t n = 0;
  for (const Value& gate : items(spec, "readinessGates")) {
    const std::string here = element(path + ".readinessGates", n++) + ".conditionType";
    complain(causes, here, text(gate, "conditionType"), is_label_key(text(gate, "conditionType")));
  }
  validate_spread(spec, path + ".topologySpreadConstraints", causes);
  subdomain_field(spec, "serviceAccountName", path, causes);
  subdomain_field(spec, "nodeName", path, causes);
  if (const Value* deadline = at(spec, "activeDeadlineSeconds");
      deadline && (as_number(deadline, 0) < 1 || as_number(deadline, 0) > INT32_MAX)) {
    invalid_value(causes, path + ".activeDeadlineSeconds", *deadline,
                  cat("must be between 1 and ", INT32_MAX, ", inclusive"));
  }
  label_field(spec, "hostname", path, causes);
  label_field(spec, "subdomain", path, causes);
  validate_tolerations(spec, path + ".tolerations", causes);
  validate_host_aliases(spec, path + ".hostAliases", causes);
  subdomain_field(spec, "priorityClassName", path, causes);
  subdomain_field(spec, "runtimeClassName", path, causes);
  if (has(spec, "preemptionPolicy")) {
    one_of_or_required(causes, path + ".preemptionPolicy", text(spec, "preemptionPolicy"),
                       {"PreemptLowerPriority", "Never"});
  }
  if (const Value* os = at(spec, "os")) {
    one_of_or_required(causes, path + ".os.name", text(*os, "name"), {"linux", "windows"});
  }
}

void validate_pod_template(const Value& pod_template, const std::string& path,
                           std::vector<Cause>& causes) {
  validate_labels(at(pod_template, "metadata", "labels"), path + ".labels", causes);
  validate_annotations(at(pod_template, "metadata", "annotations"), path + ".annotations", causes);
  static thread_local const Value nothing = empty_map();
  const Value* spec = at(pod_template, "spec");
  validate_pod_spec(spec ? *spec : nothing, path + ".spec", causes);
  if (spec && !items(*spec, "ephemeralContainers").empty()) {
    forbidden_field(causes, path + ".spec.ephemeralContainers", "ephemeral containers not allowed in pod template");
  }
}

}  // namespace pintle::drydock
