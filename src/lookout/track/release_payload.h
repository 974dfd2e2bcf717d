// What is in a release record beside its labels: Helm's payload, read without building a tree and
// within bounds, for whoever was told "deployed" wants to know what. Inside this room only; pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace pintle::lookout {

// The object of a Secret or ConfigMap, with its `data` replaced by what the payload says (JSON of
// Helm 3 and 4, protobuf of Helm 2): "condensed": {name, namespace, chart, chart_version,
// app_version, description, values_digest, images, broken}. The payload of a superseded record is
// left out unread; one that is too large, a bomb or garbage is "broken". Error: the object is no
// JSON.
Result<std::string> condense_release(std::string json);

// metadata.managedFields without what they list (managers.h). For any object.
Result<std::string> trim_managed_fields(std::string json);

}  // namespace pintle::lookout
