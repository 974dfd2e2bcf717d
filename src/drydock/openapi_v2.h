// OpenAPI v2 in the one form that client-go asks for: the document as gnostic's protobuf
// (openapi.v2.Document), where every extension `x-...` is a text of YAML, here its JSON.
#pragma once

#include <string>
#include <string_view>

#include "value/value.h"

namespace pintle::drydock {

// What client-go asks for, and the answer's type: it parses that, and stumbles over the @.
constexpr std::string_view kAcceptOpenApiV2Protobuf =
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
constexpr std::string_view kOpenApiV2Protobuf =
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

// `document`: the same as JSON. What it has and gnostic's schema has no field for is left out.
std::string openapi_v2_protobuf(const value::Value& document);

}  // namespace pintle::drydock
