// Reading definitions and their schemas; pruning and defaulting by them.
#include "drydock/custom_schema.h"

#include <algorithm>
#include <utility>

#include "drydock/custom_nodes.h"
#include "drydock/tree.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

constexpr int kMaxDepth = 100;

std::optional<int64_t> whole(const Value& v, std::string_view key) {
  if (!at(v, key)) return std::nullopt;
  return number(v, key);
}
std::optional<double> real(const Value& v, std::string_view key) {
  const Value* found = at(v, key);
  if (!found) return std::nullopt;
  if (found->is_int()) return static_cast<double>(found->as_int());
  if (found->is(value::Type::kFloat64)) return found->as_double();
  return std::nullopt;
}
std::vector<std::string> texts(const Value& v, std::string_view key) {
  std::vector<std::string> out;
  for (const Value& item : items(v, key)) {
    if (item.is_string()) out.emplace_back(item.as_string());
  }
  return out;
}

using Node = std::unique_ptr<CustomSchema>;

std::vector<CustomRule> rules_of(const Value& v) {
  std::vector<CustomRule> out;
  for (const Value& r : items(v, "x-kubernetes-validations")) {
    CustomRule& rule = out.emplace_back();
    rule.rule = text(r, "rule");
    rule.message = text(r, "message");
    rule.message_expression = text(r, "messageExpression");
    rule.field_path = text(r, "fieldPath");
    if (has(r, "reason")) rule.reason = text(r, "reason");
    if (has(r, "optionalOldSelf")) rule.optional_old = flag(r, "optionalOldSelf");
  }
  return out;
}

// Is there a rule here or below? The nodes below know already.
bool has_rules(const CustomSchema& s) {
  auto below = [](const Node& n) { return n && n->rules_below; };
  return !s.rules.empty() || below(s.items) || below(s.additional) ||
         std::any_of(s.properties.begin(), s.properties.end(), [&](const auto& p) { return below(p.second); });
}

Result<Node> parse(const Value& v, int depth);

Result<std::vector<Node>> parse_all(const Value& v, std::string_view key, int depth) {
  std::vector<Node> out;
  for (const Value& item : items(v, key)) out.push_back(TRY(parse(item, depth)));
  return out;
}

Result<Node> parse(const Value& v, int depth) {
  if (depth > kMaxDepth) return Error(Code::kInvalidArgument, "the schema is nested too deeply");
  auto out = std::make_unique<CustomSchema>();
  out->type = text(v, "type");
  out->format = text(v, "format");
  out->pattern = text(v, "pattern");
  out->list_type = text(v, "x-kubernetes-list-type");
  out->list_keys = texts(v, "x-kubernetes-list-map-keys");
  out->int_or_string = flag(v, "x-kubernetes-int-or-string");
  out->preserve_unknown = flag(v, "x-kubernetes-preserve-unknown-fields");
  out->embedded = flag(v, "x-kubernetes-embedded-resource");
  out->nullable = flag(v, "nullable");
  out->unique = flag(v, "uniqueItems");
  out->maximum = real(v, "maximum");
  out->minimum = real(v, "minimum");
  out->multiple_of = real(v, "multipleOf");
  out->exclusive_maximum = flag(v, "exclusiveMaximum");
  out->exclusive_minimum = flag(v, "exclusiveMinimum");
  out->max_length = whole(v, "maxLength");
  out->min_length = whole(v, "minLength");
  out->max_items = whole(v, "maxItems");
  out->min_items = whole(v, "minItems");
  out->max_properties = whole(v, "maxProperties");
  out->min_properties = whole(v, "minProperties");
  out->required = texts(v, "required");
  if (!out->pattern.empty()) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    out->regex = std::make_unique<re2::RE2>(out->pattern, options);
  }
  for (const Value& item : items(v, "enum")) out->allowed.push_back(value::deep_copy(item));
  if (const Value* found = at(v, "default")) {
    out->default_json = TRY(json::write(*found, {.escape_html = false}));
  }
  for (const auto& entry : entries(v, "properties")) {
    out->properties.emplace(entry.key.view(), TRY(parse(entry.value, depth + 1)));
  }
  if (const Value* found = at(v, "additionalProperties")) {
    if (found->is_map()) {
      out->additional = TRY(parse(*found, depth + 1));
    } else {
      out->any_additional = flag(v, "additionalProperties");
    }
  }
  if (const Value* found = at(v, "items")) out->items = TRY(parse(*found, depth + 1));
  if (const Value* found = at(v, "not")) out->negated = TRY(parse(*found, depth + 1));
  out->all_of = TRY(parse_all(v, "allOf", depth + 1));
  out->any_of = TRY(parse_all(v, "anyOf", depth + 1));
  out->one_of = TRY(parse_all(v, "oneOf", depth + 1));
  out->rules = rules_of(v);
  out->rules_below = has_rules(*out);
  return out;
}

bool is_meta(std::string_view key) {
  return key == "apiVersion" || key == "kind" || key == "metadata";
}

// ---- pruning ----

class Pruner {
 public:
  explicit Pruner(std::vector<std::string>& unknown) : unknown_(unknown) {}

  // `schema` null: nothing is known below here.
  void visit(Value& v, const CustomSchema* schema, bool root) {
    bool keep = schema && schema->preserve_unknown;
    if (v.is_list()) {
      size_t i = 0;
      for (Value& item : elements_of(&v)) {
        Path here(*this, "[" + std::to_string(i++) + "]");
        const CustomSchema* below = schema ? schema->items.get() : nullptr;
        if (below || !keep) visit(item, below, false);
      }
      return;
    }
    if (!v.is_map() || !v.as_map()) return;
    std::vector<std::string> gone;
    for (auto& entry : v.as_map()->entries()) {
      std::string_view key = entry.key.view();
      if (schema && (schema->embedded || root) && is_meta(key)) continue;
      if (const CustomSchema* below = schema ? schema->property(key) : nullptr) {
        descend(entry.value, below, key);
      } else if (schema && (schema->additional || schema->any_additional)) {
        if (schema->additional) descend(entry.value, schema->additional.get(), key);
      } else if (!keep) {
        if (!is_meta(key) || !path_.empty()) unknown_.push_back(joined(key));
        gone.emplace_back(key);
      }
    }
    for (const std::string& key : gone) v.as_map()->erase(key);
  }

 private:
  struct Path {
    Path(Pruner& p, const std::string& step) : p_(p), size_(p.path_.size()) { p.path_ += step; }
    ~Path() { p_.path_.resize(size_); }
    Pruner& p_;
    size_t size_;
  };
  std::string joined(std::string_view key) const {
    return path_ + (path_.empty() ? "" : ".") + std::string(key);
  }
  void descend(Value& v, const CustomSchema* schema, std::string_view key) {
    Path here(*this, (path_.empty() ? "" : ".") + std::string(key));
    visit(v, schema, false);
  }

  std::vector<std::string>& unknown_;
  std::string path_;
};

// ---- defaults ----

void drop_nulls(Value& v, const CustomSchema* schema) {
  if (v.is_map() && v.as_map()) {
    std::vector<std::string> gone;
    for (auto& entry : v.as_map()->entries()) {
      const CustomSchema* below = schema ? schema->property(entry.key.view()) : nullptr;
      if (!below && schema) below = schema->additional.get();
      if (entry.value.is_nil() && below && !below->nullable && below->default_json.empty()) {
        gone.emplace_back(entry.key.view());
      } else {
        drop_nulls(entry.value, below);
      }
    }
    for (const std::string& key : gone) v.as_map()->erase(key);
  } else {
    for (Value& item : elements_of(&v)) drop_nulls(item, schema ? schema->items.get() : nullptr);
  }
}

Value default_of(const CustomSchema& schema) {
  if (schema.default_json.empty()) return {};
  auto read = json::read(schema.default_json, {.numbers = json::Numbers::kExact});
  return read ? *read : Value();
}

void fill(Value& v, const CustomSchema* schema) {
  if (!schema) return;
  if (v.is_map() && v.as_map()) {
    for (const auto& [name, below] : schema->properties) {
      if (below->default_json.empty()) continue;
      const Value* found = v.get(name);
      if (!found || (found->is_nil() && !below->nullable)) put(v, name, default_of(*below));
    }
    for (auto& entry : v.as_map()->entries()) {
      const CustomSchema* below = schema->property(entry.key.view());
      if (!below) below = schema->additional.get();
      if (!below) continue;
      if (entry.value.is_nil() && !below->nullable) entry.value = default_of(*below);
      fill(entry.value, below);
    }
  } else if (schema->items) {
    for (Value& item : elements_of(&v)) {
      if (item.is_nil() && !schema->items->nullable) item = default_of(*schema->items);
      fill(item, schema->items.get());
    }
  }
}

Result<CustomVersion> parse_version(const Value& v) {
  CustomVersion out;
  out.name = text(v, "name");
  out.served = flag(v, "served");
  out.storage = flag(v, "storage");
  out.deprecated = flag(v, "deprecated");
  out.deprecation_warning = text(v, "deprecationWarning");
  if (const Value* schema = at(v, "schema", "openAPIV3Schema")) {
    out.schema = TRY(parse_schema(*schema));
  }
  out.status = at(v, "subresources", "status") != nullptr;
  if (const Value* scale = at(v, "subresources", "scale")) {
    out.scale = CustomVersion::Scale{std::string(text(*scale, "specReplicasPath")),
                                     std::string(text(*scale, "statusReplicasPath")),
                                     std::string(text(*scale, "labelSelectorPath"))};
  }
  for (const Value& column : items(v, "additionalPrinterColumns")) {
    CustomColumn c;
    c.name = text(column, "name");
    c.type = text(column, "type");
    c.format = text(column, "format");
    c.description = text(column, "description");
    c.priority = static_cast<int>(number(column, "priority"));
    c.json_path = text(column, "jsonPath");
    out.columns.push_back(std::move(c));
  }
  for (const Value& field : items(v, "selectableFields")) {
    std::string_view path = text(field, "jsonPath");
    if (path.starts_with('.')) out.selectable.emplace_back(path);
  }
  return out;
}

}  // namespace

std::vector<Cause> check_default(const Value& schema) {
  std::vector<Cause> out;
  const Value* wanted = at(schema, "default");
  auto parsed = parse(schema, 0);
  if (wanted && parsed) validate_custom(*wanted, parsed->get(), out);
  return out;
}

Result<std::shared_ptr<const CustomSchema>> parse_schema(const Value& schema) {
  return std::shared_ptr<const CustomSchema>(TRY(parse(schema, 0)));
}

Result<CustomDefinition> parse_definition(const Value& crd) {
  CustomDefinition out;
  out.group = text(crd, "spec", "group");
  out.plural = text(crd, "spec", "names", "plural");
  out.singular = text(crd, "spec", "names", "singular");
  out.kind = text(crd, "spec", "names", "kind");
  out.list_kind = text(crd, "spec", "names", "listKind");
  if (const Value* names = at(crd, "spec", "names")) {
    out.short_names = texts(*names, "shortNames");
    out.categories = texts(*names, "categories");
  }
  out.namespaced = text(crd, "spec", "scope") != "Cluster";
  for (const Value& v : items(crd, "spec", "versions")) {
    out.versions.push_back(TRY(parse_version(v)));
  }
  return out;
}

void prune(Value& object, const CustomSchema* schema, std::vector<std::string>& unknown) {
  if (!schema) return;
  size_t before = unknown.size();
  Pruner(unknown).visit(object, schema, true);
  std::sort(unknown.begin() + static_cast<ptrdiff_t>(before), unknown.end());
}

void fill_defaults(Value& object, const CustomSchema* schema) {
  drop_nulls(object, schema);
  fill(object, schema);
}

void default_and_prune(Value& object, const CustomSchema* schema,
                       std::vector<std::string>& unknown) {
  prune(object, schema, unknown);
  fill_defaults(object, schema);
}

}  // namespace pintle::drydock
