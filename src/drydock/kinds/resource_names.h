// Which names of resources (cpu, pods, example.com/gpu) Kubernetes knows, and what their quantities may
// be: k8s.io/kubernetes/pkg/apis/core/helper.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "drydock/kinds.h"
#include "drydock/tree.h"

namespace pintle::drydock {

void validate_resource_name(std::string_view name, const std::string& path, std::vector<Cause>& causes);
void validate_container_resource_name(std::string_view name, const std::string& path, std::vector<Cause>& causes);
void validate_quota_resource_name(std::string_view name, const std::string& path, std::vector<Cause>& causes);
// Not negative; whole where the resource is counted.
void validate_quantity(std::string_view name, const Value& quantity, const std::string& path, std::vector<Cause>& causes);
void validate_positive_quantity(const Value& quantity, const std::string& path, std::vector<Cause>& causes);
bool is_quota_scope(std::string_view scope);
bool scope_fits(std::string_view scope, std::string_view resource);
bool overcommit_allowed(std::string_view name);

}  // namespace pintle::drydock
