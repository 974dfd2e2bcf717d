// Kubernetes' protobuf bodies -> object trees: typed clients of today send nothing else for built-in
// kinds. Answers are JSON, which the same clients accept. Pure, thread-safe; depth is bounded.
#pragma once

#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace pintle::drydock {

// "k8s\0" and a runtime.Unknown. kind and apiVersion are the envelope's.
// Errors: no envelope, a kind without a table, a cut or malformed message.
Result<value::Value> read_protobuf(std::string_view body);

}  // namespace pintle::drydock
