// The functions expressions may call: tables of rows, one per library file, read once at the first
// compile. A row is a name, a signature as the documentation writes it and what runs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/type.h"
#include "cel/val.h"

namespace pintle::cel {

// Nothing but the arena: functions are pure. Arguments are never errors, and as the signature says.
using Run = Val (*)(Arena& arena, std::span<const Val> args);

// What a call costs (cel-go's and Kubernetes' cost trackers). A text is a tenth of its characters.
enum class Cost : uint8_t {
  kOne,
  kText,        // of the first argument
  kTwoTexts,    // of both, put together
  kTwiceText,
  kTwiceResult,
  kLesserText,  // of the shorter of two
  kRegex,       // text times expression
  kContains,    // text times text
  kElements,    // of the list in the first argument
  kInList,      // of the list in the second
  kNewList,     // a list of the result's size is made
  kSquare,      // every element is compared with every other
  kSets, kTwiceSets,
  kCidr,        // an address within a network
  kFormat,
};

struct Row {
  std::string_view name;
  // "string.(int) -> string": a receiver before the point; "list(A), A -> int": none. Capital letters
  // are variables.
  std::string_view signature;
  Run run;
  Cost cost = Cost::kOne;
};

struct Overload {
  bool member = false;
  std::vector<TypePtr> parameters;  // the receiver first
  TypePtr result = nullptr;
  size_t variables = 0;  // numbered from 0
  Run run = nullptr;
  Cost cost = Cost::kOne;
};
struct Function {
  std::string name;
  bool is_operator = false;  // "_+_"
  std::vector<Overload> overloads;
};

const Function* function_named(std::string_view name);
// May a value be handed to a parameter of this type? Lists and maps are judged by their first element.
bool fits(Arena& arena, const Val& v, TypePtr t);

// The tables, by file.
std::span<const Row> operator_rows();
std::span<const Row> conversion_rows();
std::span<const Row> string_rows();
std::span<const Row> text_format_rows();
std::span<const Row> list_rows();
std::span<const Row> regex_rows();
std::span<const Row> time_rows();
std::span<const Row> optional_rows();
std::span<const Row> url_rows();
std::span<const Row> quantity_rows();
std::span<const Row> ip_rows();
std::span<const Row> semver_rows();
std::span<const Row> named_format_rows();

}  // namespace pintle::cel
