// Comparison, index, len and printing with Go's rules and words. Arguments declared 'r' come as
// reflect.Value would: kInvalid and kNil are told apart where Go's text differs.
#include "tmpl/builtins.h"

#include <cmath>

#include "base/gotext.h"
#include "base/strings.h"
#include "base/url.h"
#include "tmpl/escape.h"
#include "tmpl/print.h"
#include "tmpl/print_verbs.h"

namespace pintle::tmpl {

namespace {

using value::Call;
using value::FuncDef;
using value::Kind;
using value::Type;
using value::Value;

class Complex : public value::Object {
 public:
  Complex(double real, double imaginary)
      : parts_(Value::list_of({Value::number(real), Value::number(imaginary)})) {}
  std::string_view go_type() const override { return "complex128"; }
  Kind kind() const override { return Kind::kComplex; }
  std::string_view kind_name() const override { return "complex128"; }
  bool truth() const override { return part(0) != 0 || part(1) != 0; }
  void print(std::string& out, bool) const override {
    out += '(';
    append_float(out, part(0), 'g', -1);
    if (!std::signbit(part(1)) && !std::isinf(part(1))) out += '+';
    append_float(out, part(1), 'g', -1);
    out += "i)";
  }
  bool equals(const Object& o) const override {
    auto* other = dynamic_cast<const Complex*>(&o);
    return other != nullptr && part(0) == other->part(0) && part(1) == other->part(1);
  }
  Value basic() const override { return parts_; }  // [real, imaginary]: fmt needs both

 private:
  double part(size_t i) const { return parts_.items()[i].as_double(); }
  Value parts_;
};

// ---- comparison ----

enum class Basic : uint8_t { kNone, kBool, kComplex, kInt, kFloat, kString, kUint };

Basic basic_kind(const Value& v) {
  switch (value::kind(v)) {
    case Kind::kBool: return Basic::kBool;
    case Kind::kInt: return Basic::kInt;
    case Kind::kUint: return Basic::kUint;
    case Kind::kFloat: return Basic::kFloat;
    case Kind::kComplex: return Basic::kComplex;
    case Kind::kString: return Basic::kString;
    default: return Basic::kNone;
  }
}

bool is_valid(const Value& v) { return !v.is_nil() && !v.is_invalid(); }

bool is_nil(const Value& v) {
  if (!is_valid(v)) return true;
  if (v.is_list()) return v.as_list() == nullptr;
  if (v.is_map()) return v.as_map() == nullptr;
  return false;
}

std::string incompatible(const Value& a, const Value& b) {
  return cat("incompatible types for comparison: ", value::go_type(a), " and ", value::go_type(b));
}

std::string as_percent_s(const Value& v) { return sprintf("%s", {&v, 1}); }
std::string as_percent_v(const Value& v) {
  std::string out;
  print_value(out, v);
  return out;
}

// Equality of two values; false with `error` filled when they cannot be compared.
bool equal(const Value& a, const Value& b, std::string& error) {
  if (a.is_string() && b.is_string()) return a.as_string() == b.as_string();
  Basic ka = basic_kind(a), kb = basic_kind(b);
  if (ka != kb) {
    if (ka == Basic::kInt && kb == Basic::kUint) {
      int64_t x = basic_of(a).as_int();
      return x >= 0 && static_cast<uint64_t>(x) == basic_of(b).as_uint();
    }
    if (ka == Basic::kUint && kb == Basic::kInt) {
      int64_t y = basic_of(b).as_int();
      return y >= 0 && static_cast<uint64_t>(y) == basic_of(a).as_uint();
    }
    if (is_valid(a) && is_valid(b)) error = incompatible(a, b);
    return false;
  }
  switch (ka) {
    case Basic::kBool: return basic_of(a).as_bool() == basic_of(b).as_bool();
    case Basic::kInt: return basic_of(a).as_int() == basic_of(b).as_int();
    case Basic::kUint: return basic_of(a).as_uint() == basic_of(b).as_uint();
    case Basic::kFloat: return basic_of(a).as_double() == basic_of(b).as_double();
    case Basic::kString: return basic_of(a).as_string() == basic_of(b).as_string();
    case Basic::kComplex: return a.as_object()->equals(*b.as_object());
    case Basic::kNone: break;
  }
  bool same_kind = value::kind_name(a) == value::kind_name(b);
  if (!same_kind && is_valid(a) && is_valid(b)) {
    error = cat("non-comparable types ", as_percent_s(a), ": ", value::go_type(a), ", ",
                value::go_type(b), ": ", as_percent_v(b));
    return false;
  }
  if (is_nil(a) || is_nil(b)) return is_nil(a) == is_nil(b);
  if (!b.is_object() || b.as_object()->elements() != nullptr) {
    error = cat("non-comparable type ", as_percent_s(b), ": ", value::go_type(b));
    return false;
  }
  return a.is_object() && value::go_type(a) == value::go_type(b) &&
         a.as_object()->equals(*b.as_object());
}

bool less(const Value& a, const Value& b, std::string& error) {
  Basic ka = basic_kind(a), kb = basic_kind(b);
  if (ka == Basic::kNone || kb == Basic::kNone) {
    error = "invalid type for comparison";
    return false;
  }
  Value x = basic_of(a), y = basic_of(b);
  if (ka != kb) {
    if (ka == Basic::kInt && kb == Basic::kUint) {
      return x.as_int() < 0 || static_cast<uint64_t>(x.as_int()) < y.as_uint();
    }
    if (ka == Basic::kUint && kb == Basic::kInt) {
      return y.as_int() >= 0 && x.as_uint() < static_cast<uint64_t>(y.as_int());
    }
    error = incompatible(a, b);
    return false;
  }
  switch (ka) {
    case Basic::kInt: return x.as_int() < y.as_int();
    case Basic::kUint: return x.as_uint() < y.as_uint();
    case Basic::kFloat: return x.as_double() < y.as_double();
    case Basic::kString: return x.as_string() < y.as_string();
    default: break;
  }
  error = "invalid type for comparison";
  return false;
}

bool answer(Call& call, bool result, std::string error) {
  if (!error.empty()) return call.fail(std::move(error));
  return call.give(Value::boolean(result));
}

bool fn_eq(Call& call) {
  if (call.count < 2) return call.fail("missing argument for comparison");
  for (uint32_t i = 1; i < call.count; ++i) {
    std::string error;
    if (equal(call[0], call[i], error)) return call.give(Value::boolean(true));
    if (!error.empty()) return call.fail(std::move(error));
  }
  return call.give(Value::boolean(false));
}

bool fn_ne(Call& call) {
  std::string error;
  bool same = equal(call[0], call[1], error);
  return answer(call, !same, std::move(error));
}

bool fn_lt(Call& call) {
  std::string error;
  bool result = less(call[0], call[1], error);
  return answer(call, result, std::move(error));
}

bool less_or_equal(Call& call, std::string& error) {
  if (less(call[0], call[1], error)) return true;
  return error.empty() && equal(call[0], call[1], error);
}

bool fn_le(Call& call) {
  std::string error;
  bool result = less_or_equal(call, error);
  return answer(call, result, std::move(error));
}

bool fn_gt(Call& call) {
  std::string error;
  bool result = less_or_equal(call, error);
  return answer(call, !result, std::move(error));
}

bool fn_ge(Call& call) {
  std::string error;
  bool result = less(call[0], call[1], error);
  return answer(call, !result, std::move(error));
}

bool fn_not(Call& call) { return call.give(Value::boolean(!value::truth(call[0]))); }

// ---- index, slice, len ----

std::string_view pointee_type(const Value& v) { return without_prefix(value::go_type(v), "*"); }

bool is_sequence(const Value& v) {
  return v.is_string() || v.is(Type::kBytes) || v.is_list() ||
         (v.is_object() && v.as_object()->elements() != nullptr);
}

size_t sequence_length(const Value& v) {
  if (v.is_string() || v.is(Type::kBytes)) return v.as_string().size();
  if (v.is_list()) return v.length();
  return v.as_object()->elements()->items.size();
}

// One index argument of index and slice; the message, or "" and x in 0..length.
std::string index_arg(const Value& index, size_t length, size_t& x) {
  Value n = basic_of(index);
  int64_t i = 0;
  if (n.is_int()) {
    i = n.as_int();
  } else if (n.is_uint()) {
    i = static_cast<int64_t>(n.as_uint());
  } else if (!is_valid(n)) {
    return "cannot index slice/array with nil";
  } else {
    return cat("cannot index slice/array with type ", value::go_type(index));
  }
  if (i < 0 || static_cast<uint64_t>(i) > length) return cat("index out of range: ", i);
  x = static_cast<size_t>(i);
  return {};
}

bool index_sequence(Call& call, const Value& index, Value& item) {
  size_t length = sequence_length(item), x = 0;
  std::string error = index_arg(index, length, x);
  if (!error.empty()) return call.fail(std::move(error));
  if (x == length) {
    return call.fail(item.is_string() ? "reflect: string index out of range"
                                      : "reflect: slice index out of range");
  }
  if (item.is_string() || item.is(Type::kBytes)) {
    item = Value::uint8(static_cast<uint8_t>(item.as_string()[x]));
  } else if (item.is_list()) {
    item = Value(item.items()[x]);
  } else {
    item = Value(item.as_object()->elements()->items[x]);
  }
  return true;
}

// The value of a key that a map does not have: the zero of its element type.
Value zero_element(Type map) {
  if (map == Type::kStringMap) return Value::string(value::Str());
  if (map == Type::kFiles) return Value::bytes(value::Str());
  return Value();
}

bool index_map(Call& call, const Value& key, Value& item) {
  if (!is_valid(key)) return call.fail("value is nil; should be of type string");
  if (!key.is_string()) {
    return call.fail(cat("value has type ", value::go_type(key), "; should be string"));
  }
  const Value* found = item.get(key.as_string());
  item = found != nullptr ? Value(*found) : zero_element(item.type());
  return true;
}

bool fn_index(Call& call) {
  if (!is_valid(call[0])) return call.fail("index of untyped nil");
  Value item = call[0];
  for (uint32_t i = 1; i < call.count; ++i) {
    if (!is_valid(item)) return call.fail("index of nil pointer");
    bool ok = false;
    if (is_sequence(item)) {
      ok = index_sequence(call, call[i], item);
    } else if (item.is_map()) {
      ok = index_map(call, call[i], item);
    } else {
      ok = call.fail(cat("can't index item of type ", pointee_type(item)));
    }
    if (!ok) return false;
  }
  return call.give(std::move(item));
}

bool fn_slice(Call& call) {
  const Value& item = call[0];
  if (!is_valid(item)) return call.fail("slice of untyped nil");
  uint32_t indexes = call.count - 1;
  if (indexes > 3) return call.fail(cat("too many slice indexes: ", indexes));
  if (item.is_string() && indexes == 3) return call.fail("cannot 3-index slice a string");
  if (!is_sequence(item)) return call.fail(cat("can't slice item of type ", pointee_type(item)));
  size_t length = sequence_length(item);
  size_t at[3] = {0, length, length};
  for (uint32_t i = 0; i < indexes; ++i) {
    std::string error = index_arg(call[i + 1], length, at[i]);
    if (!error.empty()) return call.fail(std::move(error));
  }
  if (at[0] > at[1]) return call.fail(cat("invalid slice index: ", at[0], " > ", at[1]));
  if (indexes == 3 && at[1] > at[2]) {
    return call.fail(cat("invalid slice index: ", at[1], " > ", at[2]));
  }
  if (item.is_string() || item.is(Type::kBytes)) {
    value::Str part(item.as_string().substr(at[0], at[1] - at[0]));
    return call.give(item.is_string() ? Value::string(part) : Value::bytes(part));
  }
  auto items = item.is_list() ? item.items() : std::span(item.as_object()->elements()->items);
  items = items.subspan(at[0], at[1] - at[0]);
  Type type = item.is_list() ? item.type() : Type::kStringList;
  return call.give(Value::list_of({items.begin(), items.end()}, type));
}

bool fn_len(Call& call) {
  const Value& item = call[0];
  if (item.is_invalid()) return call.fail("reflect: call of reflect.Value.Type on zero Value");
  if (item.is_nil()) return call.fail("len of nil pointer");
  if (item.is_map()) return call.give(Value::integer(static_cast<int64_t>(item.length())));
  if (!is_sequence(item)) return call.fail(cat("len of type ", pointee_type(item)));
  return call.give(Value::integer(static_cast<int64_t>(sequence_length(item))));
}

// ---- printing ----

bool give_text(Call& call, std::string text) {
  if (text.size() > kMaxPrinted) return call.fail("output is too large");
  return call.give(value::str(text));
}

bool fn_print(Call& call) { return give_text(call, sprint(call.all())); }
bool fn_println(Call& call) { return give_text(call, sprintln(call.all())); }
bool fn_printf(Call& call) {
  return give_text(call, sprintf(call[0].as_string(), call.all().subspan(1)));
}

// html, js and urlquery print their arguments as an action would, then escape the text.
std::string joined(Call& call) {
  if (call.count == 1 && call[0].is_string()) return std::string(call[0].as_string());
  std::vector<Value> args;
  for (const Value& v : call.all()) {
    if (is_valid(v) && !v.is_object()) {
      args.push_back(v);
    } else {
      std::string text;
      print_action(text, v);
      args.push_back(value::str(text));
    }
  }
  return sprint(args);
}

bool fn_html(Call& call) { return give_text(call, html_escape(joined(call))); }
bool fn_js(Call& call) { return give_text(call, js_escape(joined(call))); }
bool fn_urlquery(Call& call) { return give_text(call, query_escape(joined(call))); }

// and, or and call never get here: the compiler and the VM run them.
bool fn_special(Call& call) { return call.fail("unreachable"); }

constexpr FuncDef kBuiltins[] = {
    {"and", "rr*", fn_special}, {"call", "rr*", fn_special}, {"eq", "rr*", fn_eq},
    {"ge", "rr", fn_ge},        {"gt", "rr", fn_gt},         {"html", "v*", fn_html},
    {"index", "rr*", fn_index}, {"js", "v*", fn_js},         {"le", "rr", fn_le},
    {"len", "r", fn_len},       {"lt", "rr", fn_lt},         {"ne", "rr", fn_ne},
    {"not", "r", fn_not},       {"or", "rr*", fn_special},   {"print", "v*", fn_print},
    {"printf", "sv*", fn_printf}, {"println", "v*", fn_println}, {"slice", "rr*", fn_slice},
    {"urlquery", "v*", fn_urlquery},
};

}  // namespace

std::span<const FuncDef> builtins() { return kBuiltins; }

Special special(const FuncDef* function) {
  if (function < std::begin(kBuiltins) || function >= std::end(kBuiltins)) return Special::kNone;
  if (function->fn != fn_special) return Special::kNone;
  if (function->name == "and") return Special::kAnd;
  return function->name == "or" ? Special::kOr : Special::kCall;
}

std::string not_callable(std::string_view name, const Value& v) {
  if (!is_valid(v)) return "call of nil";
  return cat("non-function ", name, " of type ", value::go_type(v));
}

Value complex_number(double real, double imaginary) {
  return Value::object(Ref<Complex>::make(real, imaginary));
}

Value basic_of(const Value& v) {
  if (!v.is_object()) return v;
  Value basic = v.as_object()->basic();
  return basic.is_invalid() ? v : basic;
}

}  // namespace pintle::tmpl
