// Sprig's defaults, choices and questions about types, and deepCopy.
#include "base/strings.h"
#include "funcs/convert.h"
#include "funcs/families.h"
#include "value/counted.h"

namespace pintle::funcs {

using value::Call;
using value::FuncDef;
using value::Value;

namespace {

bool default_value(Call& c) { return c.give(c[c.count > 1 && !empty(c[1]) ? 1 : 0]); }
bool is_empty(Call& c) { return c.give(Value::boolean(empty(c[0]))); }

bool coalesce(Call& c) {
  for (const Value& v : c.all()) {
    if (!empty(v)) return c.give(v);
  }
  return c.give(Value::nil());
}

bool all(Call& c) {
  for (const Value& v : c.all()) {
    if (empty(v)) return c.give(Value::boolean(false));
  }
  return c.give(Value::boolean(true));
}

bool any(Call& c) {
  for (const Value& v : c.all()) {
    if (!empty(v)) return c.give(Value::boolean(true));
  }
  return c.give(Value::boolean(false));
}

bool ternary(Call& c) { return c.give(c[c[2].as_bool() ? 0 : 1]); }

bool type_of(Call& c) { return c.give(value::str(value::go_type(c[0]))); }
bool kind_of(Call& c) { return c.give(value::str(value::kind_name(c[0]))); }
bool type_is(Call& c) {
  return c.give(Value::boolean(c[0].as_string() == value::go_type(c[1])));
}
bool type_is_like(Call& c) {
  std::string_view want = c[0].as_string(), type = value::go_type(c[1]);
  return c.give(Value::boolean(want == type || without_prefix(type, "*") == want));
}
bool kind_is(Call& c) {
  return c.give(Value::boolean(c[0].as_string() == value::kind_name(c[1])));
}
bool deep_equal(Call& c) {
  size_t compared = 0;
  const bool equal = value::deep_equal(c[0], c[1], compared);
  c.steps = compared;
  return c.give(Value::boolean(equal));
}

constexpr size_t kMaxCopy = size_t{1} << 18;  // nodes; each may cost 100 bytes

bool deep_copy(Call& c) {
  if (c[0].is_nil()) return c.fail("reflect: call of reflect.Value.Type on zero Value");
  size_t copied = 0;
  std::optional<Value> copy = value::deep_copy(c[0], kMaxCopy, kMaxDepth, copied);
  c.steps = copied;
  if (!copy) return c.fail(cat("value is too deep or has more than ", kMaxCopy, " elements"));
  return c.give(std::move(*copy));
}

constexpr FuncDef kRows[] = {
    {"all", "v*", all},
    {"any", "v*", any},
    {"coalesce", "v*", coalesce},
    {"deepCopy", "v", deep_copy},
    {"deepEqual", "vv", deep_equal},
    {"default", "vv*", default_value},
    {"empty", "v", is_empty},
    {"kindIs", "sv", kind_is},
    {"kindOf", "v", kind_of},
    {"mustDeepCopy", "v", deep_copy},
    {"ternary", "vvb", ternary},
    {"typeIs", "sv", type_is},
    {"typeIsLike", "sv", type_is_like},
    {"typeOf", "v", type_of},
};

}  // namespace

Family logic_family() { return kRows; }

}  // namespace pintle::funcs
