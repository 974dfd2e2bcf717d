// create, update, patch, delete and deletecollection: what the query may ask, what the body must be,
// and the answers' codes (apiserver pkg/endpoints/handlers).

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "drydock/decode.h"
#include "drydock/rest.h"
#include "drydock/validation.h"
#include "json/json.h"
#include "patch/go_text.h"
#include "patch/patch.h"
#include "yaml/yaml.h"

namespace pintle::drydock {
namespace {

struct WriteQuery {
  WriteContext context;
  FieldValidation validation = FieldValidation::kWarn;
  bool force = false;
};

Result<WriteQuery> read_query(const ApiRequest& r, std::string_view options_kind, bool is_apply = false) {
  WriteQuery q;
  std::vector<Cause> causes;
  std::vector<std::string> dry;
  for (const auto& [key, value] : r.query) {
    if (key == "dryRun") dry.push_back(quote(value));
  }
  for (const std::string& d : dry) {
    if (d == "\"All\"") q.context.dry_run = true;
    else causes.push_back({"FieldValueNotSupported", cat("Unsupported value: [", join(dry, " "), "]: supported values: \"All\""), "dryRun"});
  }
  std::string_view validation = r.parameter("fieldValidation");
  if (validation == "Strict") q.validation = FieldValidation::kStrict;
  else if (validation == "Ignore") q.validation = FieldValidation::kIgnore;
  else if (!validation.empty() && validation != "Warn") {
    causes.push_back({"FieldValueNotSupported", cat("Unsupported value: ", quote(validation), ": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\""), "fieldValidation"});
  }
  std::string_view manager = r.parameter("fieldManager");
  if (manager.size() > 128) {
    causes.push_back({"FieldValueTooLong", "Too long: may not be more than 128 bytes", "fieldManager"});
  }
  q.force = r.flag("force");
  if (is_apply && manager.empty()) {
    causes.push_back({"FieldValueRequired", "Required value: is required for apply patch", "fieldManager"});
  }
  if (!is_apply && httpd::find(r.query, "force") && options_kind == "PatchOptions") {
    causes.push_back({"FieldValueForbidden", "Forbidden: may not be specified for non-apply patch", "force"});
  }
  if (!causes.empty()) return invalid("meta.k8s.io", options_kind, "", std::move(causes));
  if (manager.empty()) {
    manager = r.http->header("User-Agent");
    manager = manager.substr(0, manager.find('/'));
    if (manager.empty()) manager = "unknown";
  }
  q.context.manager = manager.substr(0, 128);
  q.context.subresource = r.subresource;
  return q;
}

void warn(httpd::Response& response, const std::vector<std::string>& warnings) {
  for (const std::string& w : warnings) response.headers.push_back({"Warning", cat("299 - ", quote(w))});
}

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
  if (r.name.empty()) return ok();
  if (name.empty()) put(meta, "name", r.name);
  else if (name != r.name) {
    return bad_request(cat("the name of the object (", name, ") does not match the name on the URL (", r.name, ")"));
  }
  return ok();
}

ResourcePtr stored_of(Rest& rest, const Resource& resource) {
  Place place = place_of(resource);
  return rest.machine.resource(place.group, place.plural);
}

Result<Value> json_or_refuse(std::string_view text) {
  auto v = json::read(text, {.numbers = json::Numbers::kExact});
  if (v) return std::move(*v);
  return bad_request(cat("error decoding patch: ", v.error().text()));
}

Error conflicts_error(const Error& error, const patch::Conflicts& found) {
  ApiError d;
  d.code = 409;
  d.reason = "Conflict";
  for (const patch::Conflict& c : found.list) d.causes.push_back({"FieldManagerConflict", c.message, c.field});
  return api_error(error.text(), std::move(d));
}

Result<DeleteOptions> read_delete_options(const ApiRequest& r) {
  Value body = TRY(decode_any(*r.http));
  DeleteOptions out;
  std::vector<Cause> causes;
  if (body.is_map()) {
    out.preconditions.uid = text(body, "preconditions", "uid");
    out.preconditions.version = text(body, "preconditions", "resourceVersion");
    out.grace_seconds = number_or(-1, body, "gracePeriodSeconds");
    out.propagation = text(body, "propagationPolicy");
    if (flag(body, "orphanDependents")) out.propagation = "Orphan";
    for (const Value& d : items(body, "dryRun")) out.dry_run = out.dry_run || (d.is_string() && d.as_string() == "All");
  }
  if (std::string_view p = r.parameter("propagationPolicy"); !p.empty()) out.propagation = p;
  if (std::string_view g = r.parameter("gracePeriodSeconds"); !g.empty()) out.grace_seconds = parse_int(g, 10, 64, nullptr);
  if (r.parameter("dryRun") == "All") out.dry_run = true;
  if (!out.propagation.empty() && out.propagation != "Background" && out.propagation != "Foreground" &&
      out.propagation != "Orphan") {
    causes.push_back({"FieldValueNotSupported",
                      cat("Unsupported value: ", quote(out.propagation),
                          ": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\""),
                      "propagationPolicy"});
    return invalid("meta.k8s.io", "DeleteOptions", "", std::move(causes));
  }
  return out;
}

}  // namespace

Result<httpd::Response> serve_create(Rest& rest, const ApiRequest& r, const ResourcePtr& resource) {
  WriteQuery q = TRY(read_query(r, "CreateOptions"));
  Decoded body = TRY(decode_object(*r.http, *resource, q.validation));
  TRY(settle_place(r, *resource, body.object));
  ResourcePtr stored = stored_of(rest, *resource);
  to_stored(*resource, *stored, body.object);
  std::lock_guard held(rest.machine.lock());
  ObjectPtr made = TRY(rest.machine.create_object(stored, std::move(body.object), q.context));
  httpd::Response out = TRY(object_response(rest, r, resource, *made, 201));
  warn(out, body.warnings);
  return out;
}

Result<httpd::Response> serve_update(Rest& rest, const ApiRequest& r, const ResourcePtr& resource) {
  WriteQuery q = TRY(read_query(r, "UpdateOptions"));
  Decoded body = TRY(decode_object(*r.http, *resource, q.validation));
  TRY(settle_place(r, *resource, body.object));
  ResourcePtr stored = stored_of(rest, *resource);
  to_stored(*resource, *stored, body.object);
  std::lock_guard held(rest.machine.lock());
  bool unnamed = text(body.object, "metadata", "resourceVersion").empty();
  Place place = place_of(*resource);
  bool exists = rest.machine.store().find(place.group, place.plural, r.ns, r.name) != nullptr;
  static constexpr std::string_view kCreates[] = {"leases", "events", "endpoints", "limitranges", "services", "nodes"};
  if (!exists && r.subresource.empty() && unnamed &&
      std::find(std::begin(kCreates), std::end(kCreates), resource->plural) != std::end(kCreates)) {
    ObjectPtr made = TRY(rest.machine.create_object(stored, std::move(body.object), q.context));
    return object_response(rest, r, resource, *made, 201);
  }
  if (exists && unnamed && (resource->custom() || resource->plural == "leases")) {
    return invalid(resource->group, resource->kind, r.name,
                   {{"FieldValueInvalid", "Invalid value: 0: must be specified for an update", "metadata.resourceVersion"}});
  }
  ObjectPtr made = TRY(rest.machine.update_object(stored, std::move(body.object), q.context));
  httpd::Response out = TRY(object_response(rest, r, resource, *made, 200));
  warn(out, body.warnings);
  return out;
}

Result<httpd::Response> serve_patch(Rest& rest, const ApiRequest& r, const ResourcePtr& resource) {
  std::string_view type = r.http->header("Content-Type");
  type = trim_space(type.substr(0, type.find(';')));
  bool apply = type == "application/apply-patch+yaml";
  bool json_patch = type == "application/json-patch+json", merge = type == "application/merge-patch+json";
  bool strategic = type == "application/strategic-merge-patch+json";
  if ((!apply && !json_patch && !merge && !strategic) || (strategic && resource->custom())) {
    return status_error(415, "UnsupportedMediaType",
                        cat("the body of the request was in an unknown format - accepted media types include: "
                            "application/json-patch+json, application/merge-patch+json, ",
                            resource->custom() ? "" : "application/strategic-merge-patch+json, ",
                            "application/apply-patch+yaml"));
  }
  WriteQuery q = TRY(read_query(r, "PatchOptions", apply));
  Value body;
  if (apply) {
    auto v = yaml::read_exact(r.http->body);
    if (!v) return bad_request(cat("error decoding YAML: ", v.error().text()));
    body = std::move(*v);
  } else {
    body = TRY(json_or_refuse(r.http->body));
  }
  ResourcePtr stored = stored_of(rest, *resource);
  const patch::Type* patch_type = resource->custom_types ? resource->custom_types->root() : resource->type;
  Place place = place_of(*resource);
  std::lock_guard held(rest.machine.lock());
  ObjectPtr found = rest.machine.store().find(place.group, place.plural, r.ns, r.name);
  if (!found && (!apply || !r.subresource.empty())) return not_found(resource->group, resource->plural, r.name);
  Value live = found ? tree_in(*resource, *found) : Value();
  Value next;
  std::vector<std::string> unknown;
  if (apply) {
    if (text(body, "kind").empty() || text(body, "apiVersion").empty()) {
      return bad_request(cat("the object provided is unrecognized (must be of type ", resource->kind,
                             "): couldn't get version/kind"));
    }
    TRY(settle_place(r, *resource, body));
    auto applied = patch::apply(live, body, patch_type,
                                {q.context.manager, resource->api_version(), rest.machine.now(), r.subresource}, q.force);
    if (!applied) {
      if (auto* c = applied.error().find<patch::Conflicts>()) return conflicts_error(applied.error(), *c);
      return status_error(500, "", applied.error().text());
    }
    next = std::move(*applied);
    q.context.apply = true;
  } else if (merge) {
    next = patch::merge_patch(live, body);
  } else {
    auto patched = json_patch ? patch::json_patch(live, body) : patch::strategic_merge(live, body, patch_type);
    if (!patched) {
      Code code = patched.error().code();
      if (code == Code::kInternal) return status_error(500, "", patched.error().text());
      if (code == Code::kFailedPrecondition) return status_error(422, "Invalid", cat("the server rejected our request due to an error in our request"));
      return bad_request(patched.error().text());
    }
    next = std::move(*patched);
  }
  next = value::deep_copy(next);  // patches share parts with their inputs
  // A strategic merge is read back tree by tree, the others as text; each shows what it read.
  std::string shown = strategic ? patch::go_text(body) : json::write(next).value_or("");
  auto refused = [&](std::string_view why) {
    std::vector<Cause> causes;
    invalid_value(causes, "patch", std::string_view(shown), why);
    return invalid("", "", "", std::move(causes));
  };
  if (Status s = check_fields(*resource, next, &unknown, strategic ? Refusal::kConvert : Refusal::kDecode); !s) {
    return refused(s.error().text());
  }
  std::vector<std::string> warnings;
  if (q.validation != FieldValidation::kIgnore) {
    for (const std::string& path : unknown) warnings.push_back(cat("unknown field ", quote(path)));
  }
  if (q.validation == FieldValidation::kStrict && !warnings.empty()) {
    return refused(cat("strict decoding error: ", join(warnings, ", ")));
  }
  put(ensure(next, "metadata"), "name", r.name);
  if (resource->namespaced) put(ensure(next, "metadata"), "namespace", r.ns);
  to_stored(*resource, *stored, next);
  ObjectPtr made = found ? TRY(rest.machine.update_object(stored, std::move(next), q.context))
                         : TRY(rest.machine.create_object(stored, std::move(next), q.context));
  httpd::Response out = TRY(object_response(rest, r, resource, *made, found ? 200 : 201));
  warn(out, warnings);
  return out;
}

Result<httpd::Response> serve_delete(Rest& rest, const ApiRequest& r, const ResourcePtr& resource) {
  DeleteOptions options = TRY(read_delete_options(r));
  ResourcePtr stored = stored_of(rest, *resource);
  std::lock_guard held(rest.machine.lock());
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
  DeleteOptions options = TRY(read_delete_options(r));
  auto labels = parse_label_selector(r.parameter("labelSelector"));
  if (!labels) return bad_request(labels.error().text());
  auto fields = parse_field_selector(r.parameter("fieldSelector"));
  if (!fields) return bad_request(fields.error().text());
  View view = TRY(choose_view(r, resource));
  ResourcePtr stored = stored_of(rest, *resource);
  Place place = place_of(*resource);
  std::lock_guard held(rest.machine.lock());
  std::vector<ObjectPtr> chosen;
  rest.machine.store().each(place.group, place.plural, r.ns, "", [&](const ObjectPtr& o) {
    if (labels->matches(o->labels) && fields->matches(o->ns, o->name, o->fields)) chosen.push_back(o);
    return true;
  });
  for (ObjectPtr& o : chosen) {
    if (auto removed = rest.machine.remove_object(stored, o->ns, o->name, options)) o = removed->object;
  }
  httpd::Response out = text_response(200, "");
  out.body.clear();
  for (std::string& p : show_list(rest.machine, view, chosen, {rest.machine.store().version(), "", -1})) {
    out.body.push_back(std::make_shared<const std::string>(std::move(p)));
  }
  return out;
}

}  // namespace pintle::drydock
