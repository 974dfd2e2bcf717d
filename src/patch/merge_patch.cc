// RFC 7386 as evanphx/json-patch reads it: null deletes, maps merge, anything else replaces. What is
// added loses its nulls, in lists too; a list or scalar that replaces a map keeps them. Recursion is
// as deep as the trees, which their readers bound.
#include "patch/patch.h"
#include "yaml/yaml.h"

namespace pintle::patch {
namespace {

using value::Map;
using value::Value;


Value prune(const Value& v) {
  if (v.is_map()) {
    auto out = value::make_map();
    if (v.as_map()) {
      for (const auto& [key, member] : *v.as_map()) {
        if (!member.is_nil()) out->set(key, prune(member));
      }
    }
    return Value::map(out);
  }
  if (v.is_list()) {
    std::vector<Value> items;
    items.reserve(v.length());
    for (const Value& item : v.items()) items.push_back(prune(item));
    return Value::list_of(std::move(items));
  }
  return v;
}

Ref<Map> copy_of(const Value& v) {
  auto out = value::make_map();
  if (v.is_map() && v.as_map()) out->entries() = v.as_map()->entries();
  return out;
}

bool is_number(const Value& v) { return v.is_int() || v.is_uint() || v.is(value::Type::kFloat64); }
double number_of(const Value& v) {
  if (v.is_int()) return static_cast<double>(v.as_int());
  return v.is_uint() ? static_cast<double>(v.as_uint()) : v.as_double();
}

// Go reads every number here as float64, so 1 and 1.0 are the same.
bool same(const Value& a, const Value& b) {
  if (is_number(a) && is_number(b)) {
    if (a.is_int() && b.is_int()) return a.as_int() == b.as_int();
    return number_of(a) == number_of(b);
  }
  if (a.is_list() && b.is_list()) {
    if (a.length() != b.length()) return false;
    for (size_t i = 0; i < a.length(); ++i) {
      if (!same(a.items()[i], b.items()[i])) return false;
    }
    return true;
  }
  if (a.is_map() && b.is_map()) {
    if (a.length() != b.length()) return false;
    if (!a.as_map()) return true;
    for (const auto& [key, member] : *a.as_map()) {
      const Value* other = b.get(key.view());
      if (!other || !same(member, *other)) return false;
    }
    return true;
  }
  return value::deep_equal(a, b);
}

// Of a merge patch, only its nulls, or all but them; maps left empty go, empty maps said stay.
Value filter(const Value& patch, bool nulls) {
  auto out = value::make_map();
  if (!patch.is_map() || !patch.as_map()) return Value::map(out);
  for (const auto& [key, member] : *patch.as_map()) {
    if (member.is_nil()) {
      if (nulls) out->set(key, member);
    } else if (member.is_map() && member.length() > 0) {
      Value inner = filter(member, nulls);
      if (inner.length() > 0) out->set(key, inner);
    } else if (!nulls) {
      out->set(key, member);
    }
  }
  return Value::map(out);
}

bool conflict(const Value& a, const Value& b) {
  if (a.is_map()) {
    if (!b.is_map()) return true;
    if (!a.as_map()) return false;
    for (const auto& [key, member] : *a.as_map()) {
      const Value* other = b.get(key.view());
      if (other && conflict(member, *other)) return true;
    }
    return false;
  }
  return !same(a, b);
}

}  // namespace

Value merge_patch(const Value& document, const Value& patch) {
  if (!patch.is_map() || !document.is_map()) return prune(patch);
  auto out = copy_of(document);
  if (!patch.as_map()) return Value::map(out);
  for (const auto& [key, change] : *patch.as_map()) {
    if (change.is_nil()) {
      out->erase(key.view());
      continue;
    }
    const Value* current = out->find(key.view());
    if (current && current->is_map()) {
      out->set(key, change.is_map() ? merge_patch(*current, change) : change);
    } else {
      out->set(key, prune(change));
    }
  }
  return Value::map(out);
}

Value create_merge_patch(const Value& from, const Value& to) {
  auto out = value::make_map();
  if (to.is_map() && to.as_map()) {
    for (const auto& [key, wanted] : *to.as_map()) {
      const Value* current = from.get(key.view());
      if (current && current->is_map() && wanted.is_map()) {
        Value inner = create_merge_patch(*current, wanted);
        if (inner.length() > 0) out->set(key, inner);
      } else if (!current || !same(*current, wanted)) {
        out->set(key, wanted);
      }
    }
  }
  if (from.is_map() && from.as_map()) {
    for (const auto& [key, member] : *from.as_map()) {
      if (!to.get(key.view())) out->set(key, Value::nil());
    }
  }
  return Value::map(out);
}

Result<Value> create_three_way_merge_patch(const Value& original, const Value& modified,
                                           const Value& current) {
  const Value changes = filter(create_merge_patch(current, modified), false);
  const Value deletions = filter(create_merge_patch(original, modified), true);
  if (conflict(changes, deletions)) {
    return Error(Code::kAborted, "patch:\n" + TRY(yaml::write(changes)) +
                                     "\nconflicts with changes made from original to current:\n" +
                                     TRY(yaml::write(deletions)) + "\n");
  }
  // The deletions are a document here, so their nulls stay.
  return merge_patch(deletions, changes);
}

}  // namespace pintle::patch
