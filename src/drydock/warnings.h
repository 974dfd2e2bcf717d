// What an API server warns of where it takes an object all the same (Warning headers): names that pods
// and hostnames cannot carry, values that mean something else. Pure.
#pragma once

#include <string>
#include <vector>

#include "drydock/resource.h"
#include "value/value.h"

namespace pintle::drydock {

std::vector<std::string> warnings_of(const Resource& resource, const value::Value& object);
// Pod templates are looked at only where the object's generation grew.
std::vector<std::string> warnings_of_update(const Resource& resource, const value::Value& object, const value::Value& old);
// Of a delete that says nothing of dependents.
std::vector<std::string> warnings_of_delete(const Resource& resource);

}  // namespace pintle::drydock
