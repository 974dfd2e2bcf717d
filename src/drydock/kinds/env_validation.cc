// What containers get into their environment, and references to fields of the pod.
#include <algorithm>

#include "base/gotext.h"
#include "cel/quantity.h"
#include "drydock/kinds/pod_parts.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

// "metadata.labels['a']" -> path and subscript; no subscript: false.
bool split_subscript(std::string_view field, std::string_view* path, std::string_view* subscript) {
  const size_t open = field.find("['");
  if (open == field.npos || open == 0 || !field.ends_with("']") || field.size() < open + 4) return false;
  *path = field.substr(0, open);
  *subscript = field.substr(open + 2, field.size() - open - 4);
  return true;
}

bool known_field(std::string_view field) {
  constexpr std::string_view kKnown[] = {
      "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid",
      "spec.nodeName", "spec.restartPolicy", "spec.serviceAccountName", "spec.schedulerName", "spec.host",
      "status.phase", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"};
  return std::find(std::begin(kKnown), std::end(kKnown), field) != std::end(kKnown);
}

void key_ref(const Value& ref, const std::string& path, std::vector<Cause>& causes) {
  complain(causes, path + ".name", text(ref, "name"), is_dns1123_subdomain(text(ref, "name")));
  const std::string_view key = text(ref, "key");
  if (key.empty()) required(causes, path + ".key");
  else complain(causes, path + ".key", key, is_config_key(key));
}

void file_ref(const Value& ref, const std::string& path, std::vector<Cause>& causes) {
  const std::string_view key = text(ref, "key"), volume = text(ref, "volumeName"), file = text(ref, "path");
  if (key.empty()) required(causes, path + ".key");
  else complain(causes, path + ".key", key, is_env_name(key));
  name_with(volume, path + ".volumeName", causes);
  if (file.empty()) required(causes, path + ".path");
  else no_backsteps(causes, path + ".path", file);
}

void value_from(const Value& e, const Value& from, const std::string& path, std::vector<Cause>& causes) {
  size_t sources = 0;
  for (std::string_view key : {"fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"}) {
    const Value* ref = at(from, key);
    if (!ref) continue;
    ++sources;
    const std::string here = child(path, key);
    if (key == "fieldRef") validate_field_ref(*ref, RefOf::kEnv, here, causes);
    else if (key == "resourceFieldRef") validate_resource_ref(*ref, RefOf::kEnv, here, causes);
    else if (key == "fileKeyRef") file_ref(*ref, here, causes);
    else key_ref(*ref, here, causes);
  }
  if (sources == 0) {
    invalid_value(causes, path, "",
                  "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`");
  } else if (!text(e, "value").empty()) {
    invalid_value(causes, path, "", "may not be specified when `value` is not empty");
  } else if (sources > 1) {
    invalid_value(causes, path, "", "may not have more than one field specified at a time");
  }
}

}  // namespace

void validate_field_ref(const Value& ref, RefOf of, const std::string& path, std::vector<Cause>& causes) {
  const std::string_view version = text(ref, "apiVersion"), field = text(ref, "fieldPath");
  if (version.empty()) return required(causes, path + ".apiVersion");
  if (field.empty()) return required(causes, path + ".fieldPath");
  auto refuse = [&](std::string_view why, std::string_view what) {
    invalid_value(causes, path + ".fieldPath", field, cat("error converting fieldPath: ", why, what));
  };
  if (version != "v1") return refuse("unsupported pod version: ", version);
  std::string_view map, key;
  if (split_subscript(field, &map, &key)) {
    if (map != "metadata.annotations" && map != "metadata.labels") {
      return refuse("field label does not support subscript: ", field);
    }
    const std::string name = map == "metadata.annotations" ? to_lower(key) : std::string(key);
    return complain(causes, path, name, is_label_key(name));
  }
  if (!known_field(field)) return refuse("field label not supported: ", field);
  if (of == RefOf::kVolume) {
    one_of(causes, path + ".fieldPath", field,
           {"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"});
  } else {
    one_of(causes, path + ".fieldPath", field == "spec.host" ? "spec.nodeName" : field,
           {"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
            "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"});
  }
}

void validate_resource_ref(const Value& ref, RefOf of, const std::string& path, std::vector<Cause>& causes) {
  const std::string_view resource = text(ref, "resource");
  const bool huge = resource.starts_with("limits.hugepages-") || resource.starts_with("requests.hugepages-");
  if (of == RefOf::kVolume && text(ref, "containerName").empty()) {
    required(causes, path + ".containerName");
  } else if (resource.empty()) {
    required(causes, path + ".resource");
  } else if (!huge) {
    one_of(causes, path + ".resource", resource,
           {"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage",
            "requests.memory"});
  }
  const std::string_view divisor = text(ref, "divisor");
  if (const auto q = cel::parse_quantity(divisor); divisor.empty() || (q && q->nano == 0)) return;
  const bool cpu = resource.ends_with(".cpu");
  const auto sizes = {"1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"};
  const bool good = cpu ? divisor == "1" || divisor == "1m" : std::find(sizes.begin(), sizes.end(), divisor) != sizes.end();
  std::string_view what = huge ? "hugepages" : "";
  if (resource.ends_with(".memory")) what = "memory";
  if (resource.ends_with(".ephemeral-storage")) what = "local ephemeral storage";
  if (good || (!cpu && what.empty())) return;
  invalid_value(causes, path + ".divisor", resource,
                cpu ? std::string("only divisor's values 1m and 1 are supported with the cpu resource")
                    : cat("only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported "
                          "with the ", what, " resource"));
}

void validate_env(const Value& container, const std::string& path, std::vector<Cause>& causes) {
  size_t i = 0;
  for (const Value& e : items(container, "env")) {
    const std::string here = element(path + ".env", i++);
    const std::string_view name = text(e, "name");
    if (name.empty()) required(causes, here + ".name");
    else complain(causes, here + ".name", name, is_env_name(name));
    if (const Value* from = at(e, "valueFrom")) value_from(e, *from, here + ".valueFrom", causes);
  }
  i = 0;
  for (const Value& e : items(container, "envFrom")) {
    const std::string here = element(path + ".envFrom", i++);
    const std::string_view prefix = text(e, "prefix");
    if (!prefix.empty()) complain(causes, here + ".prefix", prefix, is_env_name(prefix));
    size_t sources = 0;
    for (std::string_view key : {"configMapRef", "secretRef"}) {
      const Value* ref = at(e, key);
      if (!ref) continue;
      ++sources;
      const std::string at_name = child(here, key) + ".name";
      const std::string_view name = text(*ref, "name");
      if (name.empty()) required(causes, at_name);
      else complain(causes, at_name, name, is_dns1123_subdomain(name));
    }
    if (sources == 0) invalid_value(causes, path + ".envFrom", "", "must specify one of: `configMapRef` or `secretRef`");
    if (sources > 1) {
      invalid_value(causes, path + ".envFrom", "", "may not have more than one field specified at a time");
    }
  }
}

}  // namespace pintle::drydock
