// Making strategic merge patches: two-way (what turns one tree into another) and three-way (what
// the user dropped since `original`, and what differs from `current`). As there, the left side's
// lists of scalars that merge end up sorted, and only then are compared for their order: a list that
// is not sorted gets its $setElementOrder even when nothing changed. So the left side is a copy.
#include <algorithm>

#include "patch/go_text.h"
#include "patch/patch.h"
#include "patch/strategic.h"
#include "yaml/yaml.h"

namespace pintle::patch {
namespace {

using value::Value;

struct DiffOptions {
  bool set_order = false;
  bool retain_keys = false;  // of the object at hand only
  bool ignore_changes = false;
  bool ignore_deletions = false;
  int depth = 0;
};

Result<Value> diff_maps(const Value& original, const Value& modified, const Type* type,
                        DiffOptions options);

struct ListDiff {
  Items changes, deletions, order;
};

// An item and its text, by which Go sorts.
struct Keyed {
  Value item;
  std::string text;
};

std::vector<Keyed> sorted_scalars(std::span<const Value> list) {
  std::vector<Keyed> out;
  for (const Value& v : list) out.push_back({v, go_text(v)});
  std::ranges::stable_sort(out, {}, &Keyed::text);
  return out;
}

ListDiff diff_scalars(std::span<const Value> original, std::span<const Value> modified,
                      const DiffOptions& options) {
  const auto left = sorted_scalars(original);
  const auto right = sorted_scalars(modified);
  ListDiff out;
  size_t i = 0, j = 0;
  while (i < left.size() || j < right.size()) {
    if (i < left.size() && j < right.size() && left[i].text == right[j].text) {
      ++i, ++j;
    } else if (i >= left.size() || (j < right.size() && left[i].text > right[j].text)) {
      if (!options.ignore_changes) out.changes.push_back(right[j].item);
      ++j;
    } else {
      if (!options.ignore_deletions) out.deletions.push_back(left[i].item);
      ++i;
    }
  }
  drop_duplicates(out.deletions);
  return out;
}

Result<std::vector<Keyed>> sorted_maps(std::span<const Value> list, std::string_view key) {
  std::vector<Keyed> out;
  for (const Value& v : list) {
    const Value* name = v.get(key);
    if (!name) return no_merge_key(v, key);
    out.push_back({v, go_text(*name)});
  }
  std::ranges::stable_sort(out, {}, &Keyed::text);
  return out;
}

Result<ListDiff> diff_list_of_maps(std::span<const Value> original, std::span<const Value> modified,
                                   const Merge& how, const DiffOptions& options) {
  const auto left = TRY(sorted_maps(original, how.key));
  const auto right = TRY(sorted_maps(modified, how.key));
  ListDiff out;
  size_t i = 0, j = 0;
  while (i < left.size() || j < right.size()) {
    if (i < left.size() && j < right.size() && left[i].text == right[j].text) {
      Value change = TRY(diff_maps(left[i].item, right[j].item, how.type, options));
      if (change.length() > 0) {
        body(change).set(value::Str(how.key), *right[j].item.get(how.key));
        out.changes.push_back(std::move(change));
      }
      ++i, ++j;
    } else if (i >= left.size() || (j < right.size() && left[i].text > right[j].text)) {
      if (!options.ignore_changes) out.changes.push_back(right[j].item);
      ++j;
    } else {
      if (!options.ignore_deletions) {
        auto gone = value::make_map();
        gone->set(value::Str(how.key), *left[i].item.get(how.key));
        gone->set(value::Str(kDirective), value::str("delete"));
        out.deletions.push_back(Value::map(gone));
      }
      ++i;
    }
  }
  return out;
}

bool same_order(std::span<const Value> a, std::span<const Value> b, std::string_view key) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!value::deep_equal(*a[i].get(key), *b[i].get(key))) return false;
  }
  return true;
}

Result<ListDiff> diff_lists(const Value& original, const Value& modified, const Merge& how,
                            const DiffOptions& options) {
  const auto left = original.items();
  const auto right = modified.items();
  ListDiff out;
  if (left.empty()) {
    if (!options.ignore_changes) out.changes = {right.begin(), right.end()};
    return out;
  }
  if (TRY(element_kind(left, right)) != Kind::kMap) {
    out = diff_scalars(left, right, options);
    Items& sorted = original.as_list()->items;
    std::ranges::stable_sort(sorted, {}, go_text);
    out.changes = TRY(in_order(std::move(out.changes), right, how.key, false));
    if (options.set_order &&
        ((!options.ignore_deletions && !out.deletions.empty()) ||
         (!options.ignore_changes && !value::deep_equal(original, modified)))) {
      out.order = {right.begin(), right.end()};
    }
    return out;
  }
  out = TRY(diff_list_of_maps(left, right, how, options));
  out.changes = TRY(in_order(std::move(out.changes), right, how.key, true));
  const bool moved = !same_order(left, right, how.key);
  for (Value& gone : out.deletions) out.changes.push_back(std::move(gone));
  out.deletions.clear();
  if (options.set_order &&
      ((!options.ignore_changes && (!out.changes.empty() || moved)) ||
       (!options.ignore_deletions && !out.changes.empty()))) {
    for (const Value& item : right) {
      auto name = value::make_map();
      name->set(value::Str(how.key), *item.get(how.key));
      out.order.push_back(Value::map(name));
    }
  }
  return out;
}

Status diff_list(const std::string& key, const Value& original, const Value& modified,
                 const Type* type, DiffOptions options, value::Map& patch) {
  const auto how = list_merge(type, key);
  if (!how) {
    if (value::deep_equal(original, modified)) return ok();
    return how.error();
  }
  if (!how->merge) {
    if (!options.ignore_changes && !value::deep_equal(original, modified)) {
      patch.set(value::Str(key), modified);
    }
    return ok();
  }
  options.retain_keys = how->retain_keys;
  ListDiff diff = TRY(diff_lists(original, modified, *how, options));
  const auto put = [&](const std::string& name, Items items) {
    if (!items.empty()) patch.set(value::Str(name), Value::list_of(std::move(items)));
  };
  put(key, std::move(diff.changes));
  put(std::string(kDeletePrefix) + "/" + key, std::move(diff.deletions));
  put(std::string(kOrderPrefix) + "/" + key, std::move(diff.order));
  return ok();
}

Status diff_member(const std::string& key, const Value& original, const Value& modified,
                   const Type* type, DiffOptions options, value::Map& patch) {
  if (key == kDirective) {
    if (!original.is_string() || !modified.is_string()) {
      return Error(Code::kInternal, "invalid value for special key: $patch");
    }
    if (original.as_string() != modified.as_string()) patch.set(value::Str(key), modified);
    return ok();
  }
  if (kind_of(original) == kind_of(modified)) {
    if (original.is_list()) return diff_list(key, original, modified, type, options, patch);
    if (original.is_map()) {
      const auto how = struct_merge(type, key);
      if (!how) {
        if (value::deep_equal(original, modified)) return ok();
        return how.error();
      }
      options.retain_keys = how->retain_keys;
      Value inner = TRY(diff_maps(original, modified, how->type, options));
      if (inner.length() > 0) patch.set(value::Str(key), std::move(inner));
      return ok();
    }
    if (value::deep_equal(original, modified)) return ok();
  }
  if (!options.ignore_changes) patch.set(value::Str(key), modified);
  return ok();
}

Result<Value> diff_maps(const Value& original, const Value& modified, const Type* type,
                        DiffOptions options) {
  if (++options.depth > kMaxMergeDepth) return Error(Code::kInternal, "exceeded max depth");
  auto patch = value::make_map();
  Items retained;
  if (modified.as_map()) {
    for (const auto& [key, wanted] : *modified.as_map()) {
      if (options.retain_keys && !wanted.is_nil()) retained.push_back(value::str(key.view()));
      if (const Value* old = original.get(key.view())) {
        TRY(diff_member(std::string(key.view()), *old, wanted, type, options, *patch));
      } else if (!options.ignore_changes) {
        patch->set(key, wanted);
      }
    }
  }
  bool dropped = false;
  if (original.as_map()) {
    for (const auto& [key, old] : *original.as_map()) {
      if (modified.get(key.view())) continue;
      dropped = dropped || !old.is_nil();
      if (!options.ignore_deletions) patch->set(key, Value::nil());
    }
  }
  if (!retained.empty() && (!patch->empty() || dropped)) {
    patch->set(value::Str(kRetainKeys), Value::list_of(std::move(retained)));
  }
  return Value::map(patch);
}

// Would applying `left` undo something that `right` changed?
Result<bool> conflict(const Value& left, const Value& right, const Type* type, const Merge& how);

Result<bool> maps_conflict(const Value& left, const Value& right, const Type* type) {
  const Value* a = left.get(kDirective);
  const Value* b = right.get(kDirective);
  if ((a || b) && (!a || !b || !value::deep_equal(*a, *b))) return true;
  if (!left.as_map()) return false;
  // Fields first: the look-up of a directive on both sides fails, which is no news if they differ.
  for (const bool directives : {false, true}) {
    for (const auto& [key, mine] : *left.as_map()) {
      if (key.view() == kDirective || key.view() == kRetainKeys) continue;
      const Value* theirs = right.get(key.view());
      if (!theirs || key.view().starts_with('$') != directives) continue;
      Merge how;
      if (mine.is_list()) how = TRY(list_merge(type, key.view()));
      if (mine.is_map()) how = TRY(struct_merge(type, key.view()));
      if (TRY(conflict(mine, *theirs, how.type, how))) return true;
    }
  }
  return false;
}

Result<bool> lists_conflict(std::span<const Value> left, std::span<const Value> right,
                            const Merge& how) {
  const bool maps = TRY(element_kind(left, right)) == Kind::kMap;
  if (how.merge) {
    if (!maps) return false;
    for (const auto& list : {left, right}) {
      for (const Value& item : list) {
        if (item.get(how.key)) continue;
        return Error(Code::kInternal, "cannot find merge key `" + std::string(how.key) +
                                          "` in merging list element:" + go_text(item));
      }
    }
    for (const Value& mine : left) {
      for (const Value& theirs : right) {
        if (go_text(*mine.get(how.key)) != go_text(*theirs.get(how.key))) continue;
        if (TRY(maps_conflict(mine, theirs, how.type))) return true;
      }
    }
    return false;
  }
  if (left.size() != right.size()) return true;
  if (!maps) {
    const auto a = sorted_scalars(left), b = sorted_scalars(right);
    return !std::ranges::equal(a, b, {}, &Keyed::text, &Keyed::text);
  }
  for (size_t i = 0; i < left.size(); ++i) {
    if (TRY(maps_conflict(left[i], right[i], how.type))) return true;
  }
  return false;
}

Result<bool> conflict(const Value& left, const Value& right, const Type* type, const Merge& how) {
  if (left.is_map()) return right.is_map() ? maps_conflict(left, right, type) : Result<bool>(true);
  if (left.is_list()) {
    return right.is_list() ? lists_conflict(left.items(), right.items(), how) : Result<bool>(true);
  }
  return !value::deep_equal(left, right);
}

}  // namespace

Result<Value> create_two_way_patch(const Value& original, const Value& modified, const Type* type) {
  return diff_maps(value::deep_copy(original), modified, type, {.set_order = true});
}

Result<Value> create_three_way_patch(const Value& original, const Value& modified,
                                     const Value& current, const Type* type, bool overwrite) {
  const Value before = value::deep_copy(original);
  const Value now = value::deep_copy(current);
  const Value changes =
      TRY(diff_maps(now, modified, type, {.set_order = true, .ignore_deletions = true}));
  const Value deletions =
      TRY(diff_maps(before, modified, type, {.set_order = true, .ignore_changes = true}));
  Value patch = TRY(merge_map(value::deep_copy(deletions), value::deep_copy(changes), type,
                              {.merge_lists = false, .ignore_nulls = false}));
  if (overwrite) return patch;
  const Value changed = TRY(diff_maps(before, now, type, {}));
  if (TRY(maps_conflict(patch, changed, type))) {
    return Error(Code::kAborted, "patch:\n" + TRY(yaml::write(patch)) +
                                     "\nconflicts with changes made from original to current:\n" +
                                     TRY(yaml::write(changed)) + "\n");
  }
  return patch;
}

}  // namespace pintle::patch
