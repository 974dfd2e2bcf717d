#include <set>

#include "drydock/kinds/pod_template.h"
#include "drydock/quantity.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

struct Pod {
  std::set<std::string_view> volumes;
  std::vector<Cause>& causes;
};

void name_with(std::string_view name, const std::string& path, std::vector<Cause>& causes) {
  if (name.empty()) {
    required(causes, path);
    return;
  }
  for (const std::string& m : is_dns1123_label(name)) invalid_value(causes, path, name, m);
}

void validate_ports(const Value& c, const std::string& path, std::vector<Cause>& causes) {
  std::set<std::string_view> names;
  size_t i = 0;
  for (const Value& p : items(c, "ports")) {
    std::string here = element(path + ".ports", i++);
    if (std::string_view name = text(p, "name"); !name.empty()) {
      auto bad = is_port_name(name);
      for (const std::string& m : bad) invalid_value(causes, here + ".name", name, m);
      if (bad.empty() && !names.insert(name).second) duplicate(causes, here + ".name", make(name));
    }
    int64_t port = number(p, "containerPort");
    if (port == 0) required(causes, here + ".containerPort");
    else if (!is_port(port)) invalid_value(causes, here + ".containerPort", make(port), kPortRange);
    if (int64_t host = number(p, "hostPort"); host != 0 && !is_port(host)) {
      invalid_value(causes, here + ".hostPort", make(host), kPortRange);
    }
    std::string_view protocol = text(p, "protocol");
    if (protocol.empty()) required(causes, here + ".protocol");
    else if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP") {
      not_supported(causes, here + ".protocol", protocol, {"SCTP", "TCP", "UDP"});
    }
  }
}

void validate_env(const Value& c, const std::string& path, std::vector<Cause>& causes) {
  size_t i = 0;
  for (const Value& e : items(c, "env")) {
    std::string here = element(path + ".env", i++);
    std::string_view name = text(e, "name");
    if (name.empty()) required(causes, here + ".name");
    else for (const std::string& m : is_env_name(name)) invalid_value(causes, here + ".name", name, m);
    const Value* from = at(e, "valueFrom");
    if (!from) continue;
    if (!text(e, "value").empty()) {
      invalid_value(causes, here + ".valueFrom", "", "may not be specified when `value` is not empty");
    }
    size_t sources = 0;
    for (std::string_view key : {"fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef",
                                 "fileKeyRef"}) {
      sources += has(*from, key) ? 1 : 0;
    }
    if (sources == 0) {
      invalid_value(causes, here + ".valueFrom", "",
                    "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, "
                    "`secretKeyRef` or `fileKeyRef`");
    } else if (sources > 1) {
      invalid_value(causes, here + ".valueFrom", "", "may not have more than one field specified at a time");
    }
    for (std::string_view key : {"configMapKeyRef", "secretKeyRef"}) {
      const Value* ref = at(*from, key);
      if (!ref) continue;
      std::string at_key = here + ".valueFrom." + std::string(key) + ".key";
      std::string_view entry = text(*ref, "key");
      if (entry.empty()) required(causes, at_key);
      else for (const std::string& m : is_config_key(entry)) invalid_value(causes, at_key, entry, m);
    }
  }
}

void validate_mounts(const Value& c, const std::string& path, Pod& pod) {
  std::set<std::string_view> paths;
  size_t i = 0;
  for (const Value& m : items(c, "volumeMounts")) {
    std::string here = element(path + ".volumeMounts", i++);
    std::string_view name = text(m, "name"), mount = text(m, "mountPath");
    if (name.empty()) required(pod.causes, here + ".name");
    if (!pod.volumes.contains(name)) not_found_value(pod.causes, here + ".name", name);
    if (mount.empty()) required(pod.causes, here + ".mountPath");
    if (!paths.insert(mount).second) {
      invalid_value(pod.causes, here + ".mountPath", mount, "must be unique");
    }
  }
}

void validate_resources(const Value& c, const std::string& path, std::vector<Cause>& causes) {
  for (std::string_view part : {"limits", "requests"}) {
    for (const auto& e : entries(c, "resources", part)) {
      std::string here = keyed(path + ".resources." + std::string(part), e.key);
      std::string_view shown = e.value.is_string() ? e.value.as_string() : std::string_view();
      auto q = parse_quantity(shown);
      if (q && q->nano < 0) {
        invalid_value(causes, here, shown, "must be greater than or equal to 0");
      }
      std::string_view key = e.key.view();
      bool plain = key.find('/') == key.npos;
      if (plain && key != "cpu" && key != "memory" && key != "ephemeral-storage" &&
          !key.starts_with("hugepages-") && key != "storage") {
        invalid_value(causes, keyed(path + ".resources." + std::string(part), key), key,
                      "must be a standard resource type or fully qualified");
        invalid_value(causes, keyed(path + ".resources." + std::string(part), key), key,
                      "must be a standard resource for containers");
      }
    }
  }
  for (const auto& e : entries(c, "resources", "requests")) {
    const Value* limit = at(c, "resources", "limits", e.key);
    if (!limit || !e.value.is_string() || !limit->is_string()) continue;
    auto want = parse_quantity(e.value.as_string()), most = parse_quantity(limit->as_string());
    if (want && most && want->nano > most->nano) {
      invalid_value(causes, path + ".resources.requests", e.value,
                    cat("must be less than or equal to ", e.key.view(), " limit of ",
                        limit->as_string()));
    }
  }
}

void validate_handler(const Value& h, const std::string& path, std::vector<Cause>& causes) {
  size_t handlers = 0;
  for (std::string_view key : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
    if (!has(h, key)) continue;
    std::string here = child(path, key);
    if (handlers++ > 0) {
      forbidden_field(causes, here, "may not specify more than 1 handler type");
      continue;
    }
    if (key == "exec" && items(h, "exec", "command").empty()) required(causes, here + ".command");
    if (key == "httpGet" && text(h, "httpGet", "path").empty()) required(causes, here + ".path");
    if (key == "httpGet" || key == "tcpSocket") {
      const Value* port = at(h, key, "port");
      if (port && port->is_string()) {
        for (const std::string& m : is_port_name(port->as_string())) {
          invalid_value(causes, here + ".port", *port, m);
        }
      } else if (!is_port(as_number(port, 0))) {
        invalid_value(causes, here + ".port", make(as_number(port, 0)), kPortRange);
      }
    }
  }
  if (handlers == 0) required(causes, path, "must specify a handler type");
}

void validate_probe(const Value& c, std::string_view key, const std::string& path,
                    std::vector<Cause>& causes) {
  const Value* probe = at(c, key);
  if (!probe) return;
  std::string here = child(path, key);
  validate_handler(*probe, here, causes);
  for (std::string_view n : {"initialDelaySeconds", "timeoutSeconds", "periodSeconds",
                             "successThreshold", "failureThreshold"}) {
    non_negative(*probe, n, here, causes);
  }
  if (key != "readinessProbe" && number_or(1, *probe, "successThreshold") > 1) {
    invalid_value(causes, here + ".successThreshold", make(number(*probe, "successThreshold")),
                  "must be 1");
  }
}

void validate_container(const Value& c, const std::string& path, Pod& pod) {
  auto& causes = pod.causes;
  name_with(text(c, "name"), path + ".name", causes);
  std::string_view image = text(c, "image");
  if (image.empty()) required(causes, path + ".image");
  else if (image.front() == ' ' || image.back() == ' ') {
    invalid_value(causes, path + ".image", image, "must not have leading or trailing whitespace");
  }
  validate_ports(c, path, causes);
  validate_env(c, path, causes);
  validate_mounts(c, path, pod);
  std::string_view pull = text(c, "imagePullPolicy");
  if (pull.empty()) required(causes, path + ".imagePullPolicy");
  else if (pull != "Always" && pull != "IfNotPresent" && pull != "Never") {
    not_supported(causes, path + ".imagePullPolicy", pull, {"Always", "IfNotPresent", "Never"});
  }
  validate_resources(c, path, causes);
  for (std::string_view key : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    validate_probe(c, key, path, causes);
  }
  for (std::string_view hook : {"postStart", "preStop"}) {
    if (const Value* h = at(c, "lifecycle", hook)) {
      validate_handler(*h, path + ".lifecycle." + std::string(hook), causes);
    }
  }
}

void validate_volumes(const Value& spec, const std::string& path, Pod& pod) {
  size_t i = 0;
  for (const Value& v : items(spec, "volumes")) {
    std::string here = element(path + ".volumes", i++);
    std::string_view name = text(v, "name");
    auto& causes = pod.causes;
    size_t sources = entries_of(&v).size() - (has(v, "name") ? 1 : 0);
    if (sources > 1) {
      size_t seen = 0;
      for (const auto& e : entries_of(&v)) {
        if (e.key.view() == "name" || seen++ == 0) continue;
        forbidden_field(causes, child(here, e.key), "may not specify more than 1 volume type");
      }
    }
    if (has(v, "secret") && text(v, "secret", "secretName").empty()) {
      required(causes, here + ".secret.secretName");
    }
    if (has(v, "configMap") && text(v, "configMap", "name").empty()) {
      required(causes, here + ".configMap.name");
    }
    if (has(v, "hostPath") && text(v, "hostPath", "path").empty()) {
      required(causes, here + ".hostPath.path");
    }
    if (has(v, "persistentVolumeClaim") && text(v, "persistentVolumeClaim", "claimName").empty()) {
      required(causes, here + ".persistentVolumeClaim.claimName");
    }
    if (name.empty()) {
      required(causes, here + ".name");
      continue;
    }
    auto bad = is_dns1123_label(name);
    for (const std::string& m : bad) invalid_value(causes, here + ".name", name, m);
    if (bad.empty() && !pod.volumes.insert(name).second) {
      duplicate(causes, here + ".name", make(name));
    }
  }
}

void validate_containers(const Value& spec, std::string_view key, const std::string& path,
                         std::set<std::string_view>& names, Pod& pod) {
  size_t i = 0;
  std::string list = child(path, key);
  for (const Value& c : items(spec, key)) {
    std::string here = element(list, i++);
    validate_container(c, here, pod);
    std::string_view name = text(c, "name");
    if (!name.empty() && !names.insert(name).second) duplicate(pod.causes, here + ".name", make(name));
  }
}

}  // namespace

void validate_pod_spec(const Value& spec, const std::string& path, std::vector<Cause>& causes) {
  Pod pod{{}, causes};
  validate_volumes(spec, path, pod);
  std::set<std::string_view> names;
  if (items(spec, "containers").empty()) required(causes, path + ".containers");
  validate_containers(spec, "containers", path, names, pod);
  validate_containers(spec, "initContainers", path, names, pod);
  std::string_view restart = text(spec, "restartPolicy");
  if (restart.empty()) required(causes, path + ".restartPolicy");
  else if (restart != "Always" && restart != "OnFailure" && restart != "Never") {
    not_supported(causes, path + ".restartPolicy", restart, {"Always", "OnFailure", "Never"});
  }
  std::string_view dns = text(spec, "dnsPolicy");
  if (dns.empty()) required(causes, path + ".dnsPolicy");
  else if (dns != "ClusterFirstWithHostNet" && dns != "ClusterFirst" && dns != "Default" && dns != "None") {
    not_supported(causes, path + ".dnsPolicy", dns,
                  {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"});
  }
  validate_labels(at(spec, "nodeSelector"), path + ".nodeSelector", causes);
  if (std::string_view account = text(spec, "serviceAccountName"); !account.empty()) {
    for (const std::string& m : is_dns1123_subdomain(account)) {
      invalid_value(causes, path + ".serviceAccountName", account, m);
    }
  }
  if (std::string_view node = text(spec, "nodeName"); !node.empty()) {
    for (const std::string& m : is_dns1123_subdomain(node)) {
      invalid_value(causes, path + ".nodeName", node, m);
    }
  }
  size_t n = 0;
  for (const Value& t : items(spec, "tolerations")) {
    const std::string here = element(path + ".tolerations", n++);
    const std::string_view op = text(t, "operator"), value = text(t, "value");
    if (text(t, "key").empty() && op != "Exists") {
      invalid_value(causes, here + ".operator", op, "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
    }
    if (op == "Exists" && !value.empty()) {
      invalid_value(causes, here + ".operator", value, "value must be empty when `operator` is 'Exists'");
    }
    if (!op.empty() && op != "Equal" && op != "Exists" && op != "Gt" && op != "Lt") {
      not_supported(causes, here + ".operator", op, {"Equal", "Exists"});
    }
  }
  if (const Value* deadline = at(spec, "activeDeadlineSeconds");
      deadline && (as_number(deadline, 0) < 1 || as_number(deadline, 0) > INT32_MAX)) {
    invalid_value(causes, path + ".activeDeadlineSeconds", *deadline,
                  cat("must be between 1 and ", INT32_MAX, ", inclusive"));
  }
  if (std::string_view host = text(spec, "hostname"); !host.empty()) {
    for (const std::string& m : is_dns1123_label(host)) {
      invalid_value(causes, path + ".hostname", host, m);
    }
  }
}

void validate_pod_template(const Value& pod_template, const std::string& path,
                           std::vector<Cause>& causes) {
  validate_labels(at(pod_template, "metadata", "labels"), path + ".labels", causes);
  static thread_local const Value nothing = empty_map();
  const Value* spec = at(pod_template, "spec");
  validate_pod_spec(spec ? *spec : nothing, path + ".spec", causes);
}

}  // namespace pintle::drydock
