// From a CustomResourceDefinition to what is served: one Resource for each of its versions. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "drydock/custom_schema.h"
#include "drydock/resource.h"
#include "value/value.h"

namespace pintle::drydock {

inline constexpr std::string_view kDefinitionGroup = "apiextensions.k8s.io";
inline constexpr std::string_view kDefinitionPlural = "customresourcedefinitions";
inline constexpr std::string_view kDefinitionFinalizer = "customresourcecleanup.apiextensions.k8s.io";

// None unless the definition's condition Established is True. One that is being deleted (condition
// Terminating) takes no writes but deletes. Newest version first, as discovery orders them.
std::vector<ResourcePtr> custom_resources(const value::Value& crd);

// Complaints as of validate_custom, by the schema of the version objects are stored in; what was
// wrong with `old` already may stay. When the object has the shape it should, its rules are asked.
void validate_custom_object(const Resource& resource, const value::Value& object, const value::Value* old,
                            std::vector<Cause>& causes, std::vector<std::string>* warnings);

// What kubectl prints of a custom resource after NAME; see custom_cell.
const std::vector<CustomColumn>& custom_columns(const Resource& resource);

// Writes at a simple path (".spec.replicas"), making maps on the way.
void put_at_path(value::Value& object, std::string_view json_path, value::Value v);

}  // namespace pintle::drydock
