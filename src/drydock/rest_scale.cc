// The scale subresource: of Deployments and kin spec.replicas, of custom resources what their
// definition says.

#include "base/gotext.h"
#include "base/strings.h"
#include "drydock/custom_resources.h"
#include "drydock/decode.h"
#include "drydock/patch_request.h"
#include "drydock/rest.h"
#include "drydock/validation.h"
#include "drydock/write_options.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

// The number a scale stands for, and the selector text: of Deployments and kin, spec.replicas; of a
// custom resource what its definition says.
Value scale_of(const Resource& resource, const Value& object) {
  Value scale = empty_map();
  put(scale, "kind", "Scale");
  put(scale, "apiVersion", "autoscaling/v1");
  Value& meta = ensure(scale, "metadata");
  for (std::string_view key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    copy_entry(meta, *object.get("metadata"), key);
  }
  if (resource.custom()) {
    const auto& where = *resource.custom_version->scale;
    put(ensure(scale, "spec"), "replicas", as_number(at_path(object, where.replicas_path), 0));
    put(ensure(scale, "status"), "replicas", as_number(at_path(object, where.status_path), 0));
    const Value* selector = where.selector_path.empty() ? nullptr : at_path(object, where.selector_path);
    if (selector && selector->is_string()) put(ensure(scale, "status"), "selector", *selector);
    return scale;
  }
  Value& spec = ensure(scale, "spec");
  if (int64_t n = number(object, "spec", "replicas")) put(spec, "replicas", n);
  Value& status = ensure(scale, "status");
  put(status, "replicas", number(object, "status", "replicas"));
  std::string selector;
  const Value* labels = at(object, "spec", "selector", "matchLabels");
  if (!labels) labels = at(object, "spec", "selector");
  for (const auto& e : entries_of(labels)) {
    if (e.value.is_string()) append(selector, {selector.empty() ? "" : ",", e.key.view(), "=", e.value.as_string()});
  }
  if (!selector.empty()) put(status, "selector", selector);
  return scale;
}

// Scale as a kind of its own, so that it is read as any body, and may be asked for as a table.
ResourcePtr scale_kind(const Resource& resource) {
  auto kind = std::make_shared<Resource>(*kind_of_body("autoscaling", "Scale"));
  kind->plural = resource.plural;
  kind->namespaced = resource.namespaced;
  return kind;
}

Result<httpd::Response> scale_response(Rest& rest, const ApiRequest& r, const Resource& resource, const Value& object) {
  uint64_t version = static_cast<uint64_t>(parse_int(text(object, "metadata", "resourceVersion"), 10, 64, nullptr));
  Value scale = scale_of(resource, object);
  return object_response(rest, r, scale_kind(resource), *encode_object(scale, version, {}), 200);
}

Result<Value> patched_scale(const ApiRequest& r, const Resource& resource, const Value& live, const WriteOptions& q) {
  PatchKind kind = TRY(patch_kind(r, resource));
  if (kind == PatchKind::kApply) {
    return status_error(415, "UnsupportedMediaType", "the scale of an object cannot be applied");
  }
  const Patch patch = TRY(read_patch(r, kind, q.validation));
  if (kind == PatchKind::kStrategic) kind = PatchKind::kMerge;  // there are no lists in it
  Value next = value::deep_copy(TRY(apply_patch(scale_of(resource, live), patch.body, kind, nullptr)));
  const std::string shown = json::write(next).value_or("");
  if (Status s = check_fields(*scale_kind(resource), next, nullptr); !s) {
    std::vector<Cause> causes;
    invalid_value(causes, "patch", std::string_view(shown), s.error().text());
    return invalid("", "", "", std::move(causes));
  }
  return next;
}

}  // namespace

Result<httpd::Response> serve_scale(Rest& rest, const ApiRequest& r, const ResourcePtr& resource) {
  const Place place = place_of(*resource);
  const Key key{place.group, place.plural, r.ns, r.name};
  if (r.verb == "get") {
    Lock held(rest.machine.lock());
    return scale_response(rest, r, *resource, TRY(rest.machine.get(key)));
  }
  const bool patch = r.verb == "patch";
  WriteOptions q = TRY(read_write_options(r, patch ? "PatchOptions" : "UpdateOptions"));
  Value body;
  if (!patch) body = TRY(decode_object(*r.http, *scale_kind(*resource), q.validation)).object;
  Lock held(rest.machine.lock());
  Value live = TRY(rest.machine.get(key));
  if (patch) body = TRY(patched_scale(r, *resource, live, q));
  TRY(settle_place(r, *resource, body));
  const int64_t replicas = number(body, "spec", "replicas");
  if (replicas < 0) {
    return invalid("autoscaling", "Scale", r.name,
                   {{"FieldValueInvalid", cat("Invalid value: ", replicas, ": must be greater than or equal to 0"), "spec.replicas"}});
  }
  if (resource->custom()) put_at_path(live, resource->custom_version->scale->replicas_path, make(replicas));
  else put(ensure(live, "spec"), "replicas", replicas);
  if (std::string_view version = text(body, "metadata", "resourceVersion"); !version.empty()) {
    put(ensure(live, "metadata"), "resourceVersion", version);
  }
  WriteContext context{.manager = q.context.manager, .subresource = "scale"};
  context.dry_run = q.context.dry_run;
  ObjectPtr made = TRY(rest.machine.update_object(rest.machine.resource(place.group, place.plural), std::move(live), context));
  return scale_response(rest, r, *resource, parse_object(*made));
}

}  // namespace pintle::drydock
