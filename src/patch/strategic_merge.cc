// Applying a strategic merge patch. The cost is the size of both trees, plus the product of the
// lengths of lists that merge.
#include <algorithm>

#include "patch/go_text.h"
#include "patch/patch.h"
#include "patch/strategic.h"

namespace pintle::patch {
namespace {

using value::Value;

const Error& bad_order() {
  static const Error e(Code::kInvalidArgument, "invalid patch format of setElementOrder list");
  return e;
}
const Error& bad_retain_keys() {
  static const Error e(Code::kInvalidArgument, "invalid patch format of retainKeys");
  return e;
}

bool is_text(const Value* v, std::string_view text) {
  return v && v->is_string() && v->as_string() == text;
}

// What follows "prefix/".
Result<std::string> list_name(std::string_view key, std::string_view prefix) {
  if (key.size() <= prefix.size() || key[prefix.size()] != '/') {
    if (prefix == kOrderPrefix) return bad_order();
    return Error(Code::kInvalidArgument, "invalid patch format of primitive list");
  }
  return std::string(key.substr(prefix.size() + 1));
}

bool contains(std::span<const Value> list, const Value& item) {
  return std::ranges::any_of(list, [&](const Value& v) { return value::deep_equal(v, item); });
}

// A value that the object did not have, without directives; false: it is nothing but a directive.
bool remove_directives(Value& v) {
  if (v.is_map()) {
    value::Map& map = body(v);
    if (map.contains(kDirective)) return false;
    std::erase_if(map.entries(), [](auto& entry) { return !remove_directives(entry.value); });
  } else if (v.is_list() && v.as_list()) {
    std::erase_if(v.as_list()->items, [](Value& item) { return !remove_directives(item); });
  }
  return true;
}

void discard_nulls(Value& v) {
  if (v.is_map()) {
    value::Map& map = body(v);
    std::erase_if(map.entries(), [](const auto& entry) { return entry.value.is_nil(); });
    for (auto& entry : map.entries()) discard_nulls(entry.value);
  } else if (v.is_list() && v.as_list()) {
    for (Value& item : v.as_list()->items) discard_nulls(item);
  }
}

class Merger {
 public:
  explicit Merger(MergeOptions options) : options_(options) {}

  Result<Value> merge(Value original, Value patch, const Type* type);

 private:
  Status retain_keys(value::Map& original, value::Map& patch);
  Status order_lists(value::Map& original, value::Map& patch, const Type* type);
  Status order_list(value::Map& original, value::Map& patch, std::string_view key,
                    const Value& order, const Type* type);
  Status member(value::Map& original, std::string_view key, Value change, const Type* type);
  void put(value::Map& original, std::string_view key, Value v);
  Result<Items> lists(Items original, Items patch, const Merge& how, bool deletes);
  Result<Items> list_of_maps(Items original, const Items& patch, const Merge& how, Items* rest,
                             Items* before);

  MergeOptions options_;
  int depth_ = 0;
};

std::span<const Value> span_of(const Value* v) {
  return v ? v->items() : std::span<const Value>();
}
Items items_of(const Value* v) {
  const auto s = span_of(v);
  return {s.begin(), s.end()};
}

Status Merger::retain_keys(value::Map& original, value::Map& patch) {
  const Value* found = patch.find(kRetainKeys);
  if (!found) return ok();
  const Value keys = *found;
  patch.erase(kRetainKeys);
  if (!options_.merge_lists) {
    const Value* old = original.find(kRetainKeys);
    if (old && !value::deep_equal(*old, keys)) {
      return Error(Code::kInternal,
                   go_text(*old) + " and " + go_text(keys) +
                       " are not deep equal: this may happen when calculating the 3-way diff patch");
    }
    if (!old) original.set(value::Str(kRetainKeys), keys);
    return ok();
  }
  if (!keys.is_list()) return bad_retain_keys();
  const auto kept = [&](std::string_view name) {
    return std::ranges::any_of(keys.items(), [&](const Value& v) { return is_text(&v, name); });
  };
  for (const auto& [key, change] : patch) {
    if (change.is_nil() || key.view().starts_with(kDeletePrefix) ||
        key.view().starts_with(kOrderPrefix)) {
      continue;
    }
    if (!kept(key.view())) return bad_retain_keys();
  }
  std::erase_if(original.entries(), [&](const auto& entry) { return !kept(entry.key.view()); });
  return ok();
}

// The patch's items must stand in the order that the patch asks for.
Status check_order(const Items& patch, std::span<const Value> order, std::string_view key) {
  if (patch.empty() || order.empty()) return ok();
  Items named;
  for (const Value& item : patch) {
    if (!key.empty() && !item.is_map()) return bad_type(kGoMap, item);
    if (!key.empty() && is_text(item.get(kDirective), "delete")) continue;
    named.push_back(item);
  }
  size_t at = 0, place = 0;
  while (at < named.size() && place < order.size()) {
    if (named[at].get(kDirective)) {
      ++at;
      continue;
    }
    bool equal = false;
    if (key.empty()) {
      equal = value::deep_equal(named[at], order[place]);
    } else {
      if (!order[place].is_map()) return bad_type(kGoMap, order[place]);
      const Value* left = named[at].get(key);
      const Value* right = order[place].get(key);
      if (!left) return no_merge_key(named[at], key);
      if (!right) return no_merge_key(order[place], key);
      equal = value::deep_equal(*left, *right);
    }
    if (equal) ++at;
    ++place;
  }
  if (at >= named.size()) return ok();
  return Error(Code::kInternal,
               "The order in patch list:\n" + go_text(Value::list_of(patch)) + "\n doesn't match " +
                   std::string(kOrderPrefix) + " list:\n" +
                   go_text(Value::list_of({order.begin(), order.end()})) + "\n");
}

// Items the patch names in its order, the others in the server's, woven together.
Result<Items> weave(const Items& merged, std::span<const Value> order,
                    std::span<const Value> server_order, std::string_view key, bool maps) {
  Items named, others;
  for (const Value& item : merged) {
    bool found = false;
    if (key.empty()) {
      found = contains(order, item);
    } else {
      if (!item.is_map()) return bad_type(kGoMap, item);
      const Value* name = item.get(key);
      if (!name) return no_merge_key(item, key);
      for (size_t i = 0; i < order.size() && !found; ++i) {
        if (!order[i].is_map()) {
          return Error(Code::kInternal,
                       "value for key " + std::to_string(i) + " is not a map");
        }
        const Value* other = order[i].get(key);
        found = other && value::deep_equal(*other, *name);
      }
    }
    (found ? named : others).push_back(item);
  }
  named = TRY(in_order(std::move(named), order, key, maps));
  others = TRY(in_order(std::move(others), server_order, key, maps));
  const auto rank = [&](const Value& item) -> ptrdiff_t {
    for (size_t i = 0; i < server_order.size(); ++i) {
      const Value& v = server_order[i];
      if (!maps) {
        if (value::deep_equal(v, item)) return static_cast<ptrdiff_t>(i);
        continue;
      }
      const Value* l = v.get(key);
      const Value* r = item.get(key);
      if (l && r ? value::deep_equal(*l, *r) : l == r) return static_cast<ptrdiff_t>(i);
    }
    return -1;
  };
  std::vector<ptrdiff_t> left, right;
  for (const Value& v : others) left.push_back(rank(v));
  for (const Value& v : named) right.push_back(rank(v));
  Items out;
  size_t i = 0, j = 0;
  while (i < others.size() || j < named.size()) {
    const bool take_left =
        j >= named.size() ||
        (i < others.size() && left[i] >= 0 && right[j] >= 0 && left[i] < right[j]);
    out.push_back(take_left ? others[i++] : named[j++]);
  }
  return out;
}

Status Merger::order_lists(value::Map& original, value::Map& patch, const Type* type) {
  std::vector<std::pair<std::string, Value>> orders;
  for (const auto& [key, change] : patch) {
    if (key.view().starts_with(kOrderPrefix)) orders.emplace_back(key.view(), change);
  }
  for (const auto& [key, order] : orders) {
    if (!options_.merge_lists) {
      const Value* old = original.find(key);
      if (old && !value::deep_equal(*old, order)) return bad_order();
      if (!old) original.set(value::Str(key), order);
    }
    patch.erase(key);
    TRY(order_list(original, patch, key, order, type));
  }
  return ok();
}

Status Merger::order_list(value::Map& original, value::Map& patch, std::string_view key,
                          const Value& order, const Type* type) {
  if (!order.is_list()) return bad_type(kGoList, order);
  const std::string name = TRY(list_name(key, kOrderPrefix));
  const Value* old = original.find(name);
  const Value* change = patch.find(name);
  if (old && !old->is_list()) return bad_type(kGoList, *old);
  if (change && !change->is_list()) return bad_type(kGoList, *change);
  const Merge how = TRY(list_merge(type, name));
  const Items old_items = items_of(old);
  const Items new_items = items_of(change);
  TRY(check_order(new_items, order.items(), how.key));
  if (!old && !change) return ok();
  Items merged;
  if (!change) {
    merged = old_items;
  } else if (!old) {
    Value kept = *change;
    remove_directives(kept);
    merged = items_of(&kept);
  } else {
    merged = TRY(lists(old_items, new_items, how, false));
  }
  const bool maps = TRY(element_kind(old_items, new_items)) == Kind::kMap;
  Items woven = TRY(weave(merged, order.items(), old_items, how.key, maps));
  original.set(value::Str(name), Value::list_of(std::move(woven)));
  patch.erase(name);
  return ok();
}

Result<Items> Merger::list_of_maps(Items original, const Items& patch, const Merge& how,
                                   Items* rest, Items* before) {
  bool replace = false;
  for (const Value& item : patch) {
    const Value* directive = item.get(kDirective);
    if (!directive) {
      rest->push_back(item);
    } else if (is_text(directive, "delete")) {
      const Value* name = item.get(how.key);
      if (!name) return no_merge_key(item, how.key);
      for (size_t i = 0; i < original.size(); ++i) {
        if (!original[i].is_map()) {
          return Error(Code::kInternal, "value for key " + std::to_string(i) + " is not a map");
        }
      }
      std::erase_if(original, [&](const Value& v) {
        const Value* other = v.get(how.key);
        return other && value::deep_equal(*other, *name);
      });
    } else if (is_text(directive, "replace")) {
      replace = true;
    } else if (is_text(directive, "merge")) {
      return Error(Code::kInternal, "merging lists cannot yet be specified in the patch");
    } else {
      return Error(Code::kInternal, "unknown patch type: " + go_string_verb(*directive) +
                                        " in map: " + go_text(item));
    }
  }
  if (replace) {
    original = std::move(*rest);
    rest->clear();
  }
  *before = original;
  for (const Value& item : *rest) {
    const Value* name = item.get(how.key);
    if (!name) return no_merge_key(item, how.key);
    const auto at = std::ranges::find_if(original, [&](const Value& v) {
      const Value* other = v.get(how.key);
      return other && value::deep_equal(*other, *name);
    });
    if (at == original.end()) {
      original.push_back(item);
    } else {
      *at = TRY(merge(*at, item, how.type));
    }
  }
  return original;
}

Result<Items> Merger::lists(Items original, Items patch, const Merge& how, bool deletes) {
  if (!how.merge && !deletes) return patch;
  if (original.empty() && patch.empty()) return original;
  const bool maps = TRY(element_kind(original, patch)) == Kind::kMap;
  if (maps) {
    if (how.key.empty()) {
      return Error(Code::kInternal, "cannot merge lists without merge key for struct");
    }
    Items rest, before;
    const Items merged = TRY(list_of_maps(std::move(original), patch, how, &rest, &before));
    return weave(merged, rest, before, how.key, true);
  }
  if (options_.merge_lists && deletes) {
    std::erase_if(original, [&](const Value& v) { return contains(patch, v); });
    return original;
  }
  Items both = original;
  both.insert(both.end(), patch.begin(), patch.end());
  drop_duplicates(both);
  return weave(both, patch, original, how.key, false);
}

void Merger::put(value::Map& original, std::string_view key, Value v) {
  if (options_.ignore_nulls) discard_nulls(v);
  if (remove_directives(v)) {
    original.set(value::Str(key), std::move(v));
  } else {
    original.erase(key);
  }
}

Status Merger::member(value::Map& original, std::string_view key, Value change, const Type* type) {
  bool deletes = false;
  std::string name(key);
  if (key.starts_with(kDeletePrefix)) {
    if (!options_.merge_lists) {
      original.set(value::Str(key), std::move(change));
      return ok();
    }
    name = TRY(list_name(key, kDeletePrefix));
    deletes = true;
  }
  if (change.is_nil()) {
    original.erase(name);
    if (options_.ignore_nulls) return ok();
  }
  const Value* old = original.find(name);
  if (!old || kind_of(*old) != kind_of(change)) {
    if (!deletes) put(original, name, std::move(change));
    return ok();
  }
  if (old->is_map()) {
    const Merge how = TRY(struct_merge(type, name));
    original.set(value::Str(name), TRY(merge(*old, std::move(change), how.type)));
  } else if (old->is_list()) {
    const Merge how = TRY(list_merge(type, name));
    Items merged = TRY(lists(items_of(old), items_of(&change), how, deletes));
    original.set(value::Str(name), Value::list_of(std::move(merged)));
  } else {
    original.set(value::Str(name), std::move(change));
  }
  return ok();
}

Result<Value> Merger::merge(Value original, Value patch, const Type* type) {
  if (++depth_ > kMaxMergeDepth) return Error(Code::kInternal, "exceeded max depth");
  value::Map& changes = body(patch);
  if (const Value* directive = changes.find(kDirective)) {
    if (is_text(directive, "replace")) {
      changes.erase(kDirective);
      --depth_;
      return patch;
    }
    --depth_;
    if (is_text(directive, "delete")) return Value::map(value::make_map());
    return Error(Code::kInternal, "unknown patch type: " + go_string_verb(*directive) +
                                      " in map: " + go_text(patch));
  }
  value::Map& target = body(original);
  TRY(retain_keys(target, changes));
  TRY(order_lists(target, changes, type));
  for (const auto& [key, change] : changes) {
    TRY(member(target, key.view(), change, type));
  }
  --depth_;
  return original;
}

}  // namespace

Result<Value> merge_map(Value original, Value patch, const Type* type, MergeOptions options) {
  return Merger(options).merge(std::move(original), std::move(patch), type);
}

Result<Value> strategic_merge(const Value& document, const Value& patch, const Type* type) {
  if (!type) {
    return Error(Code::kInvalidArgument, "strategic merge patch format is not supported");
  }
  for (const Value* v : {&document, &patch}) {
    if (!v->is_map() && !v->is_nil()) {
      return Error(Code::kInvalidArgument, "invalid JSON document");
    }
  }
  return merge_map(value::deep_copy(document), value::deep_copy(patch), type, {});
}

}  // namespace pintle::patch
