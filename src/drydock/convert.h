// Conversion between the version an object is stored in and the others it is served in. Most pairs
// differ in apiVersion only; HorizontalPodAutoscaler v1 and events.k8s.io/v1 differ in fields.
#pragma once

#include "drydock/resource.h"
#include "value/value.h"

namespace pintle::drydock {

bool needs_conversion(const Resource& served);  // fields differ, not only kind and apiVersion
void convert_from_stored(const Resource& served, value::Value& object);
void convert_to_stored(const Resource& served, const Resource& stored, value::Value& object);

}  // namespace pintle::drydock
