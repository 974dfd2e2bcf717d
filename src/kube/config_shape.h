// The shape of a kubeconfig file, held as client-go's decoder holds it, with its error texts. Pure.
#pragma once

#include "base/result.h"
#include "value/value.h"

namespace pintle::kube {

// `root`: the file as yaml::read_exact reads it; null is an empty file. Unknown fields and null where
// something is due pass. Error: the first, fields in order of name: `couldn't get version/kind; ...`,
// `no kind "Pod" is registered ...`, `json: cannot unmarshal number into Go struct field
// Config.contexts of type []v1.NamedContext`, `illegal base64 data at input byte 0`.
Status check_shape(const value::Value& root);

}  // namespace pintle::kube
