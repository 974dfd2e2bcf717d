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
// Is it still of the resource's kind and version? Absent ones count as such.
Status check_kind(const Resource& resource, const value::Value& object);
// A kind that is no resource of its own (Eviction, Binding, TokenRequest, Scale), for decode_object.
ResourcePtr kind_of_body(std::string_view group, std::string_view kind);
// Of DeleteOptions: any object; empty: nil.
Result<value::Value> decode_any(const httpd::Request& http);
// Checks the types of an object's fields. `written`, where given, is the JSON text its numbers were
// read from: Go's decoder takes 1.0 for no integer, and says it as it stands.
Status check_fields(const Resource& resource, value::Value& object, std::vector<std::string>* unknown,
                    Refusal refusal = Refusal::kDecode, std::string_view written = {});

}  // namespace pintle::drydock
