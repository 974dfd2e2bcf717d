// What the API server demands of metadata (apimachinery/pkg/api/validation/objectmeta.go), with its
// messages. Pure. Each kind has its own rule for names; most are DNS subdomains.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "drydock/kinds.h"

namespace pintle::drydock {

// On create, once a name has been generated. The object's fields are complete.
void validate_object_meta(std::string_view group, std::string_view kind, bool namespaced,
                          const value::Value& object, std::vector<Cause>& causes);
void validate_annotations(const value::Value* annotations, const std::string& path, std::vector<Cause>& out);
// On update; `object` carries what would be stored.
void validate_object_meta_update(const value::Value& object, const value::Value& old,
                                 std::vector<Cause>& causes);

}  // namespace pintle::drydock
