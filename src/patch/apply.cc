// The API server's field manager as one straight line each for apply and update.
//
// Versions: all versions of a kind are taken to have the same fields, so an owner's entry in another
// version is compared as it stands. Cost: linear in the object per owner.
#include "patch/apply.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "json/json.h"
#include "patch/managed_fields.h"
#include "patch/typed_merge.h"

namespace pintle::patch {
namespace {

using value::Value;

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
constexpr size_t kMaxAnnotationBytes = 256 * 1024;

std::string_view text(const Value& v, std::string_view key) {
  const Value* found = v.get(key);
  return found && found->is_string() ? found->as_string() : std::string_view();
}
Value metadata_of(const Value& object) {
  const Value* found = object.get("metadata");
  return found ? *found : Value();
}
Value annotations_of(const Value& object) {
  Value metadata = metadata_of(object);
  const Value* found = metadata.get("annotations");
  return found ? *found : Value();
}

struct GroupVersion {
  std::string_view group, version;
};
GroupVersion split(std::string_view api_version) {
  size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return {"", api_version};
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

// "apps/v1, Kind=Deployment"
std::string kind_text(const Value& object) {
  auto [group, version] = split(text(object, "apiVersion"));
  return std::string(group) + "/" + std::string(version) +
         ", Kind=" + std::string(text(object, "kind"));
}
// "default/web; apps/v1, Kind=Deployment"
std::string object_text(const Value& object) {
  Value metadata = metadata_of(object);
  return std::string(text(metadata, "namespace")) + "/" + std::string(text(metadata, "name")) +
         "; " + kind_text(object);
}

// One request's view: what every step needs.
struct Request {
  const Type* type;
  const Manager& manager;
  FieldSet reset;

  Owner owner(bool applied) const {
    return {.name = manager.name.empty() ? "unknown" : manager.name,
            .api_version = manager.api_version,
            .subresource = manager.subresource,
            .time = manager.time,
            .applied = applied,
            .fields = {}};
  }
  Comparison compare(const Value& before, const Value& after) const {
    Comparison out = compare_typed(before, after, type);
    out.removed = out.removed.without_deep(reset);
    out.modified = out.modified.without_deep(reset);
    out.added = out.added.without_deep(reset);
    return out;
  }
};

Request request_of(const Value& object, const Type* type, const Manager& manager) {
  auto [group, version] = split(manager.api_version);
  return {type, manager,
          reset_fields(group, text(object, "kind"), manager.subresource, manager.custom_status)};
}

void forget_empty(Owners& owners) {
  std::erase_if(owners, [](const auto& entry) { return entry.second.fields.empty(); });
}

// Takes what changed away from everybody but `keeper`. Not forced: what others own is a conflict.
Result<Comparison> take(const Request& request, const Value& before, const Value& after,
                        Owners& owners, const std::string& keeper, bool force) {
  Comparison changes = request.compare(before, after);
  FieldSet written = changes.modified.united(changes.added);
  std::vector<std::pair<const Owner*, FieldSet>> lost;
  for (const auto& [id, owner] : owners) {
    if (id == keeper) continue;
    FieldSet fields = owner.fields.intersected(written);
    if (!fields.empty()) lost.emplace_back(&owner, std::move(fields));
  }
  if (!force && !lost.empty()) {
    auto conflicts = std::make_unique<Conflicts>();
    std::string grouped;
    for (const auto& [owner, fields] : lost) {
      std::string name = describe(*owner);
      grouped += (grouped.empty() ? "" : "\n") + ("conflicts with " + name + ":");
      fields.each([&](const Path& path) {
        conflicts->list.push_back({name, "conflict with " + name, text_of(path)});
        grouped += "\n- " + text_of(path);
      });
    }
    size_t n = conflicts->list.size();
    const Conflict& first = conflicts->list.front();
    Error error(Code::kAborted, n == 1 ? "Apply failed with 1 conflict: " + first.message + ": " +
                                             first.field
                                       : "Apply failed with " + std::to_string(n) +
                                             " conflicts: " + grouped);
    error.set_detail(std::move(conflicts));
    return error;
  }
  for (auto& [id, owner] : owners) {
    if (id != keeper) owner.fields = owner.fields.without(written).without(changes.removed);
  }
  forget_empty(owners);
  return changes;
}

// Changes between the objects become the owner's.
void record_update(const Request& request, const Value& before, const Value& after, Owners& owners,
                   Owner self) {
  for (auto& [id, owner] : owners) owner.fields = reconciled(owner.fields, request.type);
  auto changes = take(request, before, after, owners, "", true);
  CHECK(changes.has_value());  // forced
  self.fields = changes->modified.united(changes->added).without(unowned_fields());
  if (!self.fields.empty()) {
    std::string id = identity_of(self);
    auto previous = owners.find(id);
    if (previous != owners.end()) self.fields = self.fields.united(previous->second.fields);
    owners[id] = std::move(self);
  }
  cap_updates(owners);
}

// Removes what the applier owned before (`last`) and neither it nor anybody else owns now.
Value prune(const Value& merged, const FieldSet& last, const Owners& owners, const Type* type) {
  if (last.empty()) return merged;
  FieldSet last_named = last.with_named_fields(type);
  Value pruned = remove_items(merged, last_named, type);
  FieldSet owned;
  for (const auto& [id, owner] : owners) owned = owned.united(owner.fields);
  FieldSet all = fields_of(merged, type).with_named_fields(type);
  FieldSet kept = fields_of(pruned, type).with_named_fields(type);
  pruned = remove_items(merged, all.without(kept.united(owned.with_named_fields(type))), type);
  kept = fields_of(pruned, type).with_named_fields(type);
  return remove_items(merged, all.without(kept).intersected(last_named), type);
}

struct Applied {
  Value object;
  Owners owners;
};

Result<Applied> apply_once(const Request& request, const Value& live, const Value& config,
                           Owners owners, bool force) {
  const Type* type = request.type;
  if (auto fits = check_typed(config, type, false); !fits) {
    return Error::wrap("failed to create typed patch object (" + object_text(config) + ")",
                       std::move(fits).error());
  }
  if (auto fits = check_typed(live, type, true); !fits) {
    return Error::wrap("failed to create typed live object (" + object_text(live) + ")",
                       std::move(fits).error());
  }
  for (auto& [id, owner] : owners) owner.fields = reconciled(owner.fields, type);
  Value merged = TRY(merge_typed(live, config, type));
  Owner self = request.owner(true);
  std::string id = identity_of(self);
  FieldSet last;
  std::string last_time;
  if (auto found = owners.find(id); found != owners.end()) {
    last = found->second.fields;
    last_time = found->second.time;
  }
  self.fields = fields_of(config, type).without_deep(request.reset);
  owners[id] = self;
  Value next = prune(merged, last, owners, type);
  TRY(take(request, live, next, owners, id, force));
  bool changed = !equal_values(live, next);
  if (auto found = owners.find(id); found != owners.end()) {
    found->second.fields = found->second.fields.without(unowned_fields());
    // The time is kept when the object stays as it is; who is new always gets one.
    if (!changed && !last_time.empty()) found->second.time = last_time;
  }
  forget_empty(owners);
  return Applied{changed ? std::move(next) : live, std::move(owners)};
}

// What client-side apply wrote and nobody changed since; nullopt: it was not used.
std::optional<FieldSet> last_applied_fields(const Request& request, const Value& live) {
  std::string_view annotation = text(annotations_of(live), kLastApplied);
  if (annotation.empty()) return std::nullopt;
  auto last = json::read(annotation, {.numbers = json::Numbers::kExact});
  if (!last || !last->is_map() || text(*last, "apiVersion") != request.manager.api_version ||
      !check_typed(*last, request.type, false) || !check_typed(live, request.type, false)) {
    return std::nullopt;
  }
  Comparison since = compare_typed(*last, live, request.type);
  return fields_of(*last, request.type)
      .without(since.modified)
      .without(since.added)
      .without(since.removed);
}

// The conflicts outside `allowed`; force is due when there are none.
Result<Applied> apply_over_client_side(const Request& request, const Value& live,
                                       const Value& config, const Owners& owners,
                                       const FieldSet& allowed) {
  Owners others = owners;
  for (auto& [id, owner] : others) {
    if (!owner.applied || owner.name != request.manager.name) {
      owner.fields = owner.fields.without(allowed);
    }
  }
  // With what is allowed taken out of their hands, only true conflicts are left to report.
  if (auto rest = apply_once(request, live, config, std::move(others), false); !rest) return rest;
  return apply_once(request, live, config, owners, true);
}

Value with_annotation(const Value& object, std::string_view key, const Value* v) {
  auto out = Ref<value::Map>::make(*object.as_map());
  auto metadata = Ref<value::Map>::make(*metadata_of(object).as_map());
  Value old = annotations_of(object);
  auto annotations = old.is_map() && old.as_map() ? Ref<value::Map>::make(*old.as_map())
                                                  : value::make_map();
  if (v) {
    annotations->set(value::Str(key), *v);
    size_t bytes = 0;
    for (const auto& entry : *annotations) {
      bytes += entry.key.view().size();
      if (entry.value.is_string()) bytes += entry.value.as_string().size();
    }
    if (bytes > kMaxAnnotationBytes) v = nullptr;
  }
  if (!v) annotations->erase(key);
  if (annotations->empty()) {
    metadata->erase("annotations");
  } else {
    metadata->set("annotations", Value::map(std::move(annotations)));
  }
  out->set("metadata", Value::map(std::move(metadata)));
  return Value::map(std::move(out));
}

Result<Value> refresh_last_applied(const Value& object, const Value& config) {
  if (text(annotations_of(object), kLastApplied).empty()) return object;
  Value clean = config;
  if (annotations_of(config).is_map()) clean = with_annotation(config, kLastApplied, nullptr);
  std::string written = TRY(json::write(clean, {.escape_html = true})) + "\n";
  Value annotation = value::str(written);
  return with_annotation(object, kLastApplied, &annotation);
}

// What an apply or update on nothing starts from.
Value nothing(const Value& like) {
  Value out = empty_object(text(like, "apiVersion"), text(like, "kind"));
  for (std::string_view key : {"apiVersion", "kind"}) {
    if (const Value* found = like.get(key)) out.as_map()->set(value::Str(key), *found);
  }
  return out;
}

}  // namespace

Result<Value> apply(const Value& live, const Value& config, const Type* type,
                    const Manager& manager, bool force) {
  if (!config.is_map()) return Error(Code::kInvalidArgument, "the patch must be an object");
  if (text(config, "apiVersion") != manager.api_version) {
    return Error(Code::kInvalidArgument, "invalid object type: " + kind_text(config));
  }
  if (!metadata_of(config).is_map()) {
    return Error(Code::kInvalidArgument, "metadata must be an object");
  }
  if (metadata_of(config).get("managedFields")) {
    return Error(Code::kInvalidArgument, "metadata.managedFields must be nil");
  }
  Request request = request_of(config, type, manager);
  Value before = live.is_nil() ? nothing(config) : without_owners(live);
  auto owners = read_owners(live);
  if (!owners) return Error::wrap("failed to decode managed fields", std::move(owners).error());
  if (owners->empty() && !live.is_nil()) {
    Owner first = request.owner(false);
    first.name = "before-first-apply";
    record_update(request, nothing(live), before, *owners, std::move(first));
  }
  auto applied = apply_once(request, before, config, *owners, force);
  bool kubectl = manager.name == "kubectl";
  if (!applied && kubectl && applied.error().find<Conflicts>()) {
    if (auto allowed = last_applied_fields(request, before)) {
      applied = apply_over_client_side(request, before, config, *owners, *allowed);
    }
  }
  if (!applied) return std::move(applied).error();
  // The empty object only says what is nobody's news; its nulls are no part of what is made.
  Value object = live.is_nil() ? config : std::move(applied->object);
  if (kubectl) object = TRY(refresh_last_applied(object, config));
  return with_owners(object, applied->owners);
}

Result<Value> update(const Value& live, const Value& next, const Type* type,
                     const Manager& manager) {
  if (!next.is_map()) return Error(Code::kInvalidArgument, "the object must be a map");
  Request request = request_of(next, type, manager);
  Owners owners;
  if (manager.subresource.empty() && resets_owners(next)) {
    owners.clear();
  } else {
    // What cannot be read is as good as absent: clients that know nothing of it may send anything.
    auto sent = manager.subresource.empty() ? read_owners(next) : Result<Owners>(Owners());
    if (sent && !sent->empty()) {
      owners = std::move(*sent);
    } else if (auto stored = read_owners(live)) {
      owners = std::move(*stored);
    }
  }
  Value after = without_owners(next);
  // Nobody was tracked before: the object stays untracked.
  if (owners.empty() && !live.is_nil()) return after;
  Value before = live.is_nil() ? nothing(next) : without_owners(live);
  record_update(request, before, after, owners, request.owner(false));
  return with_owners(after, owners);
}

}  // namespace pintle::patch
