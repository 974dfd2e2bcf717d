// Handing managed fields over from client-side to server-side apply. The rule is client-go's
// csaupgrade: one Apply entry for helm keeps the union of what helm's Update entries of its version
// owned; those entries go.
#include <optional>

#include "kube/apply.h"

namespace pintle::kube {
namespace {

constexpr std::string_view kManager = "helm";

std::string text_at(const value::Value& map, std::string_view key) {
  const value::Value* v = map.get(key);
  return v && v->is_string() ? std::string(v->as_string()) : std::string();
}

bool is_entry(const value::Value& entry, std::string_view operation) {
  return text_at(entry, "manager") == kManager && text_at(entry, "operation") == operation &&
         text_at(entry, "subresource").empty();
}

// The union of two field sets: maps of maps.
value::Value merged(const value::Value& a, const value::Value& b) {
  if (!a.is_map() || !a.as_map()) return b;
  if (!b.is_map() || !b.as_map()) return a;
  value::Value out = value::deep_copy(a);
  for (const auto& [key, v] : *b.as_map()) {
    const value::Value* mine = out.get(key.view());
    out.as_map()->set(key, mine ? merged(*mine, v) : v);
  }
  return out;
}

value::Value operation(std::string_view path, value::Value v) {
  auto map = value::make_map();
  map->set("op", value::str("replace"));
  map->set("path", value::str(path));
  map->set("value", std::move(v));
  return value::Value::map(map);
}

}  // namespace

Result<value::Value> managers_patch(const value::Value& live) {
  const value::Value* metadata = live.get("metadata");
  const value::Value* fields = metadata ? metadata->get("managedFields") : nullptr;
  if (!fields) return value::Value();
  const auto entries = fields->items();
  std::optional<size_t> keep, first_update;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!keep && is_entry(entries[i], "Apply")) keep = i;
    if (!first_update && is_entry(entries[i], "Update")) first_update = i;
  }
  if (!first_update) return value::Value();
  const size_t base = keep.value_or(*first_update);
  value::Value entry = value::deep_copy(entries[base]);
  entry.as_map()->set("operation", value::str("Apply"));
  const std::string version = text_at(entry, "apiVersion");
  std::vector<value::Value> out;
  size_t place = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i == base) {
      place = out.size();
      out.emplace_back();
    } else if (is_entry(entries[i], "Update")) {
      const value::Value* theirs = entries[i].get("fieldsV1");
      const value::Value* ours = entry.get("fieldsV1");
      if (theirs && text_at(entries[i], "apiVersion") == version) {
        entry.as_map()->set("fieldsV1", ours ? merged(*ours, *theirs) : *theirs);
      }
    } else {
      out.push_back(entries[i]);
    }
  }
  out[place] = std::move(entry);
  const value::Value* resource_version = metadata->get("resourceVersion");
  return value::Value::list_of(
      {operation("/metadata/managedFields", value::Value::list_of(std::move(out))),
       operation("/metadata/resourceVersion",
                 resource_version ? *resource_version : value::str(""))});
}

}  // namespace pintle::kube
