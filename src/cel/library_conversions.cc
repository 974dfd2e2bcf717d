// From one type to another: int('1'), string(1.5), bytes('x'), type(x), dyn(x).
#include <cmath>

#include "base/gotext.h"
#include "base/strings.h"
#include "cel/function.h"
#include "cel/things.h"
#include "cel/time.h"

namespace pintle::cel {
namespace {

using Args = std::span<const Val>;

Val same(Arena&, Args v) { return v[0]; }
Val type_of(Arena&, Args v) { return Val::type(v[0].kind); }

Val no_conversion(Arena& a, const Val& from, Kind to) {
  return a.error(cat("type conversion error from '", value_type_name(from.kind), "' to '", value_type_name(to), "'"));
}

Val text_to_bool(Arena& a, Args v) {
  const std::string_view s = v[0].view();
  for (std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (s == yes) return Val::boolean(true);
  }
  for (std::string_view no : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (s == no) return Val::boolean(false);
  }
  return no_conversion(a, v[0], Kind::kBool);
}
Val text_to_bytes(Arena&, Args v) { return Val::text(v[0].view(), Kind::kBytes); }
Val bytes_to_text(Arena& a, Args v) {
  if (!valid_utf8(v[0].view())) return a.error("invalid UTF-8 in bytes, cannot convert to string");
  return Val::text(v[0].view());
}

Val int_to_double(Arena&, Args v) { return Val::real(static_cast<double>(v[0].i)); }
Val uint_to_double(Arena&, Args v) { return Val::real(static_cast<double>(v[0].u)); }
Val text_to_double(Arena& a, Args v) {
  bool range = false;
  auto d = parse_float(v[0].view(), &range);
  return d && !range ? Val::real(*d) : no_conversion(a, v[0], Kind::kDouble);
}

Val double_to_int(Arena& a, Args v) {
  const double d = v[0].d;
  if (!(d > -9223372036854775808.0 && d < 9223372036854775808.0)) return a.error("integer overflow");
  return Val::integer(static_cast<int64_t>(d));
}
Val uint_to_int(Arena& a, Args v) {
  return v[0].u > INT64_MAX ? a.error("integer overflow") : Val::integer(static_cast<int64_t>(v[0].u));
}
Val text_to_int(Arena& a, Args v) {
  ParseError error = ParseError::kNone;
  const int64_t i = parse_int(v[0].view(), 10, 64, &error);
  return error == ParseError::kNone ? Val::integer(i) : no_conversion(a, v[0], Kind::kInt);
}
Val raw_to_int(Arena&, Args v) { return Val::integer(v[0].i); }

Val double_to_uint(Arena& a, Args v) {
  const double d = v[0].d;
  if (!(d >= 0 && d < 18446744073709551616.0)) return a.error("unsigned integer overflow");
  return Val::uinteger(static_cast<uint64_t>(d));
}
Val int_to_uint(Arena& a, Args v) {
  return v[0].i < 0 ? a.error("unsigned integer overflow") : Val::uinteger(static_cast<uint64_t>(v[0].i));
}
Val text_to_uint(Arena& a, Args v) {
  ParseError error = ParseError::kNone;
  const uint64_t u = parse_uint(v[0].view(), 10, 64, &error);
  return error == ParseError::kNone ? Val::uinteger(u) : no_conversion(a, v[0], Kind::kUint);
}

Val to_text(Arena& a, Args v) { return a.copy(shown(a, v[0])); }
Val address_to_text(Arena& a, Args v) {
  const auto& ip = thing<IpThing>(v[0]);
  return a.copy(v[0].is(Kind::kCidr) ? cat(address_text(ip), "/", ip.prefix) : address_text(ip));
}

Val int_to_duration(Arena&, Args v) { return Val::duration(v[0].i); }
Val text_to_duration(Arena& a, Args v) {
  auto ns = parse_duration(v[0].view());
  return ns ? Val::duration(*ns) : no_conversion(a, v[0], Kind::kDuration);
}
Val int_to_timestamp(Arena& a, Args v) {
  return v[0].i < kFirstTime || v[0].i > kLastTime ? a.error("timestamp overflow") : Val::timestamp(v[0].i, 0);
}
Val text_to_timestamp(Arena& a, Args v) {
  auto t = parse_rfc3339(v[0].view());
  if (!t) return no_conversion(a, v[0], Kind::kTimestamp);
  return t->i < kFirstTime || t->i > kLastTime ? a.error("timestamp overflow") : *t;
}

constexpr Row kRows[] = {
    {"bool", "bool -> bool", same},
    {"bool", "string -> bool", text_to_bool},
    {"bytes", "bytes -> bytes", same},
    {"bytes", "string -> bytes", text_to_bytes, Cost::kText},
    {"double", "double -> double", same},
    {"double", "int -> double", int_to_double},
    {"double", "string -> double", text_to_double},
    {"double", "uint -> double", uint_to_double},
    {"duration", "duration -> duration", same},
    {"duration", "int -> duration", int_to_duration},
    {"duration", "string -> duration", text_to_duration},
    {"dyn", "A -> dyn", same},
    {"int", "int -> int", same},
    {"int", "double -> int", double_to_int},
    {"int", "duration -> int", raw_to_int},
    {"int", "string -> int", text_to_int},
    {"int", "timestamp -> int", raw_to_int},
    {"int", "uint -> int", uint_to_int},
    {"string", "string -> string", same},
    {"string", "bool -> string", to_text},
    {"string", "bytes -> string", bytes_to_text, Cost::kText},
    {"string", "double -> string", to_text},
    {"string", "duration -> string", to_text},
    {"string", "int -> string", to_text},
    {"string", "timestamp -> string", to_text},
    {"string", "uint -> string", to_text},
    {"string", "net.IP -> string", address_to_text},
    {"string", "net.CIDR -> string", address_to_text},
    {"timestamp", "timestamp -> timestamp", same},
    {"timestamp", "int -> timestamp", int_to_timestamp},
    {"timestamp", "string -> timestamp", text_to_timestamp},
    {"type", "A -> type(A)", type_of},
    {"uint", "uint -> uint", same},
    {"uint", "double -> uint", double_to_uint},
    {"uint", "int -> uint", int_to_uint},
    {"uint", "string -> uint", text_to_uint},
};

}  // namespace

std::span<const Row> conversion_rows() { return kRows; }

}  // namespace pintle::cel
