// create, update, patch, delete and deletecollection: what the query may ask, what the body must be,
// and the answers' codes (apiserver pkg/endpoints/handlers).

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "drydock/body_text.h"
#include "drydock/custom_resources.h"
#include "drydock/list_query.h"
#include "drydock/patch_request.h"
#include "drydock/rest.h"
#include "drydock/validation.h"
#include "drydock/warnings.h"
#include "drydock/write_options.h"
#include "json/json.h"
#include "patch/go_text.h"
#include "patch/patch.h"
#include "yaml/yaml.h"

namespace pintle::drydock {
namespace {

void warn(const ApiRequest& r, const std::vector<std::string>& warnings) {
  if (r.warnings) r.warnings->insert(r.warnings->end(), warnings.begin(), warnings.end());
}

ResourcePtr stored_of(Rest& rest, const Resource& resource) {
  Place place = place_of(resource);
  return rest.machine.resource(place.group, place.plural);
}

Error conflicts_error(const Error& error, const patch::Conflicts& found) {
  ApiError d;
  d.code = 409;
  d.reason = "Conflict";
  for (const patch::Conflict& c : found.list) d.causes.push_back({"FieldManagerConflict", c.message, c.field});
  return api_error(error.text(), std::move(d));
}

// Kinds whose strategies take no update that does not say what it is an update of.
bool needs_version(const Resource& resource) {
  static constexpr std::string_view kPlurals[] = {
      "apiservices", "clustertrustbundles", "csidrivers", "csinodes", "csistoragecapacities", "leasecandidates", "leases",
      "mutatingadmissionpolicies", "mutatingadmissionpolicybindings", "mutatingwebhookconfigurations",
      "poddisruptionbudgets", "runtimeclasses", "validatingadmissionpolicies", "validatingadmissionpolicybindings",
      "validatingwebhookconfigurations", "volumeattachments", kDefinitionPlural};
  return resource.custom() || std::find(std::begin(kPlurals), std::end(kPlurals), resource.plural) != std::end(kPlurals);
}

}  // namespace

Status settle_place(const ApiRequest& r, const Resource& resource, Value& object) {
  Value& meta = ensure(object, "metadata");
  if (!resource.namespaced) {
    drop(meta, "namespace");
  } else {
    std::string_view ns = namespace_of(object);
    if (!ns.empty() && ns != r.ns) {
      return bad_request("the namespace of the provided object does not match the namespace sent on the request");
    }
    put(meta, "namespace", r.ns);
  }
  std::string_view name = name_of(object);
  if (r.name.empty() || name == r.name) return ok();
  if (name.empty()) {
    return bad_request(cat("the name of the object (", r.name, " based on URL) was undeterminable: name must be provided"));
  }
  return bad_request(cat("the name of the object (", name, ") does not match the name on the URL (", r.name, ")"));
}

Result<httpd::Response> serve_create(Rest& rest, const ApiRequest& r, const ResourcePtr& resource) {
  TRY(choose_view(r, resource));
  WriteOptions q = TRY(read_write_options(r, "CreateOptions"));
  Decoded body = TRY(decode_object(*r.http, *resource, q.validation));
  warn(r, body.warnings);
  TRY(settle_place(r, *resource, body.object));
  ResourcePtr stored = stored_of(rest, *resource);
  const std::vector<std::string> doubts = warnings_of(*resource, body.object);
  to_stored(*resource, *stored, body.object);
  Lock held(rest.machine.lock());
  ObjectPtr made = TRY(rest.machine.create_object(stored, std::move(body.object), q.context));
  warn(r, doubts);
  return object_response(rest, r, resource, *made, 201);
}

Result<httpd::Response> serve_update(Rest& rest, const ApiRequest& r, const ResourcePtr& resource) {
  TRY(choose_view(r, resource));
  WriteOptions q = TRY(read_write_options(r, "UpdateOptions"));
  Decoded body = TRY(decode_object(*r.http, *resource, q.validation));
  warn(r, body.warnings);
  TRY(settle_place(r, *resource, body.object));
  ResourcePtr stored = stored_of(rest, *resource);
  to_stored(*resource, *stored, body.object);
  Lock held(rest.machine.lock());
  bool unnamed = text(body.object, "metadata", "resourceVersion").empty();
  Place place = place_of(*resource);
  const ObjectPtr found = rest.machine.store().find(place.group, place.plural, r.ns, r.name);
  const bool exists = found != nullptr;
  static constexpr std::string_view kCreates[] = {"leases", "events", "endpoints", "limitranges", "services",
                                                  "roles", "rolebindings", "clusterroles", "clusterrolebindings"};
  if (!exists && r.subresource.empty() && !resource->custom() &&
      std::find(std::begin(kCreates), std::end(kCreates), resource->plural) != std::end(kCreates)) {
    drop(ensure(body.object, "metadata"), "resourceVersion");
    q.context.by_update = true;
    ObjectPtr made = TRY(rest.machine.create_object(stored, std::move(body.object), q.context));
    return object_response(rest, r, resource, *made, 201);
  }
  if (exists && unnamed && needs_version(*resource)) {
    return invalid(resource->group, resource->plural, r.name,
                   {{"FieldValueInvalid", "Invalid value: 0: must be specified for an update", "metadata.resourceVersion"}});
  }
  const Value before = found ? tree_in(*resource, *found) : Value();
  ObjectPtr made = TRY(rest.machine.update_object(stored, std::move(body.object), q.context));
  if (r.subresource.empty()) warn(r, warnings_of_update(*resource, tree_in(*resource, *made), before));
  return object_response(rest, r, resource, *made, 200);
}

namespace {

// The object as server-side apply leaves it.
Result<Value> apply_configuration(Rest& rest, const ApiRequest& r, const Resource& resource, const patch::Type* type,
                                  const Value& live, const WriteOptions& q, std::vector<std::string>& warnings) {
  auto body = yaml::read_map(r.http->body);
  if (!body) return bad_request(cat("error decoding YAML: ", body.error().text()));
  Value wanted = TRY(yaml::read_exact(r.http->body));
  if (wanted.is_nil()) wanted = empty_map();
  const std::string_view kind = text(wanted, "kind"), version = text(wanted, "apiVersion");
  if (kind != resource.kind || version != resource.api_version()) {
    const bool grouped = version.find('/') != std::string_view::npos;
    return bad_request(cat("invalid object type: ", grouped ? "" : "/", version, ", Kind=", kind));
  }
  ensure(wanted, "metadata");
  auto applied = patch::apply(live, wanted, type,
                              {q.context.manager, resource.api_version(), rest.machine.now(), r.subresource}, q.force);
  if (!applied) {
    if (auto* c = applied.error().find<patch::Conflicts>()) return conflicts_error(applied.error(), *c);
    const std::string why(applied.error().text());
    if (why.starts_with("failed to ")) return status_error(500, "", why);
    return bad_request(why);
  }
  if (q.validation == FieldValidation::kIgnore) return std::move(*applied);
  warnings = duplicate_yaml_keys(r.http->body);
  if (q.validation == FieldValidation::kStrict && !warnings.empty()) {
    return bad_request(cat("error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ",
                           join(warnings, "\n  ")));
  }
  return std::move(*applied);
}

}  // namespace

Result<httpd::Response> serve_patch(Rest& rest, const ApiRequest& r, const ResourcePtr& resource) {
  const PatchKind kind = TRY(patch_kind(r, *resource));
  const bool apply = kind == PatchKind::kApply, strategic = kind == PatchKind::kStrategic;
  TRY(choose_view(r, resource));
  WriteOptions q = TRY(read_write_options(r, "PatchOptions", apply));
  ResourcePtr stored = stored_of(rest, *resource);
  const patch::Type* type = resource->custom_types ? resource->custom_types->root() : resource->type;
  Place place = place_of(*resource);
  Lock held(rest.machine.lock());
  ObjectPtr found = rest.machine.store().find(place.group, place.plural, r.ns, r.name);
  if (!found && (!apply || !r.subresource.empty())) return not_found(resource->group, resource->plural, r.name);
  Value live = found ? tree_in(*resource, *found) : Value();
  Value next;
  Patch patch;
  if (apply) {
    next = TRY(apply_configuration(rest, r, *resource, type, live, q, patch.complaints));
    q.context.apply = true;
  } else {
    patch = TRY(read_patch(r, kind, q.validation));
    next = TRY(apply_patch(live, patch.body, kind, type));
  }
  next = value::deep_copy(next);  // patches share parts with their inputs
  // A strategic merge is read back tree by tree, the others as text; each shows what it read.
  std::string shown = strategic ? patch::go_text(patch.body) : json::write(next).value_or("");
  auto refused = [&](std::string_view why) {
    std::vector<Cause> causes;
    invalid_value(causes, "patch", std::string_view(shown), why);
    return invalid("", "", "", std::move(causes));
  };
  if (!apply && !strategic) {
    if (Status s = check_kind(*resource, next); !s) {
      // A custom object may call itself anything; its kind is a field that is wrong.
      const std::string_view said = text(next, "kind");
      if (!resource->custom() || text(next, "apiVersion") != resource->api_version()) return refused(s.error().text());
      return invalid(resource->group, said, r.name, {{"FieldValueInvalid", cat("Invalid value: ", quote(said), ": must be ", resource->kind), "kind"}});
    }
  }
  std::vector<std::string> unknown;
  if (!apply && !strategic && text(next, "kind").empty() && text(next, "apiVersion").empty()) {
    for (const auto& e : entries_of(&next)) unknown.emplace_back(e.key.view());  // of no type: read as nothing
    std::erase_if(unknown, [](const std::string& key) { return key == "kind" || key == "apiVersion"; });
    next = empty_map();
  }
  const Refusal words = apply || strategic ? Refusal::kConvert : Refusal::kDecode;
  const bool literal = kind == PatchKind::kMerge;  // the patch's numbers reach the decoder as they are written
  if (Status s = check_fields(*resource, next, &unknown, words, literal ? r.http->body : std::string_view()); !s) {
    if (!apply) return refused(s.error().text());
    const std::string type_name = cat(resource->api_version(), ", Kind=", resource->kind);
    return status_error(500, "", cat("failed to convert new object (", namespace_of(next), "/", r.name, "; ", type_name,
                                     ") to proper version: unable to convert unstructured object to ", type_name, ": ",
                                     s.error().text()));
  }
  std::vector<std::string> warnings = std::move(patch.complaints);
  if (q.validation != FieldValidation::kIgnore && !apply) {
    for (const std::string& path : unknown) warnings.push_back(cat("unknown field ", quote(path)));
  }
  if (q.validation == FieldValidation::kStrict && !warnings.empty() && !apply) {
    return refused(cat("strict decoding error: ", join(warnings, ", ")));
  }
  warn(r, warnings);
  if (!found && !uid_of(next).empty()) {
    return conflict(resource->group, resource->plural, r.name,
                    cat("uid mismatch: the provided object specified uid ", uid_of(next), ", and no existing object was found"));
  }
  TRY(settle_place(r, *resource, next));
  to_stored(*resource, *stored, next);
  q.context.patch = true;
  ObjectPtr made = found ? TRY(rest.machine.update_object(stored, std::move(next), q.context))
                         : TRY(rest.machine.create_object(stored, std::move(next), q.context));
  if (r.subresource.empty()) {
    const Value now = tree_in(*resource, *made);
    warn(r, found ? warnings_of_update(*resource, now, live) : warnings_of(*resource, now));
  }
  return object_response(rest, r, resource, *made, found ? 200 : 201);
}

Result<httpd::Response> serve_delete(Rest& rest, const ApiRequest& r, const ResourcePtr& resource) {
  TRY(choose_view(r, resource));
  DeleteOptions options = TRY(read_delete_options(r));
  if (options.propagation.empty()) warn(r, warnings_of_delete(*resource));
  ResourcePtr stored = stored_of(rest, *resource);
  Lock held(rest.machine.lock());
  Removed removed = TRY(rest.machine.remove_object(stored, r.ns, r.name, options));
  // Pods, and what stays for now, are shown; of the rest only the fact.
  bool shown = !removed.gone || (resource->group.empty() && (resource->plural == "pods" || resource->plural == "serviceaccounts" ||
                                                             resource->plural == "persistentvolumeclaims" || resource->plural == "services"));
  if (shown) {
    int code = !removed.gone && options.propagation == "Foreground" ? 202 : 200;
    return object_response(rest, r, resource, *removed.object, code);
  }
  std::string name, group, kind, uid;
  json::append_string(name, r.name);
  json::append_string(kind, resource->plural);
  json::append_string(uid, removed.object->uid);
  if (!resource->group.empty()) {
    group = ",\"group\":";
    json::append_string(group, resource->group);
  }
  return text_response(200, cat("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\",\"details\":{\"name\":",
                                name, group, ",\"kind\":", kind, ",\"uid\":", uid, "}}\n"));
}

Result<httpd::Response> serve_delete_collection(Rest& rest, const ApiRequest& r, const ResourcePtr& resource) {
  View view = TRY(choose_view(r, resource));
  const ListQuery q = TRY(read_list_query(r, *resource, false));
  if (!q.next.empty()) TRY(read_continue(q.next));
  DeleteOptions options = TRY(read_delete_options(r));
  ResourcePtr stored = stored_of(rest, *resource);
  Place place = place_of(*resource);
  Lock held(rest.machine.lock());
  std::vector<ObjectPtr> chosen;
  rest.machine.store().each(place.group, place.plural, r.ns, "", [&](const ObjectPtr& o) {
    if (q.labels.matches(o->labels) && q.fields.matches(o->ns, o->name, o->fields)) chosen.push_back(o);
    return true;
  });
  for (const ObjectPtr& o : chosen) {
    (void)rest.machine.remove_object(stored, o->ns, o->name, options);  // each as it was; a lost race is no error
  }
  httpd::Response out = text_response(200, "");
  out.body.clear();
  for (std::string& p : show_list(rest.machine, view, chosen, {rest.machine.store().version(), "", -1})) {
    out.body.push_back(std::make_shared<const std::string>(std::move(p)));
  }
  return out;
}

}  // namespace pintle::drydock
