// The form in which Go's types would write an object back: fields with omitempty vanish when zero,
// plain structs stand as {}, quantities and times are canonical, unknown fields are gone. The table
// is generated from the published API types (tools/make_wire_tables.go): no set-up cost, thread-safe.
//
// The machinery calls this after decoding a built-in object and before the kind's defaults.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/value.h"

namespace pintle::drydock {

// True when group/version/kind is in the table.
bool has_wire_form(std::string_view group, std::string_view version, std::string_view kind);

// Whose words say that a value does not fit: encoding/json's, or those of apimachinery's converter of
// trees ("cannot convert int64 to string").
enum class Refusal { kDecode, kConvert };

// Changes `object` in place. `unknown`, where given, gets the paths of fields the type does not have
// ("spec.replicaz", "spec.template.spec.containers[0].imagee"), in document order.
// Errors: the decoder's words: "json: cannot unmarshal string into Go struct field
// DeploymentSpec.spec.replicas of type int32", "quantities must match the regular expression ...".
// `written`: the JSON text the numbers came from, where it matters how they stand there (body_text.h).
Status to_wire(std::string_view group, std::string_view version, std::string_view kind,
               value::Value& object, std::vector<std::string>* unknown = nullptr,
               Refusal refusal = Refusal::kDecode, std::string_view written = {});

}  // namespace pintle::drydock
