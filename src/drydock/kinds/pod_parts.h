// The parts of a pod's spec, one checker each, as validate_pod_spec puts them together. Paths, order and
// words are those of k8s.io/kubernetes/pkg/apis/core/validation.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "drydock/kinds.h"
#include "drydock/tree.h"

namespace pintle::drydock {

struct PodParts {
  const Value& spec;
  std::vector<Cause>& causes;
  std::map<std::string_view, const Value*> volumes{};  // the good ones, by name
  int64_t grace() const { return number_or(30, spec, "terminationGracePeriodSeconds"); }
};

// Fills pod.volumes, for the containers' mounts.
void validate_volumes(PodParts& pod, const std::string& path);
void validate_containers(PodParts& pod, const std::string& path);
void validate_env(const Value& container, const std::string& path, std::vector<Cause>& causes);
void validate_resources(const Value* resources, const PodParts& pod, const std::string& path);
void validate_probes(const Value& container, const PodParts& pod, const std::string& path);
void validate_lifecycle(const Value& container, const PodParts& pod, const std::string& path);
void validate_container_security(const Value* context, const PodParts& pod, const std::string& path);
void validate_pod_security(const Value* context, const std::string& path, std::vector<Cause>& causes);
void validate_affinity(const Value* affinity, const std::string& path, std::vector<Cause>& causes);
void validate_spread(const Value& spec, const std::string& path, std::vector<Cause>& causes);
void validate_tolerations(const Value& spec, const std::string& path, std::vector<Cause>& causes);
// fieldRef and resourceFieldRef: volumes take fewer fields, and name the container.
enum class RefOf : uint8_t { kEnv, kVolume };
void validate_field_ref(const Value& ref, RefOf of, const std::string& path, std::vector<Cause>& causes);
void validate_resource_ref(const Value& ref, RefOf of, const std::string& path, std::vector<Cause>& causes);

void name_with(std::string_view name, const std::string& path, std::vector<Cause>& causes);  // a DNS label

}  // namespace pintle::drydock
