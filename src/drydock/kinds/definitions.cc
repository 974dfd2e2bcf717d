// CustomResourceDefinition: its checks are custom_definition.cc's.
#include <algorithm>

#include "drydock/custom_resources.h"
#include "drydock/kinds/families.h"

namespace pintle::drydock {
namespace {

void keep_stored_versions(Value& object) {
  Value& status = ensure(object, "status");
  for (const Value& v : items(object, "spec", "versions")) {
    if (!flag(v, "storage")) continue;
    auto held = items(status, "storedVersions");
    bool there = std::any_of(held.begin(), held.end(), [&](const Value& s) {
      return s.is_string() && s.as_string() == text(v, "name");
    });
    if (!there) push(status, "storedVersions", make(text(v, "name")));
  }
}

Status definition_create(World&, Value& object) {
  Value status = empty_map();
  put(ensure(status, "acceptedNames"), "kind", "");
  put(ensure(status, "acceptedNames"), "plural", "");
  put(status, "conditions", Value());
  put(object, "status", std::move(status));
  keep_stored_versions(object);
  return ok();
}

Status definition_update(World&, Value& object, const Value& old) {
  copy_entry(object, old, "status");
  keep_stored_versions(object);
  return ok();
}

void definition_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  validate_definition(object, old, causes);
  if (!causes.empty()) return;
  if (auto parsed = parse_definition(object); !parsed) {
    causes.push_back({"FieldValueInvalid", "Invalid value: " + std::string(parsed.error().text()),
                      "spec.versions"});
  }
}

void definition_removing(World& world, Value& object) {
  for (const Value& f : items(object, "metadata", "finalizers")) {
    if (f.is_string() && f.as_string() == kDefinitionFinalizer) return;
  }
  push(ensure(object, "metadata"), "finalizers", make(kDefinitionFinalizer));
  Value condition = empty_map();
  put(condition, "type", "Terminating");
  put(condition, "status", "True");
  put(condition, "lastTransitionTime", world.now());
  put(condition, "reason", "InstanceDeletionPending");
  put(condition, "message",
      "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon");
  push(ensure(object, "status"), "conditions", std::move(condition));
}

}  // namespace

void add_definition_kinds(std::vector<KindRules>& out) {
  out.push_back({.group = kDefinitionGroup, .kind = "CustomResourceDefinition",
                 .defaults = default_definition, .create = definition_create,
                 .update = definition_update, .validate = definition_validate, .generation = true,
                 .removing = definition_removing});
}

}  // namespace pintle::drydock
