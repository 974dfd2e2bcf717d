// Kubernetes JSONPath templates (k8s.io/client-go/util/jsonpath), for `show values --jsonpath`:
// text with {...} actions of fields, indexes, slices, unions, filters, "..", "*", range and end.
// Keys are visited in byte order (Go's order is random). Immutable; thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace pintle::action {

class JsonPath {
 public:
  // Error: Go's text ("unclosed action", "invalid array index x", ...).
  static Result<JsonPath> parse(std::string_view text);
  ~JsonPath();
  JsonPath(JsonPath&&) noexcept;
  JsonPath& operator=(JsonPath&&) noexcept;

  // Appends what the template gives for data. Error: "x is not found", "array index out of bounds:
  // index 3, length 2", ...; then nothing was appended.
  Status print(const value::Value& data, std::string& out) const;

  struct Node;

 private:
  explicit JsonPath(std::unique_ptr<Node> root);
  std::unique_ptr<Node> root_;
};

}  // namespace pintle::action
