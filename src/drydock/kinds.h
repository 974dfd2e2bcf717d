// What is special about a kind, as the API server's registry strategies have it: defaults, fields the
// server sets, what may not change, validation with Kubernetes' messages, and the columns kubectl
// prints. kinds/*.cc holds one file per family; a kind without a row gets the common rules only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "drydock/world.h"
#include "value/value.h"

namespace pintle::drydock {

// One entry of a Status's details.causes: field.Error.
struct Cause {
  std::string reason;   // "FieldValueRequired"
  std::string message;  // "Required value: ..."; the whole text is field + ": " + message
  std::string field;    // "spec.containers[0].name"
};

struct Column {
  std::string name, type, format, description;
  int priority = 0;
};

struct KindRules {
  std::string_view group, kind;
  // Fills in defaults in place (SetObjectDefaults_X); runs on every write, after to_wire (wire.h) and
  // before anything else.
  void (*defaults)(value::Value& object) = nullptr;
  // PrepareForCreate: status cleared, allocations (ClusterIP, node ports). May refuse.
  Status (*create)(World& world, value::Value& object) = nullptr;
  // PrepareForUpdate: keeps what a client may not change (status, allocated fields).
  Status (*update)(World& world, value::Value& object, const value::Value& old) = nullptr;
  // `old` is null on create. Called for the main resource, not for status.
  void (*validate)(const value::Value& object, const value::Value* old, std::vector<Cause>& causes) = nullptr;
  // Of the status subresource; the object is as it would be stored.
  void (*validate_status)(const value::Value& object, std::vector<Cause>& causes) = nullptr;
  // Does a change of the object (not status, not metadata) raise metadata.generation? Most kinds with
  // spec do; ConfigMap, Secret and others have none at all.
  bool generation = false;
  // Releases what create allocated.
  void (*removed)(World& world, const value::Value& object) = nullptr;
  // Before an object is marked for deletion: may add finalizers and change its status.
  void (*removing)(World& world, value::Value& object) = nullptr;
  // kubectl's columns after NAME, and one row's cells for them; null: NAME and AGE (CREATED AT).
  const std::vector<Column>& (*columns)() = nullptr;
  std::vector<value::Value> (*cells)(World& world, const value::Value& object) = nullptr;
  // Field selectors beyond metadata.name and metadata.namespace: {"status.phase", ...}.
  std::vector<std::string_view> (*selectable)() = nullptr;
};

const KindRules* rules_of(std::string_view group, std::string_view kind);  // null: common rules only

}  // namespace pintle::drydock
