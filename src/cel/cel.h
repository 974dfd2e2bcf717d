// CEL, the Common Expression Language, as Kubernetes 1.36 has it in x-kubernetes-validations: the
// language and messages of cel-go 0.26, its strings (version 2), lists (3), sets, optionals and
// two-variable macros, and Kubernetes' lists, regex, url, quantity, ip, cidr, semver and format.
//
//   auto program = compile("self.minReplicas <= self.maxReplicas", schema);
//   Budget budget;
//   auto verdict = evaluate(*program, {.self = &object}, budget);
//
// A Program is made once, immutable and thread-safe; its Schema must outlive it. Evaluating copies
// nothing of the object, so the object may be shared with whoever only reads it.
//
// Bounds: texts of 100,000 characters, nesting of 250; an evaluation ends when its cost (cel-go's
// runtime cost, nearly) exceeds kCallLimit, its memory 64 MiB. Not done: the estimate of a rule's
// cost by which the API server refuses definitions, names of time zones, the authorizer. Maps are
// walked in the order of their keys, which cel-go leaves to chance.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cel/schema.h"
#include "value/value.h"

namespace pintle::cel {

inline constexpr int64_t kCallLimit = 1'000'000;  // of one evaluation

class Program {
 public:
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  const std::string& result_type() const;  // "bool", "string", "list(int)"
  bool uses_old_self() const;

  struct Rep;
  const Rep& rep() const { return *x_rep; }
  explicit Program(std::unique_ptr<Rep> rep);

 private:
  std::unique_ptr<Rep> x_rep;
};

// `self` and `oldSelf` are of the schema; oldSelf is an optional of it when `optional_old`. Errors:
// kInvalidArgument, "ERROR: <input>:1:5: undefined field 'x'\n | self.x\n | ....^", one or more such;
// kFailedPrecondition for constants that cannot be: "type conversion error from 'string' to 'int'".
Result<Program> compile(std::string_view text, const Schema& schema, bool optional_old = false);

struct Bindings {
  const value::Value* self = nullptr;      // never null
  const value::Value* old_self = nullptr;  // null: there is none
  // What is wrong with a text that claims one of Kubernetes' formats; null: nothing ever is.
  std::vector<std::string> (*formats)(std::string_view format, std::string_view text) = nullptr;
};

// What is left to spend; each evaluation takes its cost from it, below zero when that was too much.
struct Budget {
  int64_t left = 10 * kCallLimit;
};

// A bool, int, uint, double or text; nil for anything else. Errors: cel-go's words ("no such key: x",
// "no such overload"); kResourceExhausted: kCallLimit was passed.
Result<value::Value> evaluate(const Program& program, const Bindings& bindings, Budget& budget);

}  // namespace pintle::cel
