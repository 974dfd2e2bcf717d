// A request's body -> the tree of an object, checked against its type as the API server's decoders
// do: unknown and duplicate fields are errors, warnings or nothing, as the client asked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "drydock/request.h"
#include "drydock/wire.h"

namespace pintle::drydock {

enum class FieldValidation : uint8_t { kIgnore, kWarn, kStrict };

struct Decoded {
  value::Value object;
  std::vector<std::string> warnings;  // `unknown field "zz"`
};

// Of a create or update. Errors: 415, and 400 in the decoders' words. kind and apiVersion are set.
Result<Decoded> decode_object(const httpd::Request& http, const Resource& resource, FieldValidation validation);
// Of DeleteOptions, Scale, Eviction and the like: any object; empty: nil.
Result<value::Value> decode_any(const httpd::Request& http);
// Checks an object that a patch made: the types of its fields.
Status check_fields(const Resource& resource, value::Value& object, std::vector<std::string>* unknown,
                    Refusal refusal = Refusal::kDecode);
// The paths of keys that stand twice in one JSON object: `data.a`.
std::vector<std::string> duplicate_fields(std::string_view json);

}  // namespace pintle::drydock
