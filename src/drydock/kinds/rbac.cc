// Role, ClusterRole and their bindings.
#include "drydock/kinds/families.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

void binding_defaults(Value& object) {
  default_to(ensure(object, "roleRef"), "apiGroup", kGroup);
  for (Value& s : elements(object, "subjects")) {
    if (text(s, "kind") == "User" || text(s, "kind") == "Group") default_to(s, "apiGroup", kGroup);
  }
}

void role_rules(const Value& object, bool namespaced, std::vector<Cause>& causes) {
  size_t i = 0;
  for (const Value& rule : items(object, "rules")) {
    std::string here = element("rules", i++);
    if (items(rule, "verbs").empty()) required(causes, here + ".verbs", "verbs must contain at least one value");
    if (!items(rule, "nonResourceURLs").empty()) {
      if (namespaced) {
        invalid_value(causes, here + ".nonResourceURLs", *at(rule, "nonResourceURLs"),
                      "namespaced rules cannot apply to non-resource URLs");
      }
      if (!items(rule, "apiGroups").empty() || !items(rule, "resources").empty() ||
          !items(rule, "resourceNames").empty()) {
        invalid_value(causes, here + ".nonResourceURLs", *at(rule, "nonResourceURLs"),
                      "rules cannot apply to both regular resources and non-resource URLs");
      }
      continue;
    }
    if (items(rule, "apiGroups").empty()) {
      required(causes, here + ".apiGroups", "resource rules must supply at least one api group");
    }
    if (items(rule, "resources").empty()) {
      required(causes, here + ".resources", "resource rules must supply at least one resource");
    }
  }
}

void role_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  role_rules(object, true, causes);
}
void cluster_role_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  role_rules(object, false, causes);
  if (!has(object, "aggregationRule")) return;
  auto selectors = items(object, "aggregationRule", "clusterRoleSelectors");
  const std::string path = "aggregationRule.clusterRoleSelectors";
  if (selectors.empty()) {
    required(causes, path, "at least one clusterRoleSelector required if aggregationRule is non-nil");
  }
  for (size_t i = 0; i < selectors.size(); ++i) {
    const size_t before = causes.size();
    validate_label_selector(&selectors[i], element(path, i), causes);
    if (causes.size() > before) invalid_text(causes, element(path, i), "null", "invalid label selector.");
  }
}

void subject(const Value& s, const std::string& here, bool namespaced, std::vector<Cause>& causes) {
  if (text(s, "name").empty()) required(causes, here + ".name");
  std::string_view kind = text(s, "kind"), group = text(s, "apiGroup");
  if (kind == "ServiceAccount") {
    for (const std::string& m : is_dns1123_subdomain(text(s, "name"))) {
      if (!text(s, "name").empty()) invalid_value(causes, here + ".name", text(s, "name"), m);
    }
    if (!group.empty()) not_supported(causes, here + ".apiGroup", group, {""});
    if (!namespaced && text(s, "namespace").empty()) required(causes, here + ".namespace");
  } else if (kind == "User" || kind == "Group") {
    if (group != kGroup) not_supported(causes, here + ".apiGroup", group, {kGroup});
  } else {
    not_supported(causes, here + ".kind", kind, {"ServiceAccount", "User", "Group"});
  }
}

void binding(const Value& object, const Value* old, bool namespaced, std::vector<Cause>& causes) {
  std::string_view group = text(object, "roleRef", "apiGroup"), kind = text(object, "roleRef", "kind");
  if (group != kGroup) not_supported(causes, "roleRef.apiGroup", group, {kGroup});
  if (kind != "ClusterRole" && (kind != "Role" || !namespaced)) {
    if (namespaced) not_supported(causes, "roleRef.kind", kind, {"Role", "ClusterRole"});
    else not_supported(causes, "roleRef.kind", kind, {"ClusterRole"});
  }
  const std::string_view name = text(object, "roleRef", "name");
  if (name.empty()) required(causes, "roleRef.name");
  else complain(causes, "roleRef.name", name, is_path_segment(name));
  size_t i = 0;
  for (const Value& s : items(object, "subjects")) {
    subject(s, element("subjects", i++), namespaced, causes);
  }
  if (old && !same(at(object, "roleRef"), at(*old, "roleRef"))) {
    // The server prints its own struct here, in Go's names.
    invalid_text(causes, "roleRef",
                 cat("{\"APIGroup\":\"", group, "\",\"Kind\":\"", kind, "\",\"Name\":\"",
                     text(object, "roleRef", "name"), "\"}"),
                 "cannot change roleRef");
  }
}

void role_binding_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  binding(object, old, true, causes);
}
void cluster_role_binding_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  binding(object, old, false, causes);
}

}  // namespace

void add_rbac_kinds(std::vector<KindRules>& out) {
  out.push_back({.group = kGroup, .kind = "Role", .validate = role_validate});
  out.push_back({.group = kGroup, .kind = "ClusterRole", .validate = cluster_role_validate});
  out.push_back({.group = kGroup, .kind = "RoleBinding", .defaults = binding_defaults,
                 .validate = role_binding_validate});
  out.push_back({.group = kGroup, .kind = "ClusterRoleBinding", .defaults = binding_defaults,
                 .validate = cluster_role_binding_validate});
}

}  // namespace pintle::drydock
