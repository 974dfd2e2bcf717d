// Rules at work: every value of an object that a rule stands at is judged, outer ones first.
#include "drydock/custom_rules.h"

#include <map>

#include "base/gotext.h"
#include "base/strings.h"
#include "drydock/custom_formats.h"
#include "drydock/tree.h"
#include "drydock/validation.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

constexpr size_t kLongestMessage = 5 * 1024;

struct Rule {
  const CustomRule* text = nullptr;
  std::optional<cel::Program> program, message;
  std::string error;  // when there is no program
  std::string field;  // below the value
};

// An element of a list of type map by the text of its keys; "": it lacks one.
std::string identity(const Value& item, const std::vector<std::string>& keys) {
  std::string out;
  for (const std::string& key : keys) {
    const Value* v = item.get(key);
    if (!v || v->is_nil() || v->is_map() || v->is_list()) return "";
    out += cat(static_cast<int>(v->type()), v->is_string() ? quote(v->as_string()) : json::write(*v).value_or(""), "|");
  }
  return out;
}

// The old elements by identity, for lists of type map; empty for others.
using Counterparts = std::map<std::string, const Value*>;
Counterparts counterparts(const CustomSchema& s, const Value* old) {
  Counterparts out;
  if (s.list_type != "map" || !old) return out;
  for (const Value& v : old->items()) {
    if (std::string id = identity(v, s.list_keys); !id.empty()) out.emplace(std::move(id), &v);
  }
  return out;
}
const Value* counterpart(const Counterparts& all, const CustomSchema& s, const Value& item) {
  if (all.empty()) return nullptr;
  auto found = all.find(identity(item, s.list_keys));
  return found == all.end() ? nullptr : found->second;
}

const CustomSchema* below(const CustomSchema& s, std::string_view key) {
  const CustomSchema* p = s.property(key);
  return p ? p : s.additional.get();
}

// Did an update leave this value alone? Data without a schema is never taken to be the same.
bool unchanged(const Value& now, const Value& old, const CustomSchema& s) {
  if (now.is_nil() || old.is_nil()) return now.is_nil() && old.is_nil();
  if (now.is_map() && old.is_map()) {
    if (now.length() != old.length()) return false;
    for (const auto& e : entries_of(&now)) {
      const Value* before = old.get(e.key.view());
      const CustomSchema* schema = below(s, e.key.view());
      if (!before || !schema || !unchanged(e.value, *before, *schema)) return false;
    }
    return true;
  }
  if (!now.is_list() || !old.is_list() || s.list_type != "map" || !s.items) return value::deep_equal(now, old);
  if (now.length() != old.length()) return false;
  const Counterparts all = counterparts(s, &old);
  for (const Value& v : now.items()) {
    const Value* before = counterpart(all, s, v);
    if (!before || !unchanged(v, *before, *s.items)) return false;
  }
  return true;
}

// What an update replaces at a place, and whether it changed it; asked of rarely, so found out late.
struct Before {
  const Value* now = nullptr;
  const Value* old = nullptr;  // null: it cannot be told here
  const CustomSchema* schema = nullptr;
  const Before* parent = nullptr;  // the nearest place that can be told
  mutable std::optional<bool> known = {};

  bool same() const {
    if (!old) return parent && parent->same();
    if (!known) known = unchanged(*now, *old, *schema);
    return *known;
  }
};

}  // namespace

struct CustomRules::Node {
  const CustomSchema* schema = nullptr;
  const cel::Schema* types = nullptr;
  std::vector<Rule> rules;
  std::map<std::string, std::unique_ptr<Node>, std::less<>> properties;
  std::unique_ptr<Node> additional, items;
  std::unique_ptr<cel::Schema> owned;  // of the root
};

namespace {

using Node = CustomRules::Node;

std::unique_ptr<Node> make(const CustomSchema& s, const cel::Schema& types) {
  if (!s.rules_below || types.kind == cel::Schema::Kind::kHidden) return nullptr;
  auto out = std::make_unique<Node>();
  out->schema = &s;
  out->types = &types;
  for (const CustomRule& r : s.rules) {
    Rule& rule = out->rules.emplace_back();
    rule.text = &r;
    auto program = compile_rule(r.rule, r, types, false);
    if (!program) {
      rule.error = program.error().text();
      continue;
    }
    rule.program = std::move(*program);
    if (!r.message_expression.empty()) {
      if (auto message = compile_rule(r.message_expression, r, types, true)) rule.message = std::move(*message);
    }
    if (!r.field_path.empty()) rule.field = rule_field(r.field_path, s).value_or("");
  }
  for (const auto& [name, property] : s.properties) {
    auto found = types.by_name.find(name);
    auto node = found == types.by_name.end() ? nullptr : make(*property, *found->second);
    if (node) out->properties.emplace(name, std::move(node));
  }
  if (s.additional && types.item) out->additional = make(*s.additional, *types.item);
  if (s.items && types.item) out->items = make(*s.items, *types.item);
  return out;
}

class Judge {
 public:
  Judge(std::vector<Cause>& causes, std::vector<std::string>* warnings) : x_causes(causes), x_warnings(warnings) {}

  void visit(const Node& n, const std::string& path, const Value& v, const Value* old, const Before& before) {
    if (x_budget.left < 0 || v.is_nil()) return;
    if (old && old->is_nil()) old = nullptr;
    if (!n.rules.empty()) judge(n, path, v, old, before);
    if (v.is_list() && n.items) return elements(n, path, v, old, before);
    for (const auto& e : entries_of(&v)) {
      if (x_budget.left < 0) return;
      const std::string_view key = e.key.view();
      auto found = n.properties.find(key);
      const Node* next = found != n.properties.end() ? found->second.get() : n.additional.get();
      if (!next) continue;
      const std::string here = found != n.properties.end() ? child(path, key) : keyed(path, key);
      visit(*next, here, e.value, old ? old->get(key) : nullptr, descend(before, key, e.value, *next->schema));
    }
  }

 private:
  void elements(const Node& n, const std::string& path, const Value& v, const Value* old, const Before& before) {
    const Counterparts olds = counterparts(*n.schema, old), known = counterparts(*n.schema, before.old);
    size_t i = 0;
    for (const Value& one : v.items()) {
      if (x_budget.left < 0) return;
      const Before here{&one, counterpart(known, *n.schema, one), n.items->schema, before.old ? &before : before.parent};
      visit(*n.items, element(path, i++), one, counterpart(olds, *n.schema, one), here);
    }
  }

  // kind and apiVersion are converted with the object: whether they changed cannot be seen.
  static Before descend(const Before& before, std::string_view key, const Value& v, const CustomSchema& schema) {
    const Value* old = before.old && before.old->is_map() ? before.old->get(key) : nullptr;
    if (!before.parent && (key == "apiVersion" || key == "kind")) return {};
    return {&v, old, &schema, before.old ? &before : before.parent};
  }

  void judge(const Node& n, const std::string& path, const Value& v, const Value* old, const Before& before) {
    const std::string& type = n.schema->type;
    auto invalid = [&](const std::string& detail) {
      add("FieldValueInvalid", cat("Invalid value: ", quote(type), ": ", detail), path);
    };
    if (x_budget.left <= 0) return invalid(out_of_budget());
    for (const Rule& rule : n.rules) {
      if (!rule.program) {
        invalid("rule compile error: " + rule.error);
        continue;
      }
      const bool optional = rule.text->optional_old.value_or(false);
      if (rule.program->uses_old_self() && !old && !optional) continue;
      const cel::Bindings bindings{.self = &v, .old_self = old, .formats = format_complaints};
      auto verdict = cel::evaluate(*rule.program, bindings, x_budget);
      if (x_budget.left < 0) return invalid(out_of_budget());
      if (!verdict) {
        const std::string& why = verdict.error().text();
        if (verdict.error().code() == Code::kResourceExhausted) {
          invalid(cat("'", why, "': no further validation rules will be run due to call cost exceeds limit for rule: ",
                      named(rule)));
          x_budget.left = -1;
          return;
        }
        if (why.starts_with("no such overload")) {
          invalid(cat("'", why, "': call arguments did not match a supported operator, function or macro signature for "
                                "rule: ", named(rule)));
        } else {
          invalid(cat(why, " evaluating rule: ", named(rule)));
        }
        continue;
      }
      if (verdict->as_bool()) continue;
      const std::string field = rule.field.empty() ? path : child(path, rule.field);
      Cause cause = refusal(rule, v, n, message_of(rule, bindings), field);
      if (x_budget.left < 0) {
        return invalid("messageExpression evaluation failed due to running out of cost budget, no further validation "
                       "rules will be run");
      }
      if (!rule.program->uses_old_self() && before.same()) {
        if (x_warnings) x_warnings->push_back(cat(shown_field(field), ": ", cause.message));
      } else {
        x_causes.push_back(std::move(cause));
      }
    }
  }

  static std::string out_of_budget() {
    return "validation failed due to running out of cost budget, no further validation rules will be run";
  }
  static std::string named(const Rule& rule) {
    const std::string& s = rule.text->message.empty() ? rule.text->rule : rule.text->message;
    return std::string(trim_space(s));
  }

  // The rule's own message; what its expression makes of it comes first, when it can be shown.
  std::string message_of(const Rule& rule, const cel::Bindings& bindings) {
    if (rule.message) {
      auto made = cel::evaluate(*rule.message, bindings, x_budget);
      if (made && made->is_string()) {
        const std::string_view text = trim_space(made->as_string());
        if (!text.empty() && text.size() <= kLongestMessage && text.find('\n') == text.npos) return std::string(text);
      }
    }
    return (rule.text->message.empty() ? "failed rule: " : "") + named(rule);
  }

  static std::string shown_field(const std::string& field) { return field.empty() ? "<nil>" : field; }

  Cause refusal(const Rule& rule, const Value& v, const Node& n, const std::string& detail, const std::string& field) {
    const bool whole = n.schema->type == "object" || n.schema->type == "array";
    std::vector<Cause> one;
    const std::string reason = rule.text->reason.value_or("FieldValueInvalid");
    if (reason == "FieldValueForbidden") forbidden_field(one, field, detail);
    else if (reason == "FieldValueRequired") required(one, field, detail);
    else if (reason == "FieldValueDuplicate" && whole) one.push_back({reason, "Duplicate value", field});
    else if (reason == "FieldValueDuplicate") duplicate(one, field, v);
    else if (whole) one.push_back({reason, "Invalid value: " + detail, field});
    else invalid_value(one, field, v, detail);
    one[0].field = shown_field(field);
    return one[0];
  }
  void add(std::string reason, std::string message, const std::string& field) {
    x_causes.push_back({std::move(reason), std::move(message), shown_field(field)});
  }

  std::vector<Cause>& x_causes;
  std::vector<std::string>* x_warnings;
  cel::Budget x_budget;
};

}  // namespace

CustomRules::CustomRules(std::unique_ptr<Node> root) : x_root(std::move(root)) {}
CustomRules::~CustomRules() = default;

std::shared_ptr<const CustomRules> CustomRules::compile(const CustomSchema& schema, bool resource) {
  if (!schema.rules_below) return nullptr;
  auto types = rule_types(schema, resource);
  auto root = make(schema, *types);
  if (!root) return nullptr;
  root->owned = std::move(types);
  return std::shared_ptr<const CustomRules>(new CustomRules(std::move(root)));
}

void CustomRules::validate(const Value& object, const Value* old, std::vector<Cause>& causes,
                           std::vector<std::string>* warnings) const {
  const Before before{&object, old, x_root->schema, nullptr};
  Judge(causes, warnings).visit(*x_root, "", object, old, before);
}

}  // namespace pintle::drydock
