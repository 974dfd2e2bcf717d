#include "chart/values.h"

#include "base/gotext.h"
#include "chart/coalesce.h"

namespace pintle::chart {

using value::Map;
using value::Type;
using value::Value;

namespace {

Error no_table(std::string_view name) {
  return Error(Code::kNotFound, quote(name) + " is not a table");
}
Error no_value(std::string_view name) {
  return Error(Code::kNotFound, quote(name) + " is not a value");
}

}  // namespace

Result<Value> coalesce_values(const Chart& chart, const Value& values,
                              const ValuesOptions& options) {
  Coalescer pass(options);
  Value result = TRY(pass.run(chart, values, false));
  pass.separate(*result.as_map());
  return result;
}

Result<Value> merge_values(const Chart& chart, const Value& values, const ValuesOptions& options) {
  return Coalescer(options).run(chart, values, true);
}

Value coalesce_tables(const Value& dst, const Value& src, const ValuesOptions& options) {
  if (src.as_map() == nullptr) return dst;
  if (dst.as_map() == nullptr) return src;
  Coalescer pass(options);
  Value result = dst;
  pass.merge_tables(*pass.own(result), src, false, false);
  return result;
}

Value merge_maps(const Value& a, const Value& b) {
  if (b.length() == 0) return a.length() == 0 ? Value::map(value::make_map()) : a;
  auto out = value::make_map();
  auto& entries = out->entries();
  entries.reserve(a.length() + b.length());
  static const std::vector<Map::Entry> kNone;
  auto left = a.length() == 0 ? kNone.begin() : a.as_map()->begin();
  auto left_end = a.length() == 0 ? kNone.end() : a.as_map()->end();
  for (const auto& [key, v] : *b.as_map()) {
    while (left != left_end && left->key < key) entries.push_back(*left++);
    if (left == left_end || !(left->key == key)) {
      entries.push_back({key, v});
      continue;
    }
    bool both = v.is(Type::kMap) && left->value.is(Type::kMap);
    entries.push_back({key, both ? merge_maps(left->value, v) : v});
    ++left;
  }
  entries.insert(entries.end(), left, left_end);
  return Value::map(out);
}

Result<Value> table(const Value& values, std::string_view dotted) {
  Value at = values;
  for (;;) {
    size_t dot = dotted.find('.');
    std::string_view name = dotted.substr(0, dot);
    const Value* next = at.get(name);
    if (next == nullptr || !(next->is(Type::kMap) || next->is(Type::kValues))) return no_table(name);
    at = *next;
    if (dot == std::string_view::npos) return Value::map(at.map_ref(), Type::kValues);
    dotted.remove_prefix(dot + 1);
  }
}

Result<Value> path_value(const Value& values, std::string_view dotted) {
  if (dotted.empty()) return Error(Code::kInvalidArgument, "YAML path cannot be empty");
  size_t dot = dotted.rfind('.');
  std::string_view name = dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
  Value holder = values;
  if (dot != std::string_view::npos) {
    auto found = table(values, dotted.substr(0, dot));
    if (!found) return no_value(name);
    holder = *found;
  }
  const Value* v = holder.get(name);
  if (v == nullptr || v->is(Type::kMap)) return no_value(name);
  return *v;
}

}  // namespace pintle::chart
