// The families of kinds, one file each, gathered into one sorted table by kinds.cc.
#pragma once

#include <vector>

#include "drydock/api_error.h"
#include "drydock/kinds.h"
#include "drydock/tree.h"

namespace pintle::drydock {

void add_pod_kinds(std::vector<KindRules>& out);
void add_workload_kinds(std::vector<KindRules>& out);
void add_batch_kinds(std::vector<KindRules>& out);
void add_service_kinds(std::vector<KindRules>& out);
void add_ingress_kinds(std::vector<KindRules>& out);
void add_networking_kinds(std::vector<KindRules>& out);
void add_autoscaler_kinds(std::vector<KindRules>& out);
void add_webhook_kinds(std::vector<KindRules>& out);
void add_quota_kinds(std::vector<KindRules>& out);
void add_config_kinds(std::vector<KindRules>& out);
void add_storage_kinds(std::vector<KindRules>& out);
void add_rbac_kinds(std::vector<KindRules>& out);
void add_policy_kinds(std::vector<KindRules>& out);
void add_definition_kinds(std::vector<KindRules>& out);
void add_cluster_kinds(std::vector<KindRules>& out);
// Fills columns and cells of rows made by the others; adds rows for kinds that have only these.
void add_printers(std::vector<KindRules>& out);

inline const Value& pod_spec_of(const Value& object) {
  static thread_local const Value nothing = empty_map();
  const Value* spec = at(object, "spec");
  return spec ? *spec : nothing;
}
// As defaults of Go's pointers go: "" stands.
template <typename T>
void default_absent(Value& map, std::string_view key, T&& value) {
  if (!has(map, key)) put(map, key, std::forward<T>(value));
}
// Strategies of most kinds: a client's status is dropped on create and kept on update.
Status drop_status(World& world, Value& object);
Status keep_status(World& world, Value& object, const Value& old);

}  // namespace pintle::drydock
