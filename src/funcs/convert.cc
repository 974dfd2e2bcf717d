#include "funcs/convert.h"

#include <cmath>

#include "base/gotext.h"
#include "base/strings.h"
#include "tmpl/print.h"

namespace pintle::funcs {

using value::Str;
using value::Type;
using value::Value;

namespace {

// "5.00" -> "5"; anything with another ending stays. Points at the very end are passed over, as
// cast does ("5.00." -> "5").
std::string_view trim_zero_decimal(std::string_view s) {
  bool zero = false;
  for (size_t i = s.size(); i-- > 0;) {
    if (s[i] == '0') {
      zero = true;
    } else if (s[i] != '.') {
      return s;
    } else if (zero) {
      return s.substr(0, i);
    }
  }
  return s;
}

// Go's conversion on amd64: toward zero, the smallest integer for what does not fit.
int64_t truncate(double d) {
  if (!(d > -9223372036854775808.0 && d < 9223372036854775808.0)) return INT64_MIN;
  return static_cast<int64_t>(d);
}

// cast knows these two of Go's named integers.
const Value* named_int(const Value& v, Value& room) {
  std::string_view type = v.as_object()->go_type();
  if (type != "time.Month" && type != "time.Weekday") return nullptr;
  room = v.as_object()->basic();
  return &room;
}

}  // namespace

Str to_str(const Value& v) {
  if (v.is_string() || v.is(Type::kBytes)) return v.str();
  std::string out;
  tmpl::print_value(out, v);
  return Str(out);
}

Value to_string_value(const Value& v) { return v.is_string() ? v : Value::string(to_str(v)); }

void append_str(std::string& out, const Value& v) {
  if (v.is_string() || v.is(Type::kBytes)) {
    out.append(v.as_string());
  } else {
    tmpl::print_value(out, v);
  }
}

int64_t to_int64(const Value& v) {
  switch (v.type()) {
    case Type::kBool: return v.as_bool() ? 1 : 0;
    case Type::kInt:
    case Type::kInt64: return v.as_int();
    case Type::kUint8:
    case Type::kUint32:
    case Type::kUint64: return static_cast<int64_t>(v.as_uint());
    case Type::kFloat64: return truncate(v.as_double());
    case Type::kString: {
      ParseError error;
      int64_t n = parse_int(trim_zero_decimal(v.as_string()), 0, 64, &error);
      return error == ParseError::kNone ? n : 0;
    }
    case Type::kObject: {
      Value room;
      const Value* n = named_int(v, room);
      return n && n->is_int() ? n->as_int() : 0;
    }
    default: return 0;
  }
}

double to_float64(const Value& v) {
  switch (v.type()) {
    case Type::kUint8:
    case Type::kUint32:
    case Type::kUint64: return static_cast<double>(v.as_uint());
    case Type::kFloat64: return v.as_double();
    case Type::kString: {
      bool range;
      auto d = parse_float(v.as_string(), &range);
      return d && !range ? *d : 0;
    }
    default: return static_cast<double>(to_int64(v));
  }
}

Elements::Elements(const Value& v) {
  if (v.is_list()) {
    items_ = v.items();
  } else if (v.is(Type::kBytes)) {
    for (char c : v.as_string()) owned_.push_back(Value::uint8(static_cast<uint8_t>(c)));
    items_ = owned_;
  } else if (v.is_object() && v.as_object()->elements() != nullptr) {
    items_ = v.as_object()->elements()->items;
  } else {
    is_list_ = false;
  }
}

Value to_string_list(const Value& v) {
  if (v.is(Type::kStringList)) return v;
  std::vector<Value> out;
  if (Elements list(v); list) {
    out.reserve(list.size());
    for (const Value& x : list.items()) {
      if (!x.is_nil()) out.push_back(to_string_value(x));
    }
  } else if (!v.is_nil()) {
    out.push_back(to_string_value(v));
  }
  return Value::list_of(std::move(out), Type::kStringList);
}

size_t find_text(std::string_view s, std::string_view what, size_t from) {
  if (what.size() <= kShortText || s.size() <= kShortText) return s.find(what, from);
  if (from > s.size()) return s.npos;
  const void* found = ::memmem(s.data() + from, s.size() - from, what.data(), what.size());
  return found == nullptr ? s.npos : static_cast<size_t>(static_cast<const char*>(found) - s.data());
}

bool fail_size(value::Call& call) {
  return call.fail(cat("result is larger than ", kMaxBytes, " bytes"));
}

bool fail_items(value::Call& call) {
  return call.fail(cat("result has more than ", kMaxItems, " elements"));
}

}  // namespace pintle::funcs
