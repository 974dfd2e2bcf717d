// The types of Kubernetes' built-in objects as far as patches need them: which fields there are,
// how a list merges, what its keys are. The table is generated from recorded OpenAPI definitions
// (tools/make_patch_tables, data beside this file), unpacked at the first question and constant from
// then on: thread-safe, nothing happens at program start.
// A CustomResourceDefinition's schema becomes the same nodes at run time (see `TypeSet`).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "value/value.h"

namespace pintle::patch {

enum class Shape : uint8_t { kAny, kScalar, kList, kMap, kStruct };
enum class ListKind : uint8_t { kAtomic, kSet, kByKeys };
enum class Scalar : uint8_t { kAny, kString, kInteger, kNumber, kBoolean, kIntOrString };

struct Type;
struct Field {
  std::string_view name = {};
  const Type* type = nullptr;
  // x-kubernetes-patch-strategy / -merge-key (strategic merge).
  std::string_view merge_key = {};  // "": none
  bool patch_merge = false;        // "merge" in the strategy: list by merge key, or primitive set
  bool patch_retain_keys = false;
  bool required = false;
};

// What stands where (as schemaconv of kube-openapi sorts it):
//   kAny     no type said: any value, maps owned deeply; `atomic` (RawExtension): owned as a whole
//   kScalar  kAny for times and quantities: any scalar
//   kMap     any keys, values of `element`; an object without properties has element kAny
//   kStruct  the fields; with preserve_unknown other keys too, of type `element`
struct Type {
  Shape shape = Shape::kAny;
  Scalar scalar = Scalar::kAny;
  std::string_view name = {};         // "io.k8s.api.core.v1.PodSpec"; "" for unnamed
  std::string_view format = {};       // "int32", "int64", "double", "date-time", "byte", "quantity" ...
  const Field* fields = nullptr;      // kStruct: sorted by name
  uint32_t field_count = 0;
  const Type* element = nullptr;      // kList, kMap, kStruct with preserve_unknown; else null
  ListKind list = ListKind::kAtomic;  // structured merge (x-kubernetes-list-type)
  bool atomic = false;                // x-kubernetes-map-type: atomic
  bool preserve_unknown = false;      // fields not named here are kept
  const std::string_view* keys = nullptr;  // x-kubernetes-list-map-keys
  uint32_t key_count = 0;
  // Defaults that key fields take when absent, as JSON text (ports' protocol is `"TCP"`, a
  // container's name `""`), aligned with keys; "" none.
  const std::string_view* key_defaults = nullptr;

  const Field* field(std::string_view name) const;  // null: none
};

// The type of group/version/kind ("" is the core group); null: not built in.
const Type* type_of(std::string_view group, std::string_view version, std::string_view kind);
// The built-in type of that name ("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"); null: none.
const Type* type_named(std::string_view name);

// Types made at run time, from a structural openAPIV3Schema (x-kubernetes-list-type, -map-type,
// -preserve-unknown-fields, -embedded-resource, -int-or-string). Owns them; immutable and
// thread-safe once made. What is no schema (not an object, nested too deeply) is kAny.
class TypeSet {
 public:
  virtual ~TypeSet() = default;
  static std::unique_ptr<TypeSet> from_schema(const value::Value& open_api_v3_schema);
  virtual const Type* root() const = 0;  // with apiVersion, kind, metadata added
};

}  // namespace pintle::patch
