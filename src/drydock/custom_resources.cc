#include "drydock/custom_resources.h"

#include <algorithm>
#include <tuple>

#include "base/gotext.h"
#include "base/strings.h"
#include "drydock/custom_rules.h"
#include "drydock/tree.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

bool holds(const Value& crd, std::string_view type) {
  for (const Value& c : items(crd, "status", "conditions")) {
    if (text(c, "type") == type) return text(c, "status") == "True";
  }
  return false;
}

// v10 > v2 > v1 > v11beta2 > v10beta3 > v3beta1 > v12alpha1 > foo1 (version.CompareKubeAware).
struct Rank {
  int stability = 0;  // 3: v1, 2: v1beta1, 1: v1alpha1, 0: anything else
  int64_t major = 0, minor = 0;
  std::string name;
};

Rank rank_of(std::string_view name) {
  Rank odd{0, 0, 0, std::string(name)};
  auto digits = [](std::string_view& s, int64_t* n) {
    size_t len = 0;
    while (len < s.size() && s[len] >= '0' && s[len] <= '9') ++len;
    if (len == 0 || len > 9 || s[0] == '0') return false;
    *n = parse_int(s.substr(0, len), 10, 64, nullptr);
    s.remove_prefix(len);
    return true;
  };
  Rank r{3, 0, 0, std::string(name)};
  std::string_view s = name;
  if (!s.starts_with('v')) return odd;
  s.remove_prefix(1);
  if (!digits(s, &r.major)) return odd;
  if (s.empty()) return r;
  if (s.starts_with("alpha")) r.stability = 1, s.remove_prefix(5);
  else if (s.starts_with("beta")) r.stability = 2, s.remove_prefix(4);
  else return odd;
  return digits(s, &r.minor) && s.empty() ? r : odd;
}

bool newer(const Rank& a, const Rank& b) {
  auto key = [](const Rank& r) { return std::tie(r.stability, r.major, r.minor); };
  if (key(a) != key(b)) return key(b) < key(a);
  return a.name < b.name;
}

const Value* schema_of(const Value& crd, std::string_view version) {
  for (const Value& v : items(crd, "spec", "versions")) {
    if (text(v, "name") == version) return at(v, "schema", "openAPIV3Schema");
  }
  return nullptr;
}

// Rules count on the object's shape, not on its values.
bool hides_rules(const Cause& c) {
  constexpr std::string_view kShape[] = {"FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong",
                                         "FieldValueTooMany", "FieldValueTypeInvalid"};
  return std::find(std::begin(kShape), std::end(kShape), c.reason) != std::end(kShape);
}

}  // namespace

std::vector<ResourcePtr> custom_resources(const Value& crd) {
  std::vector<ResourcePtr> out;
  if (!holds(crd, "Established")) return out;
  auto parsed = parse_definition(crd);
  if (!parsed) return out;
  for (CustomVersion& version : parsed->versions) {
    if (version.schema) version.rules = CustomRules::compile(*version.schema);
  }
  auto definition = std::make_shared<const CustomDefinition>(std::move(*parsed));
  std::vector<std::string> verbs = {"delete", "deletecollection", "get", "list",
                                    "patch",  "create",           "update", "watch"};
  if (holds(crd, "Terminating")) verbs = {"delete", "deletecollection", "get", "list", "watch"};
  for (const CustomVersion& version : definition->versions) {
    if (!version.served && !version.storage) continue;
    auto r = std::make_shared<Resource>();
    r->group = definition->group;
    r->version = version.name;
    r->plural = definition->plural;
    r->singular = definition->singular;
    r->kind = definition->kind;
    r->namespaced = definition->namespaced;
    r->verbs = verbs;
    r->short_names = definition->short_names;
    r->categories = definition->categories;
    if (version.status) r->subresources.push_back("status");
    if (version.scale) r->subresources.push_back("scale");
    r->served = version.served;
    r->stored = version.storage;
    const Value* schema = schema_of(crd, version.name);
    r->custom_types = patch::TypeSet::from_schema(schema ? *schema : Value());
    r->custom_version = std::shared_ptr<const CustomVersion>(definition, &version);
    if (auto written = json::write(schema ? *schema : empty_map())) r->schema_json = *written;
    out.push_back(std::move(r));
  }
  std::sort(out.begin(), out.end(), [](const ResourcePtr& a, const ResourcePtr& b) {
    return newer(rank_of(a->version), rank_of(b->version));
  });
  return out;
}

void validate_custom_object(const Resource& resource, const Value& object, const Value* old,
                            std::vector<Cause>& causes, std::vector<std::string>* warnings) {
  const CustomVersion& version = *resource.custom_version;
  std::vector<Cause> found, before;
  validate_custom(object, version.schema.get(), found);
  if (old && !found.empty()) validate_custom(*old, version.schema.get(), before);
  for (Cause& c : found) {
    bool known = std::any_of(before.begin(), before.end(), [&](const Cause& b) {
      return b.field == c.field && b.message == c.message;
    });
    if (!known) causes.push_back(std::move(c));
  }
  if (!version.rules) return;
  if (std::any_of(causes.begin(), causes.end(), hides_rules)) {
    causes.push_back({"FieldValueInvalid",
                      "Invalid value: null: some validation rules were not checked because the object was invalid; "
                      "correct the existing errors to complete validation",
                      "<nil>"});
  } else {
    version.rules->validate(object, old, causes, warnings);
  }
}

const std::vector<CustomColumn>& custom_columns(const Resource& resource) {
  static const std::vector<CustomColumn> age = [] {
    CustomColumn c;
    c.name = "Age";
    c.type = "date";
    c.description =
        "CreationTimestamp is a timestamp representing the server time when this object was created. "
        "It is not guaranteed to be set in happens-before order across separate operations. Clients "
        "may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the "
        "system. Read-only. Null for lists. More info: "
        "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
    c.json_path = ".metadata.creationTimestamp";
    return std::vector{c};
  }();
  const auto& declared = resource.custom_version->columns;
  return declared.empty() ? age : declared;
}

void put_at_path(Value& object, std::string_view json_path, Value v) {
  if (json_path.starts_with('.')) json_path.remove_prefix(1);
  size_t dot = json_path.find('.');
  if (dot == std::string_view::npos) return put(object, json_path, std::move(v));
  put_at_path(ensure(object, json_path.substr(0, dot)), json_path.substr(dot), std::move(v));
}

}  // namespace pintle::drydock
