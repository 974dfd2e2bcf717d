// A manifest stream to Objects: documents split, Lists flattened, kinds mapped to resources, the
// namespace defaulted (cli-runtime's resource builder). Inside this room.
#pragma once

#include <string_view>

#include "base/result.h"
#include "kube/cluster.h"
#include "kube/discovery.h"

namespace pintle::kube {

// Every document is looked at; several errors are joined as "[a, b]".
Result<Objects> build_objects(std::string_view manifest, std::string_view ns, Discovery& discovery);

}  // namespace pintle::kube
