// Is an openAPIV3Schema structural: does it say at every node what may stand there
// (apiextensions-apiserver's pkg/apiserver/schema and its API validation, with their words)? Pure;
// schemas deeper than 100 levels are refused.
#pragma once

#include <string>
#include <vector>

#include "drydock/kinds.h"

namespace pintle::drydock {

void check_structural(const value::Value& schema, const std::string& path, bool has_status,
                      std::vector<Cause>& causes);

}  // namespace pintle::drydock
