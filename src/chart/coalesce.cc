#include "chart/coalesce.h"

#include <algorithm>
#include <utility>

#include "base/gotext.h"
#include "tmpl/print.h"

namespace pintle::chart {

using value::Map;
using value::Str;
using value::Type;
using value::Value;

namespace {

constexpr std::string_view kGlobal = "global";

bool is_table(const Value& v) { return v.is(Type::kMap); }

bool holds_maps(const Value& v) {
  if (v.is_map()) return true;
  return std::any_of(v.items().begin(), v.items().end(), holds_maps);
}

std::string printed(const Value& v) {
  std::string out;
  tmpl::print_value(out, v);
  return out;
}

// The table without its nulls at any depth of tables; the table itself when there are none.
Value without_nulls(const Value& table) {
  if (table.as_map() == nullptr) return table;
  const Map& map = *table.as_map();
  Ref<Map> changed;
  size_t at = 0;
  for (auto it = map.begin(); it != map.end(); ++it, ++at) {
    Value kept = is_table(it->value) ? without_nulls(it->value) : it->value;
    if (!kept.is_nil() && kept.identical(it->value)) {
      if (changed) changed->entries().push_back(*it);
      continue;
    }
    if (!changed) {
      changed = value::make_map();
      changed->entries().assign(map.begin(), it);
    }
    if (!kept.is_nil()) changed->entries().push_back({it->key, std::move(kept)});
  }
  return changed ? Value::map(changed) : table;
}

}  // namespace

std::string Coalescer::Path::text() const {
  if (up == nullptr) return std::string(name);
  std::string out = up->text();
  if (!out.empty()) out += '.';
  return out.append(name);
}

void Coalescer::warn(std::string_view helm3_place, std::string text) const {
  if (options_.log) {
    options_.log("INFO", options_.helm3 ? std::string(helm3_place) + ": " + text : text);
  }
}

Ref<Map> Coalescer::make() {
  auto map = value::make_map();
  owned_.insert(map.get());
  kept_.push_back(Value::map(map));
  return map;
}

Map* Coalescer::own(Value& slot) {
  if (owned(slot.as_map())) return slot.as_map();
  auto copy = make();
  if (slot.as_map() != nullptr) copy->entries().assign(slot.as_map()->begin(), slot.as_map()->end());
  slot = Value::map(copy, slot.type());
  return copy.get();
}

// Lists are immutable here, but maps inside them are not: such a list gets copies of its own.
Value Coalescer::own_lists(const Value& v) {
  if (!v.is_list() || !holds_maps(v) || owned_.contains(v.as_list())) return v;
  Value copy = value::deep_copy(v);
  owned_.insert(copy.as_list());
  kept_.push_back(copy);
  return copy;
}

void Coalescer::separate(Map& top) {
  if (!separated_.insert(&top).second) return;
  for (auto& [key, v] : top.entries()) {
    if (v.is_map()) {
      if (owned(v.as_map())) {
        separate(*v.as_map());
      } else {
        v = value::deep_copy(v);
      }
    } else {
      v = own_lists(v);
    }
  }
}

Result<Value> Coalescer::run(const Chart& chart, const Value& values, bool merge) {
  Value top = values.is_map() ? Value::map(values.map_ref()) : Value::map(nullptr);
  Map* dest = own(top);
  TRY(chart_and_subcharts(chart, *dest, nullptr, merge));
  return top;
}

Status Coalescer::chart_and_subcharts(const Chart& chart, Map& dest, const Path* prefix,
                                      bool merge) {
  defaults(chart, dest, prefix, merge);
  return subcharts(chart, dest, prefix, merge);
}

// The chart's own values.yaml under dest.
void Coalescer::defaults(const Chart& chart, Map& dest, const Path* prefix, bool merge) {
  const Map* source = chart.values.as_map();
  if (source == nullptr) return;
  Path here{prefix, chart.name()};
  std::vector<std::string_view> children;
  for (const auto& child : chart.dependencies) children.push_back(child->name());
  std::sort(children.begin(), children.end());
  bool clean = !merge && !options_.helm3;

  std::vector<Map::Entry> out;
  out.reserve(dest.size() + source->size());
  auto& old = dest.entries();
  auto d = old.begin();
  for (const auto& [key, given] : *source) {
    while (d != old.end() && d->key < key) out.push_back(std::move(*d++));
    if (d == old.end() || !(d->key == key)) {
      if (clean && given.is_nil()) continue;
      out.push_back({key, clean && is_table(given) ? without_nulls(given) : given});
      continue;
    }
    Map::Entry entry = std::move(*d++);
    if (entry.value.is_nil() && !merge) continue;
    if (is_table(entry.value)) {
      if (is_table(given)) {
        // Nulls for a subchart are kept: its own defaults are still to come.
        bool keep = merge || std::binary_search(children.begin(), children.end(), key.view());
        Value src = keep || options_.helm3 ? given : without_nulls(given);
        Path below{&here, key.view()};
        tables(*own(entry.value), src.as_map(), &below, keep, false);
      } else if (!given.is_nil()) {
        warn("coalesce.go:237", "warning: skipped value for " + here.text() + "." +
                                    std::string(key.view()) + ": Not a table.");
      }
    }
    out.push_back(std::move(entry));
  }
  std::move(d, old.end(), std::back_inserter(out));
  old = std::move(out);
}

Status Coalescer::subcharts(const Chart& chart, Map& dest, const Path* prefix, bool merge) {
  Path here{prefix, chart.name()};
  for (const auto& child : chart.dependencies) {
    Value* slot = dest.find(child->name());
    if (slot == nullptr) {
      slot = &dest.at_or_insert(Str(child->name()));
      *slot = Value::map(make());
    } else if (!is_table(*slot)) {
      Value args[] = {value::str(child->name()), *slot};
      return Error(Code::kInvalidArgument, tmpl::sprintf("type mismatch on %s: %t", args));
    }
    Map* sub = own(*slot);
    globals(*sub, dest, &here);
    TRY(chart_and_subcharts(*child, *sub, &here, merge));
  }
  return ok();
}

// src's globals over dest's, into dest. Tables go down as one-level copies: what lies inside them
// is one and the same for parent and child.
void Coalescer::globals(Map& dest, Map& src, const Path* prefix) {
  Value* theirs = dest.find(kGlobal);
  if (theirs != nullptr && !is_table(*theirs)) {
    warn("coalesce.go:138", "warning: skipping globals because destination global is not a table.");
    return;
  }
  Value* ours = src.find(kGlobal);
  if (ours != nullptr && !is_table(*ours)) {
    warn("coalesce.go:145", "warning: skipping globals because source global is not a table.");
    return;
  }
  if (theirs == nullptr) {
    theirs = &dest.at_or_insert(Str(kGlobal));
    *theirs = Value::map(make());
  }
  Map* into = own(*theirs);
  if (ours == nullptr) return;
  for (auto& [key, v] : own(*ours)->entries()) {
    Value* existing = into->find(key);
    if (!is_table(v)) {
      v = own_lists(v);
      if (existing != nullptr && is_table(*existing)) {
        warn("coalesce.go:175", "key " + std::string(key.view()) + " is table. Skipping");
      } else {
        into->set(key, v);
      }
      continue;
    }
    if (existing != nullptr && !is_table(*existing)) {
      warn("coalesce.go:161",
           "Conflict: cannot merge map onto non-map for " + quote(key) + ". Skipping.");
      continue;
    }
    Map* shared = own(v);
    for (auto& inner : shared->entries()) {
      if (is_table(inner.value)) {
        own(inner.value);
      } else {
        inner.value = own_lists(inner.value);
      }
    }
    auto copy = make();
    copy->entries() = shared->entries();
    if (existing != nullptr) {
      Path below{prefix, key.view()};
      tables(*copy, existing->as_map(), &below, true, false);
    }
    into->set(key, Value::map(copy));
  }
}

void Coalescer::merge_tables(Map& dst, const Value& src, bool merge, bool live) {
  Path root{nullptr, ""};
  tables(dst, src.as_map(), &root, merge, live);
}

void Coalescer::tables(Map& dst, Map* src, const Path* prefix, bool merge, bool live) {
  if (src == nullptr || src == &dst) return;
  std::vector<Map::Entry> out;
  out.reserve(dst.size() + src->size());
  std::vector<Map::Entry> traces;  // nulls of dst that Helm leaves in src
  auto& old = dst.entries();
  auto d = old.begin();
  auto only_in_dst = [&](Map::Entry& entry) {
    if (live && entry.value.is_nil()) traces.push_back(entry);
    out.push_back(std::move(entry));
  };
  for (auto& [key, given] : src->entries()) {
    while (d != old.end() && d->key < key) only_in_dst(*d++);
    if (d == old.end() || !(d->key == key)) {
      if (live && is_table(given)) own(given);
      out.push_back({key, given});
      continue;
    }
    Map::Entry entry = std::move(*d++);
    bool erased = entry.value.is_nil() && !merge && !given.is_nil();
    if (entry.value.is_nil()) {
      if (live) given = Value::nil();
      if (!erased) out.push_back(std::move(entry));
      continue;
    }
    Path here{prefix, key.view()};
    if (is_table(given)) {
      if (!live && entry.value.identical(given)) {
        // One map on both sides: nothing to merge.
      } else if (is_table(entry.value)) {
        if (live) own(given);
        tables(*own(entry.value), given.as_map(), &here, merge, live);
      } else {
        warn("coalesce.go:316", "warning: cannot overwrite table with non table for " +
                                    here.text() + " (" + printed(given) + ")");
      }
    } else if (is_table(entry.value) && !given.is_nil()) {
      warn("coalesce.go:319", "warning: destination for " + here.text() +
                                  " is a table. Ignoring non-table value (" + printed(given) + ")");
    }
    out.push_back(std::move(entry));
  }
  while (d != old.end()) only_in_dst(*d++);
  old = std::move(out);
  for (auto& trace : traces) src->set(trace.key, Value::nil());
}

}  // namespace pintle::chart
