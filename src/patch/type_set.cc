// Types from a CustomResourceDefinition's structural schema, sorted as kube-openapi's schemaconv
// sorts them: an object without properties is a free-form map; lists are atomic unless they say so;
// x-kubernetes-preserve-unknown-fields holds for everything below it.
#include <algorithm>
#include <deque>

#include "json/json.h"
#include "patch/schema.h"

namespace pintle::patch {
namespace {

using value::Value;

constexpr int kMaxDepth = 200;  // of schemas; a structural schema cannot hold itself
constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

std::string_view text_of(const Value& schema, std::string_view key) {
  const Value* v = schema.get(key);
  return v && v->is_string() ? v->as_string() : std::string_view();
}
bool is_true(const Value& schema, std::string_view key) {
  const Value* v = schema.get(key);
  return v && v->is(value::Type::kBool) && v->as_bool();
}

class Built final : public TypeSet {
 public:
  explicit Built(const Value& schema) {
    any_ = add({});
    string_ = add({.shape = Shape::kScalar, .scalar = Scalar::kString});
    root_ = schema.is_map() ? make(schema, false, true, 0) : any_;
  }
  const Type* root() const override { return root_; }

 private:
  const Type* add(Type t) { return &types_.emplace_back(t); }
  std::string_view keep(std::string_view s) { return names_.emplace_back(s); }

  const Type* make(const Value& schema, bool preserve, bool object, int depth);
  const Type* make_object(const Value& schema, bool preserve, bool object, int depth);
  const Type* make_list(const Value& schema, bool preserve, int depth);
  void add_keys(const Value& keys, const Value* items, Type& list);

  std::deque<Type> types_;
  std::deque<std::vector<Field>> fields_;
  std::deque<std::vector<std::string_view>> lists_;
  std::deque<std::string> names_;
  const Type* any_;
  const Type* string_;
  const Type* root_;
};

const Type* Built::make(const Value& schema, bool preserve, bool object, int depth) {
  if (!schema.is_map() || depth > kMaxDepth) return any_;
  preserve = preserve || is_true(schema, "x-kubernetes-preserve-unknown-fields");
  const std::string_view type = text_of(schema, "type");
  const std::string_view format = text_of(schema, "format");
  if (is_true(schema, "x-kubernetes-int-or-string") || format == "int-or-string") {
    return add({.shape = Shape::kScalar, .scalar = Scalar::kIntOrString, .format = "int-or-string"});
  }
  if (object || type == "object") return make_object(schema, preserve, object, depth);
  if (type == "array") return make_list(schema, preserve, depth);
  Type t{.shape = Shape::kScalar, .format = keep(format)};
  if (type == "string") {
    t.scalar = format.empty() || format == "byte" ? Scalar::kString : Scalar::kAny;
  } else if (type == "integer") {
    t.scalar = Scalar::kInteger;
  } else if (type == "number") {
    t.scalar = Scalar::kNumber;
  } else if (type == "boolean") {
    t.scalar = Scalar::kBoolean;
  } else if (type.empty()) {
    return schema.get("properties") ? make_object(schema, preserve, false, depth) : any_;
  }
  return add(t);
}

const Type* Built::make_object(const Value& schema, bool preserve, bool object, int depth) {
  std::vector<Field> fields;
  const Value* properties = schema.get("properties");
  if (properties && properties->is_map() && properties->as_map()) {
    const Value* required = schema.get("required");
    for (const auto& [name, member] : *properties->as_map()) {
      Field f{.name = keep(name.view()), .type = make(member, preserve, false, depth + 1)};
      for (const Value& r : required ? required->items() : std::span<const Value>()) {
        if (r.is_string() && r.as_string() == f.name) f.required = true;
      }
      fields.push_back(f);
    }
  }
  if (object || is_true(schema, "x-kubernetes-embedded-resource")) {
    for (std::string_view name : {"apiVersion", "kind", "metadata"}) {
      auto it = std::ranges::lower_bound(fields, name, {}, &Field::name);
      if (it == fields.end() || it->name != name) it = fields.insert(it, Field{.name = name});
      it->type = name == "metadata" ? type_named(kMeta) : string_;
    }
  }
  Type t{.shape = Shape::kStruct};
  t.atomic = text_of(schema, "x-kubernetes-map-type") == "atomic";
  const Value* additional = schema.get("additionalProperties");
  if (additional && additional->is_map()) {
    t.element = make(*additional, preserve, false, depth + 1);
  } else if (additional && additional->is(value::Type::kBool)) {
    t.element = additional->as_bool() ? any_ : nullptr;
  } else if (preserve || fields.empty()) {
    t.element = any_;
  }
  if (fields.empty() && t.element) {
    t.shape = Shape::kMap;
    return add(t);
  }
  t.preserve_unknown = t.element != nullptr;
  const auto& kept = fields_.emplace_back(std::move(fields));
  t.fields = kept.data();
  t.field_count = static_cast<uint32_t>(kept.size());
  return add(t);
}

const Type* Built::make_list(const Value& schema, bool preserve, int depth) {
  const Value* items = schema.get("items");
  Type t{.shape = Shape::kList};
  t.element = items ? make(*items, preserve, false, depth + 1) : any_;
  const std::string_view kind = text_of(schema, "x-kubernetes-list-type");
  if (kind == "set") t.list = ListKind::kSet;
  if (const Value* keys = schema.get("x-kubernetes-list-map-keys"); kind == "map" && keys) {
    add_keys(*keys, items, t);
  }
  return add(t);
}

void Built::add_keys(const Value& keys, const Value* items, Type& list) {
  auto& names = lists_.emplace_back();
  auto& defaults = lists_.emplace_back();
  const Value* properties = items ? items->get("properties") : nullptr;
  for (const Value& key : keys.items()) {
    if (!key.is_string()) continue;
    names.push_back(keep(key.as_string()));
    const Value* property = properties ? properties->get(key.as_string()) : nullptr;
    const Value* fallback = property ? property->get("default") : nullptr;
    const auto text = fallback ? json::write(*fallback) : Result<std::string>("");
    defaults.push_back(keep(text ? std::string_view(*text) : std::string_view()));
  }
  if (names.empty()) return;
  list.list = ListKind::kByKeys;
  list.keys = names.data();
  list.key_defaults = defaults.data();
  list.key_count = static_cast<uint32_t>(names.size());
}

}  // namespace

std::unique_ptr<TypeSet> TypeSet::from_schema(const Value& schema) {
  return std::make_unique<Built>(schema);
}

}  // namespace pintle::patch
