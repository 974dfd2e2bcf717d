// ClusterRoles that are the sum of others: those that their aggregationRule selects, by name, each rule
// once. As kube-controller-manager's clusterrole-aggregation-controller.
#include <algorithm>

#include "drydock/controllers/common.h"
#include "drydock/controllers/controllers.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kPlural = "clusterroles";

std::vector<Key> sums(World& world, const Change&) {
  std::vector<Key> keys;
  for (const Value& role : world.list(kGroup, kPlural, "")) {
    if (has(role, "aggregationRule")) keys.push_back(key_of(kGroup, kPlural, role));
  }
  return keys;
}

Result<Again> reconcile(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found || being_deleted(*found) || !has(*found, "aggregationRule")) return Again();
  std::vector<Value> rules, roles = world.list(kGroup, kPlural, "");
  std::stable_sort(roles.begin(), roles.end(),
                   [](const Value& a, const Value& b) { return name_of(a) < name_of(b); });
  for (const Value& selector : items(*found, "aggregationRule", "clusterRoleSelectors")) {
    for (const Value& role : roles) {
      if (name_of(role) == key.name || !matches(&selector, role)) continue;
      for (const Value& rule : items(role, "rules")) {
        bool known = std::any_of(rules.begin(), rules.end(), [&](const Value& r) { return same(r, rule); });
        if (!known) rules.push_back(value::deep_copy(rule));
      }
    }
  }
  Value wanted = Value::list_of(std::move(rules));
  if (same(at(*found, "rules"), &wanted)) return Again();
  put(*found, "rules", std::move(wanted));
  TRY(world.update(kGroup, kPlural, std::move(*found)));
  return Again();
}

}  // namespace

const Controller kRoles{"clusterrole-aggregation-controller",
                        {{kGroup, kPlural, sums}},
                        reconcile,
                        "clusterrole-aggregation-controller"};

}  // namespace pintle::drydock
