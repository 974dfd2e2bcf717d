// OpenAPI v3 (one document per group version) and v2, made from the types the server checks with.
// Descriptions are not among them: kubectl explain shows fields and types without their texts.
// Cost: a document is made at each request; clients keep it by its hash.
#pragma once

#include "drydock/catalog.h"
#include "drydock/request.h"

namespace pintle::drydock {

Result<httpd::Response> serve_openapi(const Catalog& catalog, const ApiRequest& request);

}  // namespace pintle::drydock
