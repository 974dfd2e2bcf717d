#include "drydock/kinds.h"

#include <algorithm>
#include <tuple>

#include "drydock/kinds/families.h"

namespace pintle::drydock {

Status drop_status(World&, Value& object) {
  put(object, "status", empty_map());
  return ok();
}

Status keep_status(World&, Value& object, const Value& old) {
  copy_entry(object, old, "status");
  return ok();
}

namespace {

std::vector<KindRules> make_table() {
  std::vector<KindRules> all;
  add_pod_kinds(all);
  add_workload_kinds(all);
  add_batch_kinds(all);
  add_service_kinds(all);
  add_ingress_kinds(all);
  add_networking_kinds(all);
  add_autoscaler_kinds(all);
  add_webhook_kinds(all);
  add_quota_kinds(all);
  add_config_kinds(all);
  add_storage_kinds(all);
  add_rbac_kinds(all);
  add_policy_kinds(all);
  add_cluster_kinds(all);
  add_definition_kinds(all);
  add_printers(all);
  std::sort(all.begin(), all.end(), [](const KindRules& a, const KindRules& b) {
    return std::tie(a.group, a.kind) < std::tie(b.group, b.kind);
  });
  return all;
}

}  // namespace

const KindRules* rules_of(std::string_view group, std::string_view kind) {
  static const std::vector<KindRules> table = make_table();
  auto wanted = std::tie(group, kind);
  auto it = std::lower_bound(table.begin(), table.end(), wanted, [](const KindRules& r, const auto& w) {
    return std::tie(r.group, r.kind) < w;
  });
  return it != table.end() && std::tie(it->group, it->kind) == wanted ? &*it : nullptr;
}

}  // namespace pintle::drydock
