// metadata.managedFields: who owns which fields of an object, read, changed and written as the API
// server does (apimachinery/pkg/util/managedfields). Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "patch/apply.h"
#include "patch/field_set.h"

namespace pintle::patch {

struct Owner {
  std::string name, api_version, subresource, time;  // time "": none
  bool applied = false;                              // operation Apply, else Update
  FieldSet fields;
};
// By identity: name, operation, subresource and, for updates, version; written as the server's
// identifiers, whose order decides among equal times.
using Owners = std::map<std::string, Owner>;

std::string identity_of(const Owner& owner);

// Errors: "operation must be `Apply` or `Update`", "apiVersion must not be empty" ...
Result<Owners> read_owners(const value::Value& object);
// Does the object carry managedFields that reset them: [] or [{}]?
bool resets_owners(const value::Value& object);
// A copy of the object with managedFields set; absent when nobody owns anything.
value::Value with_owners(const value::Value& object, const Owners& owners);
value::Value without_owners(const value::Value& object);

// At most ten update entries: the oldest become one "ancient-changes" entry per version.
void cap_updates(Owners& owners);

// `"x" with subresource "status" using apps/v1`: how a conflict names an owner.
std::string describe(const Owner& owner);

// Fields that are nobody's: names, uid, resourceVersion and kin.
const FieldSet& unowned_fields();
// Fields that a request on this subresource cannot change (the strategies' GetResetFields). For
// kinds that are not built in: status, when `custom_status`, and everything else on status.
FieldSet reset_fields(std::string_view group, std::string_view kind, std::string_view subresource,
                      bool custom_status);

// What an empty object of a built-in kind holds besides metadata, as Go writes it; {} for others.
value::Value empty_object(std::string_view api_version, std::string_view kind);

}  // namespace pintle::patch
