// What kinds of objects the server holds: built-in ones from one data table (recorded discovery),
// custom ones added and removed with their CustomResourceDefinitions.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "patch/schema.h"

namespace pintle::drydock {

struct CustomVersion;  // custom_schema.h

// One resource in one version. The group and plural name where objects are stored; versions of one
// resource share their objects.
struct Resource {
  std::string group, version, plural, singular, kind;  // group "" is the core group
  bool namespaced = true;
  std::vector<std::string> verbs, short_names, categories;
  std::vector<std::string> subresources;  // "status", "scale", "log" ...
  const patch::Type* type = nullptr;      // null: nothing known, everything is kept
  // shared_ptr: requests under way keep the types of a definition that is being replaced.
  std::shared_ptr<const patch::TypeSet> custom_types;
  std::shared_ptr<const CustomVersion> custom_version;
  std::string schema_json;               // of a custom resource: its openAPIV3Schema
  bool served = true, stored = false;    // of a custom resource: what its version is for
  bool custom() const { return custom_types != nullptr; }
  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
};

// shared_ptr: a custom resource may be withdrawn while a request or watch still uses it.
using ResourcePtr = std::shared_ptr<const Resource>;

}  // namespace pintle::drydock
