#include "drydock/custom_structural.h"

#include <algorithm>
#include <set>

#include <re2/re2.h>

#include "base/gotext.h"
#include "drydock/custom_schema.h"
#include "drydock/tree.h"
#include "drydock/validation.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

constexpr int kMaxDepth = 100;

enum class Level : uint8_t { kRoot, kField, kItem };

class Checker {
 public:
  Checker(bool has_status, std::vector<Cause>& causes) : x_has_status(has_status), x_causes(causes) {}

  void node(const Value& v, const std::string& path, Level level, int depth) {
    if (depth > kMaxDepth) return invalid_value(x_causes, path, "", "is nested too deeply");
    const std::string_view type = text(v, "type");
    if (level == Level::kRoot && type != "object") return bad_root(v, type, path);
    type_of(v, type, path, level);
    if (std::string_view pattern = text(v, "pattern"); !pattern.empty()) regular(pattern, path + ".pattern");
    if (flag(v, "uniqueItems")) {
      forbidden_field(x_causes, path + ".uniqueItems",
                      "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    }
    if (has(v, "$ref")) forbidden_field(x_causes, path + ".$ref", "$ref is not supported");
    if (type == "array" && !has(v, "items")) required(x_causes, path + ".items", "must be specified");
    lists(v, type, path);
    if (has(v, "default")) default_value(v, path);
    for (std::string_view key : {"allOf", "anyOf", "oneOf"}) {
      size_t i = 0;
      for (const Value& option : items(v, key)) {
        const bool either = int_or_string(v, key, i);
        alternative(option, element(child(path, key), i++), either, depth + 1);
      }
    }
    if (const Value* negated = at(v, "not")) alternative(*negated, path + ".not", false, depth + 1);
    children(v, path, level, depth);
  }

 private:
  void bad_root(const Value& v, std::string_view type, const std::string& path) {
    if (type.empty()) return required(x_causes, path + ".type", "must not be empty at the root");
    if (x_has_status) {
      invalid_value(x_causes, path + ".type", type,
                    "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled");
    }
    if (type == "array" && !has(v, "items")) required(x_causes, path + ".items", "must be specified");
    invalid_value(x_causes, path + ".type", type, "must be object at the root");
    known_type(type, path);
  }

  void known_type(std::string_view type, const std::string& path) {
    one_of(x_causes, path + ".type", type, {"array", "boolean", "integer", "number", "object", "string"});
  }

  void type_of(const Value& v, std::string_view type, const std::string& path, Level level) {
    const Value* kept = at(v, "x-kubernetes-preserve-unknown-fields");
    if (kept && !kept->as_bool()) {
      return invalid_value(x_causes, path + ".x-kubernetes-preserve-unknown-fields", *kept, "must be true or undefined");
    }
    const bool embedded = flag(v, "x-kubernetes-embedded-resource");
    if (embedded && type != "object") {
      constexpr std::string_view kMust = "must be object if x-kubernetes-embedded-resource is true";
      if (type.empty()) required(x_causes, path + ".type", kMust);
      else invalid_value(x_causes, path + ".type", type, kMust);
    } else if (type.empty() && !kept && !flag(v, "x-kubernetes-int-or-string")) {
      required(x_causes, path + ".type",
               level == Level::kItem ? "must not be empty for specified array items"
                                     : "must not be empty for specified object fields");
    } else if (!type.empty()) {
      known_type(type, path);
    }
    if (embedded && !kept && entries(v, "properties").empty()) {
      required(x_causes, path + ".properties",
               "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields");
    }
  }

  void lists(const Value& v, std::string_view type, const std::string& path) {
    const std::string_view list = text(v, "x-kubernetes-list-type"), map = text(v, "x-kubernetes-map-type");
    if (!list.empty()) one_of(x_causes, path + ".x-kubernetes-list-type", list, {"atomic", "map", "set"});
    if (!map.empty()) one_of(x_causes, path + ".x-kubernetes-map-type", map, {"atomic", "granular"});
    if (!list.empty() && type != "array") {
      constexpr std::string_view kMust = "must be array if x-kubernetes-list-type is specified";
      if (type.empty()) required(x_causes, path + ".type", kMust);
      else invalid_value(x_causes, path + ".type", type, kMust);
    }
    const Value* item = at(v, "items");
    if (list == "set" && item) {
      constexpr std::string_view kAtomic = "must be atomic as item of a list with x-kubernetes-list-type=set";
      const Value* nested = at(*item, "x-kubernetes-list-type");
      const std::string shown = nested ? json::write(*nested).value_or("null") : "null";
      if (text(*item, "type") == "array" && nested && as_text(*nested) != "atomic") {
        invalid_text(x_causes, path + ".items.x-kubernetes-list-type", shown, kAtomic);
      } else if (text(*item, "type") == "object" && text(*item, "x-kubernetes-map-type") != "atomic") {
        invalid_text(x_causes, path + ".items.x-kubernetes-map-type", shown, kAtomic);
      }
    }
    auto keys = items(v, "x-kubernetes-list-map-keys");
    const std::string at_keys = path + ".x-kubernetes-list-map-keys";
    if (list != "map") {
      if (keys.empty()) return;
      return forbidden_field(x_causes, at_keys,
                             "must not be specified if x-kubernetes-list-type is not map");
    }
    if (keys.empty()) return required(x_causes, at_keys, "must not be empty if x-kubernetes-list-type is map");
    std::set<std::string_view> seen;
    for (const Value& key : keys) {
      const Value& shown = *at(v, "x-kubernetes-list-map-keys");
      if (item && !has(*item, "properties", as_text(key))) {
        invalid_value(x_causes, at_keys, shown, "entries must all be names of item properties");
      }
      if (!seen.insert(as_text(key)).second) invalid_value(x_causes, at_keys, shown, "must not contain duplicate entries");
    }
  }

  // As an object of the schema would be refused.
  void default_value(const Value& v, const std::string& path) {
    const std::string here = path + ".default";
    for (Cause& c : check_default(v)) {
      c.field = c.field == "<nil>" ? here : child(here, c.field);
      x_causes.push_back(std::move(c));
    }
  }

  // {anyOf: [{type: integer}, {type: string}]} beside x-kubernetes-int-or-string may name types.
  static bool int_or_string(const Value& v, std::string_view key, size_t i) {
    return flag(v, "x-kubernetes-int-or-string") && (key == "anyOf" || (key == "allOf" && i == 0));
  }

  // What may stand in allOf, anyOf, oneOf and not.
  void alternative(const Value& v, const std::string& path, bool may_name_types, int depth) {
    if (depth > kMaxDepth) return invalid_value(x_causes, path, "", "is nested too deeply");
    for (std::string_view key : {"allOf", "anyOf", "oneOf"}) {
      size_t i = 0;
      for (const Value& option : items(v, key)) {
        alternative(option, element(child(path, key), i++), may_name_types, depth + 1);
      }
    }
    if (const Value* negated = at(v, "not")) alternative(*negated, path + ".not", false, depth + 1);
    if (const Value* item = at(v, "items")) alternative(*item, path + ".items", false, depth + 1);
    for (const auto& e : entries(v, "properties")) {
      alternative(e.value, keyed(path + ".properties", e.key), false, depth + 1);
    }
    if (!text(v, "type").empty() && !may_name_types) empty(path + ".type");
    if (has(v, "additionalProperties")) absent(path + ".additionalProperties");
    if (has(v, "default")) absent(path + ".default");
    for (std::string_view key : {"title", "description"}) {
      if (!text(v, key).empty()) empty(child(path, key));
    }
    for (std::string_view key : {"nullable", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource",
                                 "x-kubernetes-int-or-string"}) {
      if (flag(v, key)) forbidden_field(x_causes, child(path, key), "must be false to be structural");
    }
    for (std::string_view key : {"x-kubernetes-list-map-keys", "x-kubernetes-validations"}) {
      if (!items(v, key).empty()) empty(child(path, key));
    }
    for (std::string_view key : {"x-kubernetes-list-type", "x-kubernetes-map-type"}) {
      if (has(v, key)) absent(child(path, key));
    }
    if (has(v, "properties", "metadata")) {
      forbidden_field(x_causes, path + ".properties[metadata]", "must not be specified in a nested context");
    }
  }
  void empty(const std::string& path) { forbidden_field(x_causes, path, "must be empty to be structural"); }
  void absent(const std::string& path) { forbidden_field(x_causes, path, "must be undefined to be structural"); }

  void children(const Value& v, const std::string& path, Level level, int depth) {
    for (const auto& e : entries(v, "properties")) {
      const std::string here = keyed(path + ".properties", e.key);
      if (level == Level::kRoot && e.key.view() == "metadata") metadata(e.value, here);
      else node(e.value, here, Level::kField, depth + 1);
    }
    if (const Value* more = at(v, "additionalProperties"); more && more->is_map()) {
      if (has(v, "properties")) {
        forbidden_field(x_causes, path + ".additionalProperties",
                        "additionalProperties and properties are mutual exclusive");
      }
      if (level == Level::kRoot) {
        forbidden_field(x_causes, path + ".additionalProperties", "must not be used at the root");
      }
      node(*more, path + ".additionalProperties", Level::kField, depth + 1);
    }
    if (const Value* item = at(v, "items")) node(*item, path + ".items", Level::kItem, depth + 1);
  }

  // The server checks metadata itself; a schema may narrow names only.
  void metadata(const Value& v, const std::string& path) {
    if (text(v, "type") != "object") {
      return invalid_value(x_causes, path + ".type", text(v, "type"), "must be object");
    }
    bool named = true;
    for (const auto& e : entries(v, "properties")) {
      named = named && (e.key.view() == "name" || e.key.view() == "generateName");
    }
    for (const auto& e : entries_of(&v)) {
      named = named && (e.key.view() == "type" || e.key.view() == "properties" || e.key.view() == "default");
    }
    if (!named) {
      forbidden_field(x_causes, path,
                      "must not specify anything other than name and generateName, but metadata is implicitly specified");
    }
  }

  void regular(std::string_view pattern, const std::string& path) {
    const re2::RE2 compiled(re2::StringPiece(pattern.data(), pattern.size()), re2::RE2::Quiet);
    if (compiled.ok()) return;
    std::string why = compiled.error();  // "missing ]: ["; Go says closing, and quotes the argument
    if (why.starts_with("missing ")) why.insert(8, "closing ");
    if (const size_t colon = why.rfind(": "); colon != std::string::npos) {
      why = why.substr(0, colon + 2) + "`" + why.substr(colon + 2) + "`";
    }
    invalid_value(x_causes, path, pattern, cat("must be a valid regular expression, but isn't: error parsing regexp: ", why));
  }

  const bool x_has_status;
  std::vector<Cause>& x_causes;
};

}  // namespace

void check_structural(const Value& schema, const std::string& path, bool has_status, std::vector<Cause>& causes) {
  Checker(has_status, causes).node(schema, path, Level::kRoot, 0);
}

}  // namespace pintle::drydock
