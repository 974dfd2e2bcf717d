// FuncDef: a function templates can call, and how its arguments are checked.
//
// The VM checks count and types from the row (text/template's rules, templates.md 1.8), so a
// function body sees only arguments of its declared kinds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace pintle::value {

// Parameter kinds: Go's static parameter types. One letter each in FuncDef::params.
enum class Param : char {
  kAny = 'v',        // interface {}: nil arrives as kNil
  kReflect = 'r',    // reflect.Value (builtins): may be kInvalid
  kString = 's',
  kInt = 'i',        // int
  kInt64 = 'l',
  kUint32 = 'u',
  kFloat64 = 'f',
  kBool = 'b',
  kList = 'L',       // []interface {}
  kMap = 'm',        // map[string]interface {}
  kTime = 't',       // time.Time
  kCert = 'c',       // sprig.certificate
  kDuration = 'd',   // time.Duration; a literal arrives as kInt64
  kSemver = 'S',     // *semver.Version
  kStringList = 'W', // []string
};

// What runs the template: opaque here, tmpl::Vm in truth (value/func.h must not know tmpl).
class Machine {
 public:
  virtual ~Machine() = default;
};

struct Call {
  const Value* args;  // the piped value, if any, is the last
  uint32_t count;
  Machine* machine;   // null when called outside a template (unit tests)
  Value ret;          // set on success
  std::unique_ptr<Error> error;  // set on failure
  // What the function took besides reading its arguments and making its result, in steps of some
  // 30 ns (tmpl::Options::max_steps); for functions whose time neither tells.
  uint64_t steps = 0;
  bool copied = false;  // it only copied items of a list, which is a quarter of an item's price

  const Value& operator[](size_t i) const { return args[i]; }
  std::span<const Value> all() const { return {args, count}; }
  // return call.fail("text"): a Go error or panic; the VM says "error calling NAME: text".
  bool fail(std::string text) {
    error = std::make_unique<Error>(std::move(text));
    return false;
  }
  bool fail(Error e) {
    error = std::make_unique<Error>(std::move(e));
    return false;
  }
  bool give(Value v) {
    ret = std::move(v);
    return true;
  }
};

using NativeFn = bool (*)(Call&);  // false: call.error says why

struct FuncDef {
  std::string_view name;
  std::string_view params;  // Param letters; a final '*' makes the last one variadic: "sv*"
  NativeFn fn;
};

}  // namespace pintle::value
