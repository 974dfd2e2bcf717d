// Definitions as objects of their own: defaults, checks, status; and columns of custom objects.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/gotext.h"
#include "base/strings.h"
#include "drydock/custom_rules.h"
#include "drydock/custom_schema.h"
#include "drydock/custom_structural.h"
#include "drydock/go_struct.h"
#include "drydock/tree.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

constexpr int kMaxDepth = 100;

std::string shown(const Value& v) {
  auto written = json::write(v);
  return written ? *written : "null";
}

class Checker {
 public:
  explicit Checker(std::vector<Cause>& causes) : causes_(causes) {}

  void required(const std::string& field, std::string_view why = "") {
    causes_.push_back({"FieldValueRequired",
                       "Required value" + (why.empty() ? "" : ": " + std::string(why)), field});
  }
  void invalid(const std::string& field, const std::string& value, std::string_view why) {
    causes_.push_back(
        {"FieldValueInvalid", "Invalid value: " + value + ": " + std::string(why), field});
  }
  void forbidden(const std::string& field, std::string_view why) {
    causes_.push_back({"FieldValueForbidden", "Forbidden: " + std::string(why), field});
  }
  void not_supported(const std::string& field, std::string_view value, std::string_view all) {
    causes_.push_back({"FieldValueNotSupported",
                       "Unsupported value: " + quote(value) + ": supported values: " +
                           std::string(all),
                       field});
  }

 private:
  std::vector<Cause>& causes_;
};

bool is_dns_label(std::string_view s) {
  if (s.empty() || s.size() > 63 || s.front() == '-' || s.back() == '-') return false;
  return std::all_of(s.begin(), s.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}
bool is_label_1035(std::string_view s) { return is_dns_label(s) && s[0] >= 'a'; }
bool is_dns_subdomain(std::string_view s) {
  if (s.empty() || s.size() > 253) return false;
  while (true) {
    size_t dot = s.find('.');
    if (!is_dns_label(s.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    s.remove_prefix(dot + 1);
  }
}

constexpr std::string_view kLabel1035 =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kSubdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

void check_names(const Value& crd, Checker& check) {
  struct Name {
    std::string_view key;
    bool lower_first;
  };
  for (Name n : {Name{"plural", false}, Name{"singular", false}, Name{"kind", true},
                 Name{"listKind", true}}) {
    std::string field = "spec.names." + std::string(n.key);
    std::string_view name = text(crd, "spec", "names", n.key);
    if (name.empty()) {
      check.required(field);
    } else if (!is_label_1035(n.lower_first ? to_lower(name) : std::string(name))) {
      check.invalid(field, quote(name),
                    (n.lower_first ? "may have mixed case, but should otherwise match: " : "") +
                        std::string(kLabel1035));
    }
  }
  for (std::string_view key : {"shortNames", "categories"}) {
    size_t i = 0;
    for (const Value& v : items(crd, "spec", "names", key)) {
      const std::string_view name = v.is_string() ? v.as_string() : std::string_view();
      const std::string field = "spec.names." + std::string(key) + "[" + std::to_string(i++) + "]";
      if (!is_label_1035(name)) check.invalid(field, quote(name), kLabel1035);
    }
  }
  std::string_view kind = text(crd, "spec", "names", "kind");
  if (!kind.empty() && kind == text(crd, "spec", "names", "listKind")) {
    check.invalid("spec.names.listKind", quote(kind), "kind and listKind may not be the same");
  }
}

bool simple_path(std::string_view path) { return path.starts_with('.') && path.size() > 1; }

void check_columns(const Value& columns, const std::string& field, Checker& check) {
  size_t i = 0;
  for (const Value& c : columns.items()) {
    const std::string here = field + "[" + std::to_string(i++) + "]";
    if (text(c, "name").empty()) check.required(here + ".name");
    const std::string_view type = text(c, "type"), path = text(c, "jsonPath");
    if (type.empty()) check.required(here + ".type");
    else if (type != "boolean" && type != "date" && type != "integer" && type != "number" && type != "string") {
      check.invalid(here + ".type", quote(type), "must be one of boolean,date,integer,number,string");
    }
    if (path.empty()) check.required(here + ".JSONPath");
    else if (!simple_path(path)) check.invalid(here + ".JSONPath", quote(path), "must be a simple json path starting with .");
  }
}

void check_scale(const Value& scale, const std::string& field, Checker& check) {
  for (std::string_view key : {"specReplicasPath", "statusReplicasPath"}) {
    const std::string here = field + "." + std::string(key);
    const std::string_view path = text(scale, key);
    const std::string under = key == "specReplicasPath" ? ".spec" : ".status";
    if (path.empty()) check.required(here);
    else if (!simple_path(path)) check.invalid(here, quote(path), "must be a simple json path starting with .");
    else if (!path.starts_with(under + ".")) check.invalid(here, quote(path), "should be a json path under " + under);
  }
}

// What all versions have in common is said of the definition as a whole.
bool same_in_all(std::span<const Value> versions, std::string_view key) {
  for (const Value& v : versions) {
    if (!same(v.get(key), versions[0].get(key))) return false;
  }
  return true;
}

// The server's own list of versions, without what all have in common.
std::string versions_text(const Value& crd) {
  auto versions = items(crd, "spec", "versions");
  if (versions.empty()) return text(crd, "spec", "group").empty() ? "null" : "[]";
  std::string out;
  for (const Value& v : versions) {
    Value own = empty_map();
    for (std::string_view key : {"name", "served", "storage", "deprecated", "deprecationWarning"}) copy_entry(own, v, key);
    for (std::string_view key : {"schema", "subresources", "additionalPrinterColumns", "selectableFields"}) {
      if (!same_in_all(versions, key)) copy_entry(own, v, key);
    }
    out += (out.empty() ? "" : ",") +
           go_struct(&own, "Name=\"\",Served=false,Storage=false,Deprecated=false,DeprecationWarning,Schema,Subresources,"
                           "AdditionalPrinterColumns,SelectableFields");
  }
  return "[" + out + "]";
}

void check_selectable(const Value& version, const Value& schema, const std::string& field, Checker& check) {
  size_t i = 0;
  for (const Value& selectable : items(version, "selectableFields")) {
    const std::string here = field + "[" + std::to_string(i++) + "].jsonPath";
    const std::string_view path = text(selectable, "jsonPath");
    if (path.empty()) {
      check.required(here);
      continue;
    }
    const Value* node = &schema;
    for (std::string_view name : split(without_prefix(path, "."), ".")) node = node ? at(*node, "properties", name) : nullptr;
    const std::string_view type = node ? text(*node, "type") : std::string_view();
    if (!node) {
      check.invalid(here, quote(path), "is an invalid path: does not refer to a valid field");
    } else if (path.starts_with(".metadata")) {
      check.invalid(here, quote(path), "must not point to fields in metadata");
    } else if (type != "string" && type != "boolean" && type != "integer") {
      check.invalid(here, quote(path),
                    "must point to a field of type string, boolean or integer. Enum string fields and strings with "
                    "formats are allowed.");
    }
  }
}

void check_versions(const Value& crd, Checker& check, std::vector<Cause>& causes) {
  auto versions = items(crd, "spec", "versions");
  const bool one_schema = same_in_all(versions, "schema"), one_scale = same_in_all(versions, "subresources"),
             one_table = same_in_all(versions, "additionalPrinterColumns"),
             one_selection = same_in_all(versions, "selectableFields");
  size_t stored = 0, i = 0;
  bool repeated = false;
  std::vector<std::string> names;
  for (const Value& v : versions) {
    const bool first = i == 0;
    std::string field = "spec.versions[" + std::to_string(i++) + "]";
    std::string name(text(v, "name"));
    if (!is_label_1035(name)) {
      check.invalid(field + ".name", quote(name), kLabel1035);
      if (first) check.invalid("spec.version", quote(name), kLabel1035);
    }
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      repeated = true;
    }
    names.push_back(name);
    stored += flag(v, "storage");
    const Value* schema = at(v, "schema", "openAPIV3Schema");
    if (!schema) {
      check.required(field + ".schema.openAPIV3Schema", has(v, "schema") ? "schemas are required" : "");
    } else if (!one_schema || first) {
      const std::string here = (one_schema ? "spec.validation" : field + ".schema") + ".openAPIV3Schema";
      const size_t before = causes.size();
      check_structural(*schema, here, has(v, "subresources", "status"), causes);
      if (auto parsed = parse_schema(*schema)) check_rules(**parsed, here, causes.size() == before, causes);
    }
    if (const Value* scale = at(v, "subresources", "scale"); scale && (!one_scale || first)) {
      check_scale(*scale, (one_scale ? "spec" : field) + std::string(".subresources.scale"), check);
    }
    if (const Value* columns = at(v, "additionalPrinterColumns"); columns && (!one_table || first)) {
      check_columns(*columns, (one_table ? "spec" : field) + std::string(".additionalPrinterColumns"), check);
    }
    if (schema && (!one_selection || first)) {
      check_selectable(v, *schema, (one_selection ? "spec" : field) + std::string(".selectableFields"), check);
    }
  }
  if (repeated) check.invalid("spec.versions", versions_text(crd), "must contain unique version names");
  if (stored != 1) {
    check.invalid("spec.versions", versions_text(crd), "must have exactly one version marked as storage version");
  }
}

bool has_default(const Value* schema, int depth) {
  if (!schema || depth > kMaxDepth) return false;
  for (const auto& e : entries_of(schema)) {
    if (e.key.view() == "default" && !e.value.is_map()) return true;
    if (e.value.is_map() && has_default(&e.value, depth + 1)) return true;
  }
  return false;
}

void check_conversion(const Value& crd, Checker& check) {
  const std::string_view strategy = text(crd, "spec", "conversion", "strategy");
  if (strategy == "Webhook") {
    if (!has(crd, "spec", "conversion", "webhook", "clientConfig")) {
      check.required("spec.conversion.webhookClientConfig", "required when strategy is set to Webhook");
    }
    if (items(crd, "spec", "conversion", "webhook", "conversionReviewVersions").empty()) {
      check.required("spec.conversion.conversionReviewVersions");
    }
  } else if (!strategy.empty() && strategy != "None") {
    check.not_supported("spec.conversion.strategy", strategy, R"("None", "Webhook")");
  }
  if (flag(crd, "spec", "preserveUnknownFields")) {
    const auto versions = items(crd, "spec", "versions");
    if (std::any_of(versions.begin(), versions.end(), [](const Value& v) { return has_default(v.get("schema"), 0); })) {
      check.invalid("spec.preserveUnknownFields", "true", "must be false in order to use defaults in the schema");
    }
    check.invalid("spec.preserveUnknownFields", "true",
                  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead");
  }
}

// One step of a path: a key, an index, or a filter on a field's text.
struct Step {
  std::string key, wanted;
  int64_t index = -1;
  bool filter = false;
};

// nullopt: more than this subset knows.
std::optional<std::vector<Step>> steps_of(std::string_view path) {
  std::vector<Step> out;
  if (path.starts_with('{') && path.ends_with('}')) path = path.substr(1, path.size() - 2);
  if (path.starts_with('$')) path.remove_prefix(1);
  while (!path.empty()) {
    Step step;
    if (path[0] == '.') {
      path.remove_prefix(1);
      while (!path.empty() && path[0] != '.' && path[0] != '[') {
        if (path[0] == '\\' && path.size() > 1) path.remove_prefix(1);
        step.key += path[0];
        path.remove_prefix(1);
      }
      if (step.key.empty()) {
        if (path.starts_with('[')) continue;
        return path.empty() ? std::optional(out) : std::nullopt;
      }
    } else if (path[0] == '[') {
      size_t end = path.find(']');
      if (end == std::string_view::npos) return std::nullopt;
      std::string_view inner = path.substr(1, end - 1);
      path.remove_prefix(end + 1);
      auto unquoted = [](std::string_view s) {
        bool quoted = s.size() >= 2 && (s[0] == '\'' || s[0] == '"') && s.back() == s[0];
        return quoted ? s.substr(1, s.size() - 2) : s;
      };
      size_t equal = inner.find("==");
      if (inner.starts_with("?(@.") && inner.ends_with(')') && equal != std::string_view::npos) {
        step.filter = true;
        step.key = trim_space(inner.substr(4, equal - 4));
        step.wanted = unquoted(trim_space(inner.substr(equal + 2, inner.size() - equal - 3)));
      } else if (unquoted(inner).size() != inner.size()) {
        step.key = unquoted(inner);
      } else {
        ParseError error;
        step.index = parse_int(inner, 10, 32, &error);
        if (error != ParseError::kNone || step.index < 0) return std::nullopt;
      }
    } else {
      return std::nullopt;
    }
    out.push_back(std::move(step));
  }
  return out;
}

}  // namespace

void default_definition(Value& crd) {
  Value& names = ensure(crd, "spec", "names");
  std::string kind(text(names, "kind"));
  if (!kind.empty()) {
    default_to(names, "singular", to_lower(kind));
    default_to(names, "listKind", kind + "List");
  }
  Value& conversion = ensure(crd, "spec", "conversion");
  default_to(conversion, "strategy", "None");
}

void validate_definition(const Value& crd, const Value* old, std::vector<Cause>& causes) {
  Checker check(causes);
  std::string_view group = text(crd, "spec", "group");
  std::string_view plural = text(crd, "spec", "names", "plural");
  std::string wanted = std::string(plural) + "." + std::string(group);
  if (!old && name_of(crd) != wanted) {
    check.invalid("metadata.name", quote(name_of(crd)), "must be spec.names.plural+\".\"+spec.group");
  }
  if (group.empty()) {
    check.required("spec.group");
  } else if (!is_dns_subdomain(group)) {
    check.invalid("spec.group", quote(group), kSubdomain);
  } else if (group.find('.') == std::string_view::npos) {
    check.invalid("spec.group", quote(group), "should be a domain with at least one dot");
  }
  std::string_view scope = text(crd, "spec", "scope");
  if (scope.empty()) {
    check.required("spec.scope");
  } else if (scope != "Cluster" && scope != "Namespaced") {
    check.not_supported("spec.scope", scope, R"("Cluster", "Namespaced")");
  }
  check_versions(crd, check, causes);
  check_names(crd, check);
  check_conversion(crd, check);
  if (items(crd, "status", "storedVersions").empty()) {
    check.invalid("status.storedVersions", "null", "must have at least one stored version");
  } else {
    const Value& stored = *at(crd, "status", "storedVersions");
    std::vector<std::string_view> left;
    for (const Value& v : stored.items()) left.push_back(v.is_string() ? v.as_string() : std::string_view());
    for (const Value& v : items(crd, "spec", "versions")) {  // each stands for one
      const bool held = std::erase(left, text(v, "name")) > 0;
      if (flag(v, "storage") && !held) {
        check.invalid("status.storedVersions", shown(stored), "must have the storage version " + std::string(text(v, "name")));
      }
    }
  }
  if (!old) return;
  auto immutable = [&](const std::string& field, std::string_view before, std::string_view after) {
    if (before != after) check.invalid(field, quote(after), "field is immutable");
  };
  immutable("spec.scope", text(*old, "spec", "scope"), scope);
  immutable("spec.group", text(*old, "spec", "group"), group);
  immutable("spec.names.kind", text(*old, "spec", "names", "kind"),
            text(crd, "spec", "names", "kind"));
  immutable("spec.names.plural", text(*old, "spec", "names", "plural"), plural);
  size_t i = 0;
  for (const Value& stored : items(*old, "status", "storedVersions")) {
    bool found = false;
    for (const Value& v : items(crd, "spec", "versions")) {
      found = found || text(v, "name") == stored.as_string();
    }
    if (!found) {
      check.invalid("status.storedVersions[" + std::to_string(i) + "]", shown(stored),
                    "missing from spec.versions; " + std::string(stored.as_string()) +
                        " was previously a storage version, and must remain in spec.versions until "
                        "a storage migration ensures no data remains persisted in " +
                        std::string(stored.as_string()) + " and removes " +
                        std::string(stored.as_string()) + " from status.storedVersions");
    }
    ++i;
  }
}

Value definition_status(const Value& crd, std::string_view time, const NameConflict& conflict) {
  Value status = empty_map();
  const bool accepted = conflict.reason.empty();
  if (const Value* names = at(crd, "spec", "names"); names && accepted) {
    put(status, "acceptedNames", value::deep_copy(*names));
  } else if (const Value* before = at(crd, "status", "acceptedNames")) {
    put(status, "acceptedNames", value::deep_copy(*before));
  }
  Value conditions = empty_list();
  auto condition = [&](std::string_view type, bool holds, std::string_view reason, std::string_view message) {
    std::string since(time);
    for (const Value& c : items(crd, "status", "conditions")) {
      if (text(c, "type") == type && text(c, "status") == (holds ? "True" : "False")) {
        since = text(c, "lastTransitionTime");
      }
    }
    Value c = empty_map();
    put(c, "type", type);
    put(c, "status", holds ? "True" : "False");
    put(c, "reason", reason);
    put(c, "message", message);
    put(c, "lastTransitionTime", since);
    conditions.as_list()->items.push_back(std::move(c));
  };
  bool established = accepted;  // once so, it stays
  for (const Value& c : items(crd, "status", "conditions")) {
    established = established || (text(c, "type") == "Established" && text(c, "status") == "True");
  }
  if (accepted) condition("NamesAccepted", true, "NoConflicts", "no conflicts found");
  else condition("NamesAccepted", false, conflict.reason, conflict.message);
  if (established) condition("Established", true, "InitialNamesAccepted", "the initial names have been accepted");
  else condition("Established", false, "NotAccepted", "not all names are accepted");
  put(status, "conditions", std::move(conditions));
  Value stored = empty_list();
  auto keep = [&](std::string_view name) {
    for (const Value& v : stored.items()) {
      if (v.as_string() == name) return;
    }
    stored.as_list()->items.push_back(value::str(name));
  };
  for (const Value& v : items(crd, "status", "storedVersions")) {
    if (v.is_string()) keep(v.as_string());
  }
  for (const Value& v : items(crd, "spec", "versions")) {
    if (flag(v, "storage")) keep(text(v, "name"));
  }
  put(status, "storedVersions", std::move(stored));
  return status;
}

const Value* at_path(const Value& object, std::string_view json_path) {
  auto steps = steps_of(json_path);
  if (!steps) return nullptr;
  const Value* here = &object;
  for (const Step& step : *steps) {
    const Value* next = nullptr;
    if (step.filter) {
      for (const Value& item : here->items()) {
        if (text(item, step.key) == step.wanted) {
          next = &item;
          break;
        }
      }
    } else if (step.index >= 0) {
      auto list = here->items();
      if (static_cast<size_t>(step.index) < list.size()) next = &list[static_cast<size_t>(step.index)];
    } else {
      next = here->get(step.key);
    }
    if (!next) return nullptr;
    here = next;
  }
  return here;
}

Value custom_cell(const Value& object, const CustomColumn& column) {
  const Value* found = at_path(object, column.json_path);
  if (!found || found->is_nil()) return {};
  if (column.type == "integer") {
    if (found->is_int() || found->is(value::Type::kFloat64)) return make(as_number(found, 0));
    return {};
  }
  if (column.type == "number") {
    return found->is_int() || found->is(value::Type::kFloat64) ? *found : Value();
  }
  if (column.type == "boolean") return found->is(value::Type::kBool) ? *found : Value();
  if (found->is_string()) return *found;
  return value::str(shown(*found));
}

}  // namespace pintle::drydock
