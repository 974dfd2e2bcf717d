// x-kubernetes-validations: rules in CEL that a schema sets for its objects (apiextensions-apiserver's
// pkg/apiserver/schema/cel). Compiled once for a version, then immutable and thread-safe.
//
// A rule sees `self`, the value it stands at, and `oldSelf`, what an update replaces there, where the
// two can be told to be the same: not below lists that are atomic or sets. A rule that fails for a
// value an update leaves alone only warns. Not done: the estimate of a rule's cost, by which the API
// server refuses definitions that could be too slow.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/cel.h"
#include "drydock/custom_nodes.h"
#include "drydock/kinds.h"
#include "value/value.h"

namespace pintle::drydock {

class CustomRules {
 public:
  // Null when the schema sets no rules. The schema must outlive it.
  // `resource`: the schema is a whole object's, which has a kind, an apiVersion and a name.
  static std::shared_ptr<const CustomRules> compile(const CustomSchema& schema, bool resource = true);

  // What the rules say of an object that its schema allows. `old` is null on create.
  void validate(const value::Value& object, const value::Value* old, std::vector<Cause>& causes,
                std::vector<std::string>* warnings) const;

  ~CustomRules();
  struct Node;

 private:
  explicit CustomRules(std::unique_ptr<Node> root);
  std::unique_ptr<Node> x_root;
};

// What is wrong with the rules of a definition's schema at `path`: their form, and when that is good
// and nothing else was wrong with the schema, their text.
void check_rules(const CustomSchema& schema, const std::string& path, bool schema_is_good,
                 std::vector<Cause>& causes);

// Inside these files: what expressions see of a schema; `resource`: it is a whole object's.
std::unique_ptr<cel::Schema> rule_types(const CustomSchema& schema, bool resource);
Result<cel::Program> compile_rule(const std::string& text, const CustomRule& rule, const cel::Schema& types,
                                  bool message);
// A rule's fieldPath as field paths are written; nullopt: no such field.
std::optional<std::string> rule_field(std::string_view path, const CustomSchema& schema);

}  // namespace pintle::drydock
