#include "patch/strategic.h"

#include <algorithm>

#include "base/gotext.h"
#include "patch/go_text.h"

namespace pintle::patch {
namespace {

using value::Value;

// reflect.Kind of the Go type behind a type that is no struct; "" for structs.
std::string_view go_kind(const Type& t) {
  switch (t.shape) {
    case Shape::kMap: return t.name.empty() ? "map" : "";
    case Shape::kList: return "slice";
    case Shape::kScalar: break;
    default: return "";
  }
  if (t.format == "int32") return "int32";
  if (t.scalar == Scalar::kInteger) return "int64";
  if (t.scalar == Scalar::kNumber) return "float64";
  if (t.scalar == Scalar::kBoolean) return "bool";
  return t.name.empty() && t.scalar == Scalar::kString ? "string" : "";
}

const Field* find_field(const Type& type, std::string_view member) {
  if (const Field* f = type.field(member)) return f;
  const std::string folded = to_lower(member);
  for (const Field& f : std::span(type.fields, type.field_count)) {
    if (f.name.size() == member.size() && to_lower(f.name) == folded) return &f;
  }
  return nullptr;
}

}  // namespace

Result<Merge> struct_merge(const Type* type, std::string_view member) {
  static constexpr Type kNone;
  const Type& t = type ? *type : kNone;
  if (const std::string_view kind = go_kind(t); !kind.empty()) {
    return Error(Code::kInternal,
                 "merging an object in json but data type is not struct, instead is: " +
                     std::string(kind));
  }
  const Field* f = find_field(t, member);
  if (!f) {
    return Error(Code::kInternal, "unable to find api field in struct " +
                                      std::string(t.name.substr(t.name.rfind('.') + 1)) +
                                      " for the json field " + quote(member));
  }
  return Merge{f->type, f->patch_merge, f->patch_retain_keys, f->merge_key};
}

Result<Merge> list_merge(const Type* type, std::string_view member) {
  Merge m = TRY(struct_merge(type, member));
  if (m.type->shape != Shape::kList) {
    return Error(Code::kInternal, "expected slice or array type, but got: struct");
  }
  m.type = m.type->element;
  if (m.type && m.type->shape == Shape::kList) {
    return Error(Code::kInternal, "unexpected slice of slice");
  }
  return m;
}

Kind kind_of(const Value& v) {
  if (v.is_nil()) return Kind::kNil;
  if (v.is(value::Type::kBool)) return Kind::kBool;
  if (v.is_int() || v.is_uint()) return Kind::kInteger;
  if (v.is_list()) return Kind::kList;
  if (v.is_map()) return Kind::kMap;
  return v.is_string() ? Kind::kString : Kind::kNumber;
}

Error no_merge_key(const Value& map, std::string_view key) {
  return Error(Code::kInternal, "map: " + go_text(map) +
                                    " does not contain declared merge key: " + std::string(key));
}

Error bad_type(std::string_view expected, const Value& actual) {
  return Error(Code::kInternal, "expected a " + std::string(expected) + ", but received a " +
                                    go_type_text(actual));
}

Result<Kind> element_kind(std::span<const Value> a, std::span<const Value> b) {
  const Value* first = nullptr;
  for (const auto& list : {a, b}) {
    for (const Value& v : list) {
      if (!first) first = &v;
      if (kind_of(*first) == Kind::kList) {
        return Error(Code::kFailedPrecondition, "lists of lists are not supported");
      }
      if (kind_of(v) != kind_of(*first) || v.is_nil()) {
        std::string text = "list element types are not identical: [";
        text += go_text(Value::list_of({a.begin(), a.end()}));
        if (!b.empty()) text += ' ' + go_text(Value::list_of({b.begin(), b.end()}));
        return Error(Code::kInternal, text + ']');
      }
    }
  }
  if (!first) return Error(Code::kInternal, "no elements in any of the given slices");
  return kind_of(*first);
}

Result<Items> in_order(Items list, std::span<const Value> order, std::string_view key, bool maps) {
  if (maps) {
    for (const auto& items : {std::span<const Value>(list), order}) {
      for (const Value& item : items) {
        if (!item.is_map()) return bad_type(kGoMap, item);
        if (!item.get(key)) return no_merge_key(item, key);
      }
    }
  }
  struct Ranked {
    Value item;
    ptrdiff_t rank;
  };
  std::vector<Ranked> sorted;
  Items deleted;
  for (Value& item : list) {
    const Value* directive = item.get(kDirective);
    if (maps && directive && directive->is_string() && directive->as_string() == "delete") {
      deleted.push_back(std::move(item));
      continue;
    }
    const auto at = std::ranges::find_if(order, [&](const Value& v) {
      return maps ? value::deep_equal(*v.get(key), *item.get(key)) : value::deep_equal(v, item);
    });
    sorted.push_back({std::move(item), at == order.end() ? -1 : at - order.begin()});
  }
  // An item of unknown rank counts as less than its neighbour: an order that is no order, which
  // only an insertion sort (what Go does for short lists) makes something of.
  const bool all_known = std::ranges::none_of(sorted, [](const Ranked& r) { return r.rank < 0; });
  if (all_known) {
    std::ranges::stable_sort(sorted, {}, &Ranked::rank);
  } else {
    for (size_t i = 1; i < sorted.size(); ++i) {
      for (size_t j = i; j > 0; --j) {
        const ptrdiff_t l = sorted[j].rank, r = sorted[j - 1].rank;
        if (l >= 0 && r >= 0 && l >= r) break;
        std::swap(sorted[j], sorted[j - 1]);
      }
    }
  }
  Items out;
  for (Ranked& r : sorted) out.push_back(std::move(r.item));
  for (Value& v : deleted) out.push_back(std::move(v));
  return out;
}

void drop_duplicates(Items& list) {
  for (size_t i = 0; i + 1 < list.size(); ++i) {
    for (size_t j = i + 1; j < list.size();) {
      if (!value::deep_equal(list[i], list[j])) {
        ++j;
        continue;
      }
      if (j + 1 != list.size()) list[j] = list.back();
      list.pop_back();
    }
  }
}

value::Map& body(Value& map) {
  if (!map.as_map()) map = Value::map(value::make_map());
  return *map.as_map();
}

}  // namespace pintle::patch
