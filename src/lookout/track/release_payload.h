// What is in a release record beside its labels: Helm's payload, read without building a tree and
// within bounds, for whoever was told "deployed" wants to know what. Inside this room only; pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace pintle::lookout {

// The object of a Secret or ConfigMap, with its `data` replaced by what the payload says:
// "condensed": {name, namespace, chart, chart_version, app_version, description, first_deployed,
// last_deployed, values_digest, images, broken}. The payload of a superseded record, of Helm 2 (it
// is protobuf) and of one that is too large is left out unread. Error: the object is no JSON.
Result<std::string> condense_release(std::string json);

// metadata.managedFields without what they list: who, how and when stay. For any object.
Result<std::string> trim_managed_fields(std::string json);

}  // namespace pintle::lookout
