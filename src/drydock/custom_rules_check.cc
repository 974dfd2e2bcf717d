// Rules as a definition declares them: their form, their text, where their errors shall show.
#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "drydock/custom_rules.h"
#include "drydock/go_struct.h"
#include "drydock/tree.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kRules = ".x-kubernetes-validations";

bool has_break(std::string_view s) { return s.find_first_of("\n\r") != std::string_view::npos; }
bool blank(const std::string& s) { return trim_space(s).empty(); }

// The rule as the API server shows it in refusals.
std::string shown(const CustomRule& rule) {
  Value v = empty_map();
  put(v, "rule", rule.rule);
  put(v, "message", rule.message);
  put(v, "messageExpression", rule.message_expression);
  if (rule.reason) put(v, "reason", *rule.reason);
  put(v, "fieldPath", rule.field_path);
  if (rule.optional_old) put(v, "optionalOldSelf", *rule.optional_old);
  return go_struct(&v, "Rule,Message,MessageExpression,Reason,FieldPath,OptionalOldSelf");
}

void form(const CustomRule& rule, const CustomSchema& schema, const std::string& path, std::vector<Cause>& out) {
  const std::string_view message = trim_space(rule.message);
  if (blank(rule.rule)) {
    required(out, path + ".rule", "rule is not specified");
  } else if (!rule.message.empty() && message.empty()) {
    invalid_value(out, path + ".message", rule.message, "must be non-empty if specified");
  } else if (has_break(message)) {
    invalid_value(out, path + ".message", rule.message, "must not contain line breaks");
  } else if (has_break(trim_space(rule.rule)) && message.empty()) {
    required(out, path + ".message", "message must be specified if rule contains line breaks");
  }
  if (!rule.message_expression.empty() && blank(rule.message_expression)) {
    required(out, path + ".messageExpression", "messageExpression must be non-empty if specified");
  }
  if (rule.reason) {
    one_of(out, path + ".reason", *rule.reason,
           {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"});
  }
  if (rule.field_path.empty()) return;
  const std::string field = path + ".fieldPath";
  if (blank(rule.field_path)) invalid_value(out, field, rule.field_path, "must be non-empty if specified");
  if (has_break(rule.field_path)) invalid_value(out, field, rule.field_path, "must not contain line breaks");
  if (!rule_field(rule.field_path, schema)) invalid_value(out, field, rule.field_path, "must be a valid path");
}

// `apart`: where the schema stops telling which old value a new one replaces; "": nowhere yet.
void text(const CustomRule& rule, const cel::Schema& types, const std::string& path, const std::string& apart,
          std::vector<Cause>& out) {
  auto program = compile_rule(rule.rule, rule, types, false);
  if (!program) {
    invalid_text(out, path + ".rule", shown(rule), program.error().text());
  } else if (!rule.message_expression.empty()) {
    auto message = compile_rule(rule.message_expression, rule, types, true);
    if (!message) invalid_text(out, path + ".messageExpression", shown(rule), message.error().text());
  }
  const bool uses_old = program && program->uses_old_self();
  if (uses_old && !apart.empty()) {
    invalid_value(out, path + ".rule", rule.rule,
                  "oldSelf cannot be used on the uncorrelatable portion of the schema within " + apart);
  } else if (!uses_old && rule.optional_old) {
    invalid_value(out, path + ".optionalOldSelf", Value::boolean(*rule.optional_old),
                  "may not be set if oldSelf is not used in rule");
  }
}

// Calls visit(schema, path, resource, apart) for each node with rules at or below it, inner ones first.
template <typename Visit>
void each(const CustomSchema& s, const std::string& path, bool resource, const std::string& apart, const Visit& visit) {
  if (!s.rules_below) return;
  if (s.additional) each(*s.additional, path + ".additionalProperties", s.additional->embedded, apart, visit);
  for (const auto& [name, below] : s.properties) {
    each(*below, keyed(path + ".properties", name), below->embedded, apart, visit);
  }
  if (s.items) {
    const bool correlates = s.list_type == "map";
    each(*s.items, path + ".items", s.items->embedded, correlates || !apart.empty() ? apart : path, visit);
  }
  if (!s.rules.empty()) visit(s, path + std::string(kRules), resource, apart);
}

}  // namespace

void check_rules(const CustomSchema& schema, const std::string& path, bool schema_is_good, std::vector<Cause>& causes) {
  const size_t before = causes.size();
  each(schema, path, true, "", [&](const CustomSchema& s, const std::string& here, bool, const std::string&) {
    for (size_t i = 0; i < s.rules.size(); ++i) form(s.rules[i], s, element(here, i), causes);
  });
  if (!schema_is_good || causes.size() != before) return;
  each(schema, path, true, "", [&](const CustomSchema& s, const std::string& here, bool resource,
                                   const std::string& apart) {
    const auto types = rule_types(s, resource);
    if (types->kind == cel::Schema::Kind::kHidden) {
      causes.push_back({"InternalError",
                        "Internal error: internal error: failed to construct type information for "
                        "x-kubernetes-validations rules: failed to convert to declType for CEL validation rules",
                        here});
      return;
    }
    for (size_t i = 0; i < s.rules.size(); ++i) text(s.rules[i], *types, element(here, i), apart, causes);
  });
}

std::optional<std::string> rule_field(std::string_view path, const CustomSchema& schema) {
  const CustomSchema* at = &schema;
  std::string out;
  // One step down: a property by its name, or any key of a map.
  auto descend = [&](const std::string& name) {
    if (!at->properties.empty()) {
      at = at->property(name);
      if (at) out += (out.empty() ? "" : ".") + name;
    } else {
      at = at->additional.get();
      if (at) out += "[" + name + "]";
    }
    return at != nullptr;
  };
  while (!path.empty()) {
    std::string name;
    if (path.starts_with("['")) {
      constexpr std::string_view kFrom = "abfnrtv'\\", kTo = "\a\b\f\n\r\t\v'\\";
      size_t i = 2;
      for (; i < path.size() && path[i] != '\''; ++i) {
        if (path[i] != '\\') {
          name += path[i];
          continue;
        }
        if (++i == path.size() || kFrom.find(path[i]) == std::string_view::npos) return std::nullopt;
        name += kTo[kFrom.find(path[i])];
      }
      if (!path.substr(std::min(i, path.size())).starts_with("']")) return std::nullopt;
      path.remove_prefix(i + 2);
    } else if (path.starts_with('.') && path.size() > 1) {
      path.remove_prefix(1);
      const size_t end = std::min(path.find_first_of(".[]"), path.size());
      name = path.substr(0, end);
      path.remove_prefix(end);
    } else {
      return std::nullopt;
    }
    if (name.empty() || !descend(name)) return std::nullopt;
  }
  return out;
}

}  // namespace pintle::drydock
