// status: a stored release with its live objects and their pods (helm pkg/action/status.go).
#include <map>
#include <set>

#include "action/releases.h"
#include "base/strings.h"

namespace pintle::action {

using value::Value;

namespace {

constexpr std::string_view kRelated = "v1/Pod(related)";

// "a=b,c=d" of spec.selector.matchLabels as the manifest has it; "" for what has no pods.
std::string pod_selector(const kube::Object& object) {
  static const std::set<std::string_view> kWorkloads = {"ReplicaSet", "Deployment", "StatefulSet",
                                                        "DaemonSet", "Job"};
  const Value* at = object.tree.get("spec");
  if (at) at = at->get("selector");
  if (at && kWorkloads.contains(object.kind)) {
    at = at->get("matchLabels");
  } else if (object.kind != "ReplicationController") {
    return "";
  }
  if (!at || !at->is_map() || !at->as_map()) return "";
  std::map<std::string_view, std::string_view> labels;
  for (const auto& [key, v] : *at->as_map()) {
    if (!v.is_string()) return "";
    labels[key.view()] = v.as_string();
  }
  std::string out;
  for (const auto& [key, v] : labels) append(out, {out.empty() ? "" : ",", key, "=", v});
  return out;
}

}  // namespace

Result<release::Record> status(Context& context, std::string_view name, int revision,
                               bool tables) {
  release::Record record = TRY(content(context, name, revision));
  const auto objects = TRY(context.cluster->build(record.manifest, false));
  std::map<std::string, std::vector<Value>> by_kind;
  std::set<std::string> selectors;
  for (const kube::Object& object : objects) {
    auto live = tables ? context.cluster->table(object) : context.cluster->get(object);
    if (!live) continue;  // what is gone, or cannot be seen, is left out
    by_kind[cat(object.version, "/", object.kind)].push_back(std::move(*live));
    const std::string selector = pod_selector(object);
    if (selector.empty() || !selectors.insert(selector).second) continue;
    auto pods = context.cluster->pod_list(object.ns, selector, tables);
    if (pods) {
      by_kind[std::string(kRelated)].push_back(std::move(*pods));
    } else {
      context.log("WARN", "get the relation pod is failed", {{"error", pods.error().text()}});
    }
  }
  auto resources = value::make_map();
  for (auto& [kind, items] : by_kind) {
    resources->set(value::Str(kind), Value::list_of(std::move(items)));
  }
  if (!resources->empty()) record.resources = Value::map(resources);
  return record;
}

}  // namespace pintle::action
