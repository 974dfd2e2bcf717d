// How Go's JSON prints one of the API server's own structs, which have no tags: every field stands, in
// the struct's order and with its Go name. Refusals show such structs. Pure.
#pragma once

#include <string>
#include <string_view>

#include "value/value.h"

namespace pintle::drydock {

// `fields`: "Type=\"\",RollingUpdate{Partition=0,MaxUnavailable}": a name, what stands when it is absent
// (else null), and the fields of a struct within. The object's key is the name as Go's tags spell it:
// SELinuxOptions is seLinuxOptions, IPFamilies is ipFamilies. An absent object prints null.
std::string go_struct(const value::Value* object, std::string_view fields);

}  // namespace pintle::drydock
