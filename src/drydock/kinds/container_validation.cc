// Containers: names, ports, mounts, and the policies that stand beside them.
#include <algorithm>
#include <set>

#include "drydock/kinds/pod_parts.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

void validate_ports(const Value& c, const std::string& path, std::vector<Cause>& causes) {
  std::set<std::string_view> names;
  size_t i = 0;
  for (const Value& p : items(c, "ports")) {
    const std::string here = element(path, i++);
    if (std::string_view name = text(p, "name"); !name.empty()) {
      const auto bad = is_port_name(name);
      complain(causes, here + ".name", name, bad);
      if (bad.empty() && !names.insert(name).second) duplicate(causes, here + ".name", make(name));
    }
    const int64_t port = number(p, "containerPort"), host = number(p, "hostPort");
    if (port == 0) required(causes, here + ".containerPort");
    else if (!is_port(port)) invalid_value(causes, here + ".containerPort", make(port), kPortRange);
    if (host != 0 && !is_port(host)) invalid_value(causes, here + ".hostPort", make(host), kPortRange);
    one_of_or_required(causes, here + ".protocol", text(p, "protocol"), {"SCTP", "TCP", "UDP"});
  }
}

// No two containers of `list` may take one port of the host.
void validate_host_ports(std::span<const Value> list, const std::string& path, std::vector<Cause>& causes) {
  std::set<std::string> taken;
  for (size_t c = 0; c < list.size(); ++c) {
    auto ports = items(list[c], "ports");
    for (size_t i = 0; i < ports.size(); ++i) {
      const int64_t host = number(ports[i], "hostPort");
      if (host == 0) continue;
      std::string key = cat(text(ports[i], "protocol"), "/", text(ports[i], "hostIP"), "/", host);
      if (taken.contains(key)) duplicate(causes, element(element(path, c) + ".ports", i) + ".hostPort", make(key));
      taken.insert(std::move(key));
    }
  }
}

bool holds(std::span<const Value> list, std::string_view key, std::string_view wanted) {
  return std::any_of(list.begin(), list.end(), [&](const Value& v) { return text(v, key) == wanted; });
}

void validate_mounts(const Value& c, const std::string& path, PodParts& pod) {
  auto& causes = pod.causes;
  auto devices = items(c, "volumeDevices");
  std::set<std::string_view> paths;
  size_t i = 0;
  for (const Value& m : items(c, "volumeMounts")) {
    const std::string here = element(path, i++);
    const std::string_view name = text(m, "name"), mount = text(m, "mountPath");
    const std::string_view sub = text(m, "subPath"), expression = text(m, "subPathExpr");
    if (name.empty()) required(causes, here + ".name");
    if (!pod.volumes.contains(name)) not_found_value(causes, here + ".name", name);
    if (mount.empty()) required(causes, here + ".mountPath");
    if (!paths.insert(mount).second) invalid_value(causes, here + ".mountPath", mount, "must be unique");
    if (holds(devices, "name", name)) {
      invalid_value(causes, here + ".name", name, "must not already exist in volumeDevices");
    }
    if (holds(devices, "devicePath", mount)) {
      invalid_value(causes, here + ".mountPath", mount, "must not already exist as a path in volumeDevices");
    }
    if (!sub.empty()) descending_path(causes, path + ".subPath", sub);
    if (!expression.empty()) {
      if (!sub.empty()) {
        invalid_value(causes, here + ".subPathExpr", expression, "subPathExpr and subPath are mutually exclusive");
      }
      descending_path(causes, path + ".subPathExpr", expression);
    }
    const std::string_view spread = text(m, "mountPropagation"), read_only = text(m, "recursiveReadOnly");
    if (has(m, "mountPropagation")) {
      one_of(causes, path + ".mountPropagation", spread, {"Bidirectional", "HostToContainer", "None"});
      if (spread == "Bidirectional" && !flag(c, "securityContext", "privileged")) {
        forbidden_field(causes, path + ".mountPropagation",
                        "Bidirectional mount propagation is available only to privileged containers");
      }
    }
    if (!has(m, "recursiveReadOnly") || read_only == "Disabled") continue;
    one_of(causes, path + ".recursiveReadOnly", read_only, {"Disabled", "Enabled", "IfPossible"});
    if (read_only != "Enabled" && read_only != "IfPossible") continue;
    if (!flag(m, "readOnly")) {
      forbidden_field(causes, path + ".recursiveReadOnly", "may only be specified when readOnly is true");
    }
    if (has(m, "mountPropagation") && spread != "None") {
      forbidden_field(causes, path + ".recursiveReadOnly",
                      "may only be specified when mountPropagation is None or not specified");
    }
  }
}

void validate_devices(const Value& c, const std::string& path, PodParts& pod) {
  auto& causes = pod.causes;
  auto mounts = items(c, "volumeMounts");
  std::set<std::string_view> names, paths;
  size_t i = 0;
  for (const Value& d : items(c, "volumeDevices")) {
    const std::string here = element(path, i++);
    const std::string_view name = text(d, "name"), device = text(d, "devicePath");
    const auto volume = pod.volumes.find(name);
    if (name.empty()) required(causes, here + ".name");
    if (names.contains(name)) invalid_value(causes, here + ".name", name, "must be unique");
    if (volume == pod.volumes.end()) {
      not_found_value(causes, here + ".name", name);
    } else if (!has(*volume->second, "persistentVolumeClaim") && !has(*volume->second, "ephemeral")) {
      invalid_value(causes, here + ".name", name,
                    "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
    }
    if (device.empty()) required(causes, here + ".devicePath");
    if (paths.contains(device)) invalid_value(causes, here + ".devicePath", device, "must be unique");
    std::vector<Cause> steps;
    no_backsteps(steps, "", device);
    if (!steps.empty()) invalid_value(causes, here + ".devicePath", device, "can not contain backsteps ('..')");
    else paths.insert(device);
    if (holds(mounts, "name", name)) {
      invalid_value(causes, here + ".name", name, "must not already exist in volumeMounts");
    }
    if (holds(mounts, "mountPath", device)) {
      invalid_value(causes, here + ".devicePath", device, "must not already exist as a path in volumeMounts");
    }
    if (!name.empty()) names.insert(name);
  }
}

void validate_resizing(const Value& c, const std::string& path, const PodParts& pod) {
  auto& causes = pod.causes;
  std::set<std::string_view> seen;
  size_t i = 0;
  for (const Value& p : items(c, "resizePolicy")) {
    const std::string_view resource = text(p, "resourceName"), restart = text(p, "restartPolicy");
    if (!seen.insert(resource).second) duplicate(causes, element(path, i), make(resource));
    ++i;
    one_of_or_required(causes, path, resource, {"cpu", "memory"});
    one_of_or_required(causes, path, restart, {"NotRequired", "RestartContainer"});
    if (text(pod.spec, "restartPolicy") == "Never" && restart != "NotRequired") {
      invalid_value(causes, path, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  }
}

void validate_container(const Value& c, const std::string& path, PodParts& pod) {
  auto& causes = pod.causes;
  name_with(text(c, "name"), path + ".name", causes);
  if (text(c, "image").empty()) required(causes, path + ".image");
  one_of_or_required(causes, path + ".terminationMessagePolicy", text(c, "terminationMessagePolicy"),
                     {"File", "FallbackToLogsOnError"});
  validate_ports(c, path + ".ports", causes);
  validate_env(c, path, causes);
  validate_mounts(c, path + ".volumeMounts", pod);
  validate_devices(c, path + ".volumeDevices", pod);
  one_of_or_required(causes, path + ".imagePullPolicy", text(c, "imagePullPolicy"),
                     {"Always", "IfNotPresent", "Never"});
  validate_resources(at(c, "resources"), pod, path + ".resources");
  validate_resizing(c, path + ".resizePolicy", pod);
  validate_container_security(at(c, "securityContext"), pod, path + ".securityContext");
}

void restart_policy(const Value& c, const std::string& path, std::vector<Cause>& causes) {
  if (!has(c, "restartPolicy")) return;
  one_of(causes, path + ".restartPolicy", text(c, "restartPolicy"), {"Always", "Never", "OnFailure"});
}

}  // namespace

void validate_containers(PodParts& pod, const std::string& path) {
  auto& causes = pod.causes;
  auto containers = items(pod.spec, "containers"), init = items(pod.spec, "initContainers");
  std::set<std::string_view> names;
  if (containers.empty()) required(causes, path + ".containers");
  for (size_t i = 0; i < containers.size(); ++i) {
    const Value& c = containers[i];
    const std::string here = element(path + ".containers", i);
    validate_container(c, here, pod);
    if (!names.insert(text(c, "name")).second) duplicate(causes, here + ".name", make(text(c, "name")));
    validate_lifecycle(c, pod, here);
    validate_probes(c, pod, here);
    restart_policy(c, here, causes);
  }
  validate_host_ports(containers, path + ".containers", causes);
  for (size_t i = 0; i < init.size(); ++i) {
    const Value& c = init[i];
    const std::string here = element(path + ".initContainers", i);
    validate_container(c, here, pod);
    restart_policy(c, here, causes);
    if (std::string_view name = text(c, "name"); !name.empty() && !names.insert(name).second) {
      duplicate(causes, here + ".name", make(name));
    }
    validate_host_ports(init.subspan(i, 1), path + ".initContainers", causes);
    if (text(c, "restartPolicy") == "Always") {
      validate_lifecycle(c, pod, here);
      validate_probes(c, pod, here);
      continue;
    }
    for (std::string_view key : {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
      if (has(c, key)) {
        forbidden_field(causes, child(here, key), "may not be set for init containers without restartPolicy=Always");
      }
    }
  }
}

}  // namespace pintle::drydock
