// The built-in types. tables_data.inc holds them as small numbers (no pointers, so nothing for the
// loader to relocate at program start); the first question unpacks them into linked `Type`s, once,
// in well under a millisecond and about 350 KB.
#include "patch/schema.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace pintle::patch {
namespace {

// Names are numbers in kNames (space separated); element and type are numbers in kTypes, 0 is
// "anything"; fields and keys are slices of their tables.
struct PackedType {
  uint8_t shape, scalar, list, flags;  // flags: 1 atomic, 2 preserve unknown
  uint16_t name, format, element, first_field, field_count, first_key, key_count;
};
struct PackedField {
  uint16_t name, type, merge_key;
  uint8_t flags;  // 1 merge, 2 retain keys, 4 required
};
struct PackedKey {
  uint16_t name, default_value;
};
struct PackedKind {  // sorted by group, version, kind
  uint16_t group, version, kind, type;
};

#include "patch/tables_data.inc"

struct Tables {
  std::vector<std::string_view> names, keys, key_defaults;
  std::vector<Field> fields;
  std::vector<Type> types;
  std::vector<const Type*> by_name;

  Tables();
};

Tables::Tables()
    : keys(std::size(kKeys)),
      key_defaults(std::size(kKeys)),
      fields(std::size(kFields)),
      types(std::size(kTypes)) {
  for (size_t at = 0; at < kNames.size();) {
    const size_t end = kNames.find(' ', at);
    names.push_back(kNames.substr(at, end - at));
    at = end + 1;
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    keys[i] = names[kKeys[i].name];
    key_defaults[i] = names[kKeys[i].default_value];
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    const PackedField& f = kFields[i];
    fields[i] = {.name = names[f.name],
                 .type = &types[f.type],
                 .merge_key = names[f.merge_key],
                 .patch_merge = (f.flags & 1) != 0,
                 .patch_retain_keys = (f.flags & 2) != 0,
                 .required = (f.flags & 4) != 0};
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const PackedType& t = kTypes[i];
    const auto shape = static_cast<Shape>(t.shape);
    const bool preserve = (t.flags & 2) != 0;
    const bool has_element = shape == Shape::kList || shape == Shape::kMap || preserve;
    types[i] = {.shape = shape,
                .scalar = static_cast<Scalar>(t.scalar),
                .name = names[t.name],
                .format = names[t.format],
                .fields = t.field_count ? &fields[t.first_field] : nullptr,
                .field_count = t.field_count,
                .element = has_element ? &types[t.element] : nullptr,
                .list = static_cast<ListKind>(t.list),
                .atomic = (t.flags & 1) != 0,
                .preserve_unknown = preserve,
                .keys = t.key_count ? &keys[t.first_key] : nullptr,
                .key_count = t.key_count,
                .key_defaults = t.key_count ? &key_defaults[t.first_key] : nullptr};
    if (!types[i].name.empty()) by_name.push_back(&types[i]);
  }
  // Of two types with one name, the plain one comes before its atomic use.
  std::ranges::stable_sort(by_name, {}, &Type::name);
}

const Tables& tables() {
  static const Tables t;
  return t;
}

}  // namespace

const Field* Type::field(std::string_view wanted) const {
  const Field* end = fields + field_count;
  const Field* f = std::ranges::lower_bound(fields, end, wanted, {}, &Field::name);
  return f != end && f->name == wanted ? f : nullptr;
}

const Type* type_of(std::string_view group, std::string_view version, std::string_view kind) {
  const Tables& t = tables();
  const auto key = std::tie(group, version, kind);
  const auto name_of = [&](const PackedKind& k) {
    return std::tie(t.names[k.group], t.names[k.version], t.names[k.kind]);
  };
  const auto* row = std::ranges::lower_bound(kKinds, key, {}, name_of);
  return row != std::end(kKinds) && name_of(*row) == key ? &t.types[row->type] : nullptr;
}

const Type* type_named(std::string_view name) {
  const auto& all = tables().by_name;
  const auto it = std::ranges::lower_bound(all, name, {}, [](const Type* t) { return t->name; });
  return it != all.end() && (*it)->name == name ? *it : nullptr;
}

}  // namespace pintle::patch
