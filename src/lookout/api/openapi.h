// The OpenAPI 3.1 document of the API: its routes and schemas, told by their two tables. Pure;
// thread-safe.
#pragma once

#include <string>

namespace pintle::lookout {

const std::string& openapi_json();

}  // namespace pintle::lookout
