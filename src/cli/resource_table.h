// The objects of a release as kubectl prints them: "==> v1/Pod", a header, rows.
#pragma once

#include <string>

#include "value/value.h"

namespace pintle::cli {

// `resources`: lists of the server's Table answers by "v1/Pod"; sorted by that name.
std::string resource_tables(const value::Value& resources);

}  // namespace pintle::cli
