// YAML streams split into documents as k8s.io/apimachinery's YAMLReader does: at lines that start
// with "---" and go on with white space or a comment at most. Line ends come out as "\n".
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"

namespace pintle::chart {

// Calls `each` with every document in order; a view lives for the call. Empty ones are skipped.
// Error: "invalid Yaml document separator: TEXT" (`bad_separator` is put in front), or each's.
Status each_document(std::string_view text, const std::function<Status(std::string_view)>& each,
                     std::string_view bad_separator = {});

}  // namespace pintle::chart
