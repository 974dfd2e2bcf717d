// What every kind with a pod template shares: defaults and validation of metadata and spec.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "drydock/kinds.h"
#include "drydock/tree.h"

namespace pintle::drydock {

// SetObjectDefaults of a pod's spec; `template_of` a workload has no enableServiceLinks.
void default_pod_spec(Value& spec);
void default_pod_template(Value& owner, std::string_view key = "template");
// {metadata, spec} of a template at `path` ("spec.template").
void validate_pod_template(const Value& pod_template, const std::string& path, std::vector<Cause>& causes);
void validate_pod_spec(const Value& spec, const std::string& path, std::vector<Cause>& causes);
// Does the last path segment of an image reference lack a tag and digest, or say "latest"?
bool image_is_latest(std::string_view image);

}  // namespace pintle::drydock
