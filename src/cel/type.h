// Types of expressions: what the checker gives each node, and their names in messages. Types are
// made in a Types (or are one of the scalars, which live for ever) and compared by structure.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cel/schema.h"

namespace pintle::cel {

// Kinds of values; those after kError are of types alone.
enum class Kind : uint8_t {
  kNull, kBool, kInt, kUint, kDouble, kString, kBytes, kDuration, kTimestamp,
  kList, kMap, kType, kOptional,
  kUrl, kQuantity, kIp, kCidr, kSemver, kFormat,
  kHidden,  // a value of unknown type out of the data; it can only be compared
  kError,
  kDyn,
  kParam,   // a type variable
  kObject,  // a map with the fields of a schema
};

struct Type;
using TypePtr = const Type*;

struct Type {
  Kind kind;
  std::vector<TypePtr> params;
  std::string name;                // of an object
  const Schema* schema = nullptr;  // of an object
  size_t id = 0;                   // of a type variable
  size_t size = 1;                 // with its parameters
};

TypePtr scalar(Kind kind);  // every kind without parameters
// What type(x) says of such a value: "int", "google.protobuf.Duration".
std::string_view value_type_name(Kind kind);
// As messages show it: "list(int)", "map(string, dyn)".
std::string type_text(TypePtr t);
bool same_type(TypePtr a, TypePtr b);

// Types that grow beyond any use become dyn, and what takes too long to find out does not fit.
class Types {
 public:
  TypePtr make(Kind kind, std::vector<TypePtr> params);
  TypePtr list(TypePtr of) { return make(Kind::kList, {of}); }
  TypePtr map(TypePtr key, TypePtr value) { return make(Kind::kMap, {key, value}); }
  TypePtr optional(TypePtr of) { return make(Kind::kOptional, {of}); }
  TypePtr type_of(TypePtr t) { return make(Kind::kType, {t}); }
  // Objects in it are named after the path to them: "self.spec".
  TypePtr of(const Schema& schema, const std::string& path);
  TypePtr variable() { return variable(x_variables++); }
  TypePtr variable(size_t id);

  // Is `from` fit where `to` is wanted (both ways, as cel-go has it)? Binds variables; when it is
  // not, none is bound.
  bool unify(TypePtr a, TypePtr b);
  bool unify(const std::vector<TypePtr>& a, const std::vector<TypePtr>& b);
  // With variables replaced by what they stand for; unbound ones by dyn when `open_to_dyn`.
  TypePtr resolve(TypePtr t, bool open_to_dyn);
  // The wider of two types that unify.
  TypePtr wider(TypePtr a, TypePtr b) const;

 private:
  bool assignable(TypePtr a, TypePtr b, int depth);
  bool substitutes(TypePtr t, TypePtr variable, bool* bound, int depth);
  bool occurs(TypePtr variable, TypePtr within, int depth);
  TypePtr bound_to(TypePtr variable) const;
  void bind(TypePtr variable, TypePtr to);

  std::deque<Type> x_types;
  bool tired() { return ++x_steps > 1'000'000; }
  void undo(size_t mark);

  std::vector<TypePtr> x_bindings;  // by variable
  struct Change {
    size_t variable;
    TypePtr before;
  };
  std::vector<Change> x_trail;  // of x_bindings
  size_t x_variables = 0, x_steps = 0;
};

}  // namespace pintle::cel
