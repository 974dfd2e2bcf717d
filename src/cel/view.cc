// The object's data as values: the schema decides what a number or a text is.
#include <algorithm>
#include <string>

#include "base/strings.h"
#include "cel/time.h"
#include "cel/val.h"
#include "crypt/crypt.h"

namespace pintle::cel {
namespace {

using value::Value;
using Data = value::Type;

Val wrong(Arena& arena, std::string_view wanted, const Value& v) {
  return arena.error(cat("invalid data, expected ", wanted, ", got ", value::go_type(v)));
}

Val view_text(Arena& arena, const Value& v, const Schema& schema) {
  if (!v.is_string()) return wrong(arena, "string", v);
  const std::string_view s = v.as_string();
  switch (schema.kind) {
    case Schema::Kind::kBytes: {
      auto bytes = crypt::base64_decode(s);
      return bytes ? arena.copy(*bytes, Kind::kBytes)
                   : arena.error(cat("Invalid byte formatted string ", s, ": ", bytes.error().text()));
    }
    case Schema::Kind::kDuration: {
      auto ns = parse_long_duration(s);
      return ns ? Val::duration(*ns) : arena.error(cat("Invalid duration ", s, ": unable to parse ", s, " as duration"));
    }
    case Schema::Kind::kDate: {
      auto t = parse_date(s);
      return t ? *t : arena.error(cat("Invalid date formatted string ", s, ": ", t.error().text()));
    }
    case Schema::Kind::kDateTime: {
      auto t = parse_date_time(s);
      return t ? *t : arena.error(cat("Invalid date-time formatted string ", s, ": ", t.error().text()));
    }
    default: return Val::text(s);
  }
}

}  // namespace

Val view(Arena& arena, const Value& v, const Schema& schema) {
  if (v.is_nil()) {
    return schema.nullable ? Val() : arena.error("invalid data, got null for schema with nullable=false");
  }
  switch (schema.kind) {
    case Schema::Kind::kIntOrString:
      if (v.is_string()) return Val::text(v.as_string());
      if (v.is_int()) return Val::integer(v.as_int());
      return arena.error("invalid data, expected XIntOrString value to be either a string or integer");
    case Schema::Kind::kBool: return v.is(Data::kBool) ? Val::boolean(v.as_bool()) : wrong(arena, "bool", v);
    case Schema::Kind::kInt: return v.is_int() ? Val::integer(v.as_int()) : wrong(arena, "int", v);
    case Schema::Kind::kDouble:
      if (v.is(Data::kFloat64)) return Val::real(v.as_double());
      return v.is_int() ? Val::real(static_cast<double>(v.as_int())) : wrong(arena, "float", v);
    case Schema::Kind::kList: {
      if (!v.is_list()) return arena.error("invalid data, expected an array for the provided schema with type=array");
      const auto items = v.items();
      return Val::of(arena.make(List{.raw = items.data(), .size = items.size(), .schema = &schema}));
    }
    case Schema::Kind::kMap:
    case Schema::Kind::kObject:
      if (!v.is_map()) return arena.error("invalid data, expected a map for the provided schema with type=object");
      return Val::of(arena.make(Map{.size = v.length(), .raw = &v, .schema = &schema}));
    case Schema::Kind::kHidden: {
      Val out;
      out.kind = Kind::kHidden;
      out.hidden = &v;
      return out;
    }
    default: return view_text(arena, v, schema);
  }
}

Val item(Arena& arena, const List& list, size_t i) {
  return list.vals ? list.vals[i] : view(arena, list.raw[i], *list.schema->item);
}

bool find(Arena& arena, const Map& map, const Val& key, Val* out) {
  if (!map.raw) {
    const auto* end = map.entries + map.size;
    const auto* found =
        std::find_if(map.entries, end, [&](const Map::Entry& e) { return equal(arena, e.key, key).is_true(); });
    if (found == end) return false;
    *out = found->value;
    return true;
  }
  if (!key.is(Kind::kString)) {
    *out = arena.error("no such overload");
    return true;
  }
  const bool object = map.schema->kind == Schema::Kind::kObject;
  std::string plain;
  std::string_view name = key.view();
  if (object && name.find("__") != std::string_view::npos) {
    auto unescaped = unescape_field(name);
    if (!unescaped) return false;
    plain = std::move(*unescaped);
    name = plain;
  }
  const Value* v = map.raw->get(name);
  if (!v || (object && v->is_nil())) return false;
  const Schema* below = map.schema->item.get();
  if (object) {
    auto found = map.schema->by_name.find(name);
    if (found == map.schema->by_name.end()) return false;
    below = found->second;
  }
  *out = view(arena, *v, *below);
  return true;
}

std::span<const Val> keys_of(Arena& arena, const Map& map) {
  Val* keys = arena.vals(map.size);
  size_t n = 0;
  if (!map.raw) {
    for (; n < map.size; ++n) keys[n] = map.entries[n].key;
  } else if (const auto* entries = map.raw->as_map()) {
    for (const auto& e : *entries) {
      if (map.schema->kind == Schema::Kind::kMap) {
        keys[n++] = Val::text(e.key.view());
      } else if (map.schema->by_name.contains(e.key.view())) {
        auto escaped = escape_field(e.key.view());
        keys[n++] = escaped && *escaped != e.key.view() ? arena.copy(*escaped) : Val::text(e.key.view());
      }
    }
  }
  return {keys, n};
}

}  // namespace pintle::cel
