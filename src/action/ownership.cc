#include "action/ownership.h"

#include "base/gotext.h"
#include "base/strings.h"
#include "kube/rest.h"

namespace pintle::action {

using value::Value;

namespace {

constexpr std::string_view kManagedBy = "app.kubernetes.io/managed-by";
constexpr std::string_view kReleaseName = "meta.helm.sh/release-name";
constexpr std::string_view kReleaseNamespace = "meta.helm.sh/release-namespace";

// The map of that name inside `parent`, its own copy to change; made when absent.
Ref<value::Map> own_map(value::Map& parent, std::string_view name) {
  Value& slot = parent.at_or_insert(value::Str(name));
  auto copy = value::make_map();
  if (slot.is_map() && slot.as_map() != nullptr) {
    for (const auto& [key, v] : *slot.as_map()) copy->set(key, v);
  }
  slot = Value::map(copy);
  return copy;
}

std::string text_at(const Value& v, std::string_view key) {
  const Value* found = v.get(key);
  return found && found->is_string() ? std::string(found->as_string()) : std::string();
}

void require(const Value* map, std::string_view what, std::string_view key, std::string_view want,
             std::string& wrong) {
  const Value* have = map ? map->get(key) : nullptr;
  if (have && have->is_string() && have->as_string() == want) return;
  append(wrong, {wrong.empty() ? "" : "; ", what, " validation error: "});
  if (have == nullptr) {
    append(wrong, {"missing key ", quote(key), ": must be set to ", quote(want)});
  } else {
    append(wrong, {"key ", quote(key), " must equal ", quote(want), ": current value is ",
                   quote(have->is_string() ? have->as_string() : "")});
  }
}

std::string title(const kube::Object& o) {
  return cat(o.kind, " ", quote(o.name), " in namespace ", quote(o.ns));
}

// Whether the server makes up the name, so that nothing can be in the way.
Result<bool> has_generated_name(const kube::Object& object) {
  const Value* metadata = object.tree.get("metadata");
  if (metadata == nullptr || text_at(*metadata, "generateName").empty()) return false;
  if (object.name.empty()) return true;
  return Error(Code::kInvalidArgument,
               "metadata.name and metadata.generateName cannot both be set");
}

}  // namespace

void mark_owned(kube::Objects& objects, const Owner& owner) {
  for (kube::Object& object : objects) {
    if (!object.tree.is_map() || object.tree.as_map() == nullptr) continue;
    auto top = value::make_map();
    for (const auto& [key, v] : *object.tree.as_map()) top->set(key, v);
    auto metadata = own_map(*top, "metadata");
    own_map(*metadata, "labels")->set(value::Str(kManagedBy), value::str("Helm"));
    auto annotations = own_map(*metadata, "annotations");
    annotations->set(value::Str(kReleaseName), value::str(owner.release));
    annotations->set(value::Str(kReleaseNamespace), value::str(owner.namespace_));
    object.tree = Value::map(top);
  }
}

Status check_owned(const Value& live, const Owner& owner) {
  const Value* metadata = live.get("metadata");
  const Value* labels = metadata ? metadata->get("labels") : nullptr;
  const Value* annotations = metadata ? metadata->get("annotations") : nullptr;
  std::string wrong;
  require(labels, "label", kManagedBy, "Helm", wrong);
  require(annotations, "annotation", kReleaseName, owner.release, wrong);
  require(annotations, "annotation", kReleaseNamespace, owner.namespace_, wrong);
  if (wrong.empty()) return ok();
  return Error(Code::kFailedPrecondition, cat("invalid ownership metadata; ", wrong));
}

Result<kube::Objects> existing(kube::Cluster& cluster, const kube::Objects& objects,
                               const Owner& owner, bool take) {
  kube::Objects out;
  for (const kube::Object& object : objects) {
    if (TRY(has_generated_name(object))) continue;
    const auto live = cluster.get(object);
    if (!live) {
      if (kube::is_not_found(live.error())) continue;
      return Error::wrap(cat("could not get information about the resource ", title(object)),
                         live.error());
    }
    if (!take) {
      if (const Status owned = check_owned(*live, owner); !owned) {
        return Error::wrap(
            cat(title(object), " exists and cannot be imported into the current release"),
            owned.error());
      }
    }
    out.push_back(object);
  }
  return out;
}

Ownership sort_by_owner(kube::Cluster& cluster, const kube::Objects& objects, const Owner& owner) {
  Ownership out;
  for (const kube::Object& object : objects) {
    const auto live = cluster.get(object);
    if (live) {
      (check_owned(*live, owner) ? out.owned : out.foreign).push_back(object);
    } else if (!kube::is_not_found(live.error())) {
      out.unknown.push_back({object, live.error().text()});
    }
  }
  return out;
}

}  // namespace pintle::action
