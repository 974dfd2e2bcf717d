#include "patch/managed_fields.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/check.h"
#include "base/gotext.h"
#include "json/json.h"

namespace pintle::patch {
namespace {

using value::Value;

constexpr size_t kMaxUpdates = 10;

struct EmptyObject {
  std::string_view api_version, kind, json;
};
#include "patch/empty_objects.inc"

std::string_view text(const Value& v, std::string_view key) {
  const Value* found = v.get(key);
  return found && found->is_string() ? found->as_string() : std::string_view();
}

const Value* entries_of(const Value& object) {
  const Value* metadata = object.get("metadata");
  return metadata ? metadata->get("managedFields") : nullptr;
}

Value write_owner(const Owner& owner) {
  auto out = value::make_map();
  out->set("apiVersion", value::str(owner.api_version));
  out->set("fieldsType", value::str("FieldsV1"));
  out->set("fieldsV1", write_fields(owner.fields));
  if (!owner.name.empty()) out->set("manager", value::str(owner.name));
  out->set("operation", value::str(owner.applied ? "Apply" : "Update"));
  if (!owner.subresource.empty()) out->set("subresource", value::str(owner.subresource));
  if (!owner.time.empty()) out->set("time", value::str(owner.time));
  return Value::map(std::move(out));
}

Value replace_owners(const Value& object, Value entries) {
  if (!object.is_map() || !object.as_map()) return object;
  const Value* metadata = object.get("metadata");
  if (entries.is_nil() && !(metadata && metadata->get("managedFields"))) return object;
  auto out = Ref<value::Map>::make(*object.as_map());
  auto meta = metadata && metadata->is_map() && metadata->as_map()
                  ? Ref<value::Map>::make(*metadata->as_map())
                  : value::make_map();
  if (entries.is_nil()) {
    meta->erase("managedFields");
  } else {
    meta->set("managedFields", std::move(entries));
  }
  out->set("metadata", Value::map(std::move(meta)));
  return Value::map(std::move(out));
}

// Kinds whose main resource keeps its status, and what their status resource keeps besides spec.
struct Reset {
  std::string_view group, kind;
  enum class Also : uint8_t { kNothing, kMetadata, kLabels, kPod } also;
};
using Also = Reset::Also;
constexpr Reset kResets[] = {
    {"", "Namespace", Also::kNothing},
    {"", "Node", Also::kNothing},
    {"", "PersistentVolume", Also::kNothing},
    {"", "PersistentVolumeClaim", Also::kNothing},
    {"", "Pod", Also::kPod},
    {"", "ReplicationController", Also::kNothing},
    {"", "ResourceQuota", Also::kNothing},
    {"", "Service", Also::kNothing},
    {"admissionregistration.k8s.io", "ValidatingAdmissionPolicy", Also::kMetadata},
    {"apiextensions.k8s.io", "CustomResourceDefinition", Also::kMetadata},
    {"apiregistration.k8s.io", "APIService", Also::kMetadata},
    {"apps", "DaemonSet", Also::kNothing},
    {"apps", "Deployment", Also::kLabels},
    {"apps", "ReplicaSet", Also::kNothing},
    {"apps", "StatefulSet", Also::kNothing},
    {"autoscaling", "HorizontalPodAutoscaler", Also::kNothing},
    {"batch", "CronJob", Also::kNothing},
    {"batch", "Job", Also::kNothing},
    {"flowcontrol.apiserver.k8s.io", "FlowSchema", Also::kMetadata},
    {"flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration", Also::kMetadata},
    {"networking.k8s.io", "Ingress", Also::kNothing},
    {"networking.k8s.io", "ServiceCIDR", Also::kMetadata},
    {"policy", "PodDisruptionBudget", Also::kNothing},
    {"resource.k8s.io", "DeviceTaintRule", Also::kMetadata},
    {"resource.k8s.io", "ResourceClaim", Also::kMetadata},
    {"storage.k8s.io", "VolumeAttachment", Also::kMetadata},
};

}  // namespace

std::string identity_of(const Owner& owner) {
  std::string out = "{";
  auto add = [&out](std::string_view key, std::string_view v) {
    if (v.empty()) return;
    if (out.size() > 1) out += ',';
    json::append_string(out, key);
    out += ':';
    json::append_string(out, v);
  };
  add("manager", owner.name);
  add("operation", owner.applied ? "Apply" : "Update");
  if (!owner.applied) add("apiVersion", owner.api_version);
  add("subresource", owner.subresource);
  return out + "}";
}

Result<Owners> read_owners(const Value& object) {
  Owners out;
  const Value* entries = entries_of(object);
  if (!entries) return out;
  size_t i = 0;
  for (const Value& entry : entries->items()) {
    Owner owner;
    std::string_view operation = text(entry, "operation");
    if (operation != "Apply" && operation != "Update") {
      return Error("operation must be `Apply` or `Update`");
    }
    owner.applied = operation == "Apply";
    owner.api_version = text(entry, "apiVersion");
    if (owner.api_version.empty()) return Error("apiVersion must not be empty");
    std::string_view type = text(entry, "fieldsType");
    if (type.empty()) {
      return Error("missing fieldsType in managed fields entry " + std::to_string(i));
    }
    if (type != "FieldsV1") {
      return Error("invalid fieldsType " + quote(type) + " in managed fields entry " +
                   std::to_string(i));
    }
    owner.name = text(entry, "manager");
    owner.subresource = text(entry, "subresource");
    owner.time = text(entry, "time");
    if (const Value* fields = entry.get("fieldsV1")) {
      auto set = read_fields(*fields);
      if (!set) return Error::wrap("error decoding set", std::move(set).error());
      owner.fields = std::move(*set);
    }
    std::string id = identity_of(owner);
    out[id] = std::move(owner);
    ++i;
  }
  return out;
}

bool resets_owners(const Value& object) {
  const Value* entries = entries_of(object);
  if (!entries || !entries->is_list()) return false;
  if (entries->length() == 0) return true;
  const Value& first = entries->items()[0];
  return entries->length() == 1 && first.is_map() && first.length() == 0;
}

Value with_owners(const Value& object, const Owners& owners) {
  std::vector<const Owner*> order;
  for (const auto& [id, owner] : owners) order.push_back(&owner);
  // Times are UTC in one format: their text sorts as they do.
  std::stable_sort(order.begin(), order.end(), [](const Owner* a, const Owner* b) {
    if (a->applied != b->applied) return a->applied;
    return std::tie(a->time, a->name, a->api_version, a->subresource) <
           std::tie(b->time, b->name, b->api_version, b->subresource);
  });
  std::vector<Value> entries;
  for (const Owner* owner : order) entries.push_back(write_owner(*owner));
  return replace_owners(object, entries.empty() ? Value() : Value::list_of(std::move(entries)));
}

Value without_owners(const Value& object) { return replace_owners(object, Value()); }

void cap_updates(Owners& owners) {
  std::vector<std::pair<std::string, std::string>> updates;  // time, identity
  for (const auto& [id, owner] : owners) {
    if (!owner.applied) updates.emplace_back(owner.time, id);
  }
  if (updates.size() <= kMaxUpdates) return;
  std::sort(updates.begin(), updates.end());
  std::map<std::string, std::string> first_of_version;
  size_t left = updates.size();
  for (size_t i = 0; i < updates.size() && left > kMaxUpdates; ++i) {
    const std::string& id = updates[i].second;
    Owner owner = owners[id];
    auto [first, fresh] = first_of_version.emplace(owner.api_version, id);
    if (fresh) continue;
    Owner bucket;
    bucket.name = "ancient-changes";
    bucket.api_version = owner.api_version;
    std::string bucket_id = identity_of(bucket);
    if (!owners.count(bucket_id)) {
      bucket.fields = owners[first->second].fields;
      owners.erase(first->second);
      owners[bucket_id] = std::move(bucket);
    }
    Owner& kept = owners[bucket_id];
    kept.fields = owner.fields.united(kept.fields);
    kept.time = owner.time;
    owners.erase(id);
    --left;
  }
}

std::string describe(const Owner& owner) {
  std::string out = quote(owner.name);
  if (!owner.subresource.empty()) out += " with subresource " + quote(owner.subresource);
  if (!owner.applied) out += " using " + owner.api_version;
  return out;
}

const FieldSet& unowned_fields() {
  static const FieldSet kSet = [] {
    FieldSet set;
    set.insert(fields_path({"apiVersion"}));
    set.insert(fields_path({"kind"}));
    set.insert(fields_path({"metadata"}));
    for (std::string_view name : {"name", "namespace", "creationTimestamp", "selfLink", "uid",
                                  "clusterName", "generation", "managedFields", "resourceVersion"}) {
      set.insert(fields_path({"metadata", name}));
    }
    return set;
  }();
  return kSet;
}

FieldSet reset_fields(std::string_view group, std::string_view kind, std::string_view subresource,
                      bool custom_status) {
  FieldSet out;
  const Reset* reset = std::find_if(std::begin(kResets), std::end(kResets), [&](const Reset& r) {
    return r.group == group && r.kind == kind;
  });
  bool known = reset != std::end(kResets);
  if (subresource.empty()) {
    if (known || custom_status) out.insert(fields_path({"status"}));
    return out;
  }
  if (subresource != "status" || (!known && !custom_status)) return out;
  out.insert(fields_path({"spec"}));
  switch (known ? reset->also : Also::kMetadata) {
    case Also::kNothing:
      break;
    case Also::kMetadata:
      out.insert(fields_path({"metadata"}));
      break;
    case Also::kLabels:
      out.insert(fields_path({"metadata", "labels"}));
      break;
    case Also::kPod:
      out.insert(fields_path({"metadata", "deletionTimestamp"}));
      out.insert(fields_path({"metadata", "ownerReferences"}));
      break;
  }
  return out;
}

Value empty_object(std::string_view api_version, std::string_view kind) {
  for (const EmptyObject& row : kEmptyObjects) {
    if (row.api_version != api_version || row.kind != kind) continue;
    auto read = json::read(row.json, {.numbers = json::Numbers::kExact});
    CHECK(read.has_value());
    read->as_map()->set("metadata", Value::map(value::make_map()));
    return *read;
  }
  auto out = value::make_map();
  out->set("metadata", Value::map(value::make_map()));
  return Value::map(std::move(out));
}

}  // namespace pintle::patch
