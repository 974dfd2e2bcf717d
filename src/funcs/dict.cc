// Sprig's dictionary functions. Maps are references: set, unset and merge change the caller's map
// and return it. `keys` and `values`, whose order Go leaves to chance, go by key.
#include <algorithm>

#include "base/strings.h"
#include "funcs/convert.h"
#include "funcs/families.h"
#include "funcs/funcs.h"
#include "funcs/merge.h"

namespace pintle::funcs {

using value::Call;
using value::FuncDef;
using value::MapBuilder;
using value::Type;
using value::Value;

namespace {

// A parameter of type map[string]interface {} gives a value of that type, whatever name the
// argument's type had (common.Values).
Value as_plain_map(const Value& v) { return Value::map(v.map_ref()); }

bool dict(Call& c) {
  MapBuilder map;
  map.reserve((c.count + 1) / 2);
  for (uint32_t i = 0; i < c.count; i += 2) {
    map.add(to_str(c[i]), i + 1 < c.count ? c[i + 1] : value::str(""));
  }
  return c.give(Value::map(map.finish()));
}

bool get(Call& c) {
  const Value* v = c[0].get(c[1].as_string());
  return c.give(v ? *v : value::str(""));
}

constexpr size_t kEntriesMovedInAStep = 4;

void tell_change(Call& c) {
  if (YamlTexts* texts = env(c).yaml_texts) texts->changed();
}

bool set(Call& c) {
  if (c[0].as_map() == nullptr) return c.fail("assignment to entry in nil map");
  tell_change(c);
  value::Map& map = *c[0].as_map();
  const size_t before = map.size();
  map.set(c[1].str(), c[2]);
  if (map.size() > before && !(map.entries().back().key == c[1].str())) {
    c.steps = before / kEntriesMovedInAStep;
  }
  return c.give(as_plain_map(c[0]));
}

bool unset(Call& c) {
  tell_change(c);
  if (c[0].as_map() && c[0].as_map()->erase(c[1].as_string())) {
    c.steps = c[0].length() / kEntriesMovedInAStep;
  }
  return c.give(as_plain_map(c[0]));
}

bool has_key(Call& c) { return c.give(Value::boolean(c[0].get(c[1].as_string()) != nullptr)); }

bool pluck(Call& c) {
  std::vector<Value> out;
  for (const Value& map : c.all().subspan(1)) {
    if (const Value* v = map.get(c[0].as_string())) out.push_back(*v);
  }
  return c.give(Value::list_of(std::move(out)));
}

bool keys(Call& c) {
  std::vector<Value> out;
  for (const Value& map : c.all()) {
    if (!map.as_map()) continue;
    out.reserve(out.size() + map.length());
    for (const auto& e : *map.as_map()) out.push_back(Value::string(e.key));
  }
  return c.give(Value::list_of(std::move(out), Type::kStringList));
}

bool values(Call& c) {
  std::vector<Value> out;
  out.reserve(c[0].length());
  if (c[0].as_map()) {
    for (const auto& e : *c[0].as_map()) out.push_back(e.value);
  }
  return c.give(Value::list_of(std::move(out)));
}

bool pick(Call& c) {
  MapBuilder map;
  for (const Value& key : c.all().subspan(1)) {
    if (const Value* v = c[0].get(key.as_string())) map.add(key.str(), *v);
  }
  return c.give(Value::map(map.finish()));
}

bool omit(Call& c) {
  auto out = value::make_map();
  auto names = c.all().subspan(1);
  auto omitted = [&](std::string_view key) {
    return std::any_of(names.begin(), names.end(),
                       [&](const Value& name) { return name.as_string() == key; });
  };
  if (c[0].as_map()) {
    out->reserve(c[0].length());
    c.steps = c[0].length() * names.size();
    for (const auto& e : *c[0].as_map()) {
      if (!omitted(e.key)) out->entries().push_back(e);
    }
  }
  return c.give(Value::map(std::move(out)));
}

bool fail_conversion(Call& c, const Value& v, std::string_view wanted) {
  if (v.is_nil()) return c.fail(cat("interface conversion: interface {} is nil, not ", wanted));
  return c.fail(
      cat("interface conversion: interface {} is ", value::go_type(v), ", not ", wanted));
}

bool dig(Call& c) {
  constexpr std::string_view kMapType = "map[string]interface {}";
  if (c.count < 3) return c.fail("dig needs at least three arguments");
  const Value* at = &c[c.count - 1];
  if (!at->is(Type::kMap)) return fail_conversion(c, *at, kMapType);
  auto path = c.all().first(c.count - 2);
  for (const Value& key : path) {
    if (!key.is_string()) return fail_conversion(c, key, "string");
  }
  for (size_t i = 0; i < path.size(); ++i) {
    if (!at->is(Type::kMap)) return fail_conversion(c, *at, kMapType);
    at = at->get(path[i].as_string());
    if (at == nullptr) return c.give(c[c.count - 2]);
  }
  return c.give(*at);
}

enum class OnError { kEmptyString, kFail };

bool merge_into(Call& c, Overwrite overwrite, OnError on_error) {
  tell_change(c);
  auto dst = c[0].map_ref();
  if (!dst && c.count > 1) {
    bool any = std::any_of(c.args + 1, c.args + c.count,
                           [](const Value& v) { return v.as_map() != nullptr; });
    if (any) dst = value::make_map();
  }
  size_t looked = 0;
  for (const Value& src : c.all().subspan(1)) {
    if (!src.as_map()) continue;
    const Status merged = merge_maps(*dst, *src.as_map(), overwrite, looked);
    c.steps = looked;
    if (!merged) {
      if (on_error == OnError::kFail) return c.fail(merged.error());
      return c.give(value::str(""));
    }
  }
  return c.give(Value::map(std::move(dst)));
}

bool merge(Call& c) { return merge_into(c, Overwrite::kNo, OnError::kEmptyString); }
bool must_merge(Call& c) { return merge_into(c, Overwrite::kNo, OnError::kFail); }
bool merge_overwrite(Call& c) { return merge_into(c, Overwrite::kYes, OnError::kEmptyString); }
bool must_merge_overwrite(Call& c) { return merge_into(c, Overwrite::kYes, OnError::kFail); }

constexpr FuncDef kRows[] = {
    {"dict", "v*", dict},
    {"dig", "v*", dig},
    {"get", "ms", get},
    {"hasKey", "ms", has_key},
    {"keys", "m*", keys},
    {"merge", "mm*", merge},
    {"mergeOverwrite", "mm*", merge_overwrite},
    {"mustMerge", "mm*", must_merge},
    {"mustMergeOverwrite", "mm*", must_merge_overwrite},
    {"omit", "ms*", omit},
    {"pick", "ms*", pick},
    {"pluck", "sm*", pluck},
    {"set", "msv", set},
    {"unset", "ms", unset},
    {"values", "m", values},
};

}  // namespace

Family dict_family() { return kRows; }

}  // namespace pintle::funcs
