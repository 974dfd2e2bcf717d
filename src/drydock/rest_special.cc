// Reviews (who am I, may I) and subresources that are more than a part of the object: scale, log,
// eviction, binding, token, finalize.

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "drydock/custom_resources.h"
#include "drydock/decode.h"
#include "drydock/rest.h"
#include "json/json.h"
#include "patch/patch.h"

namespace pintle::drydock {
namespace {

Result<httpd::Response> tree_response(const Value& v, int code) {
  std::string out;
  TRY(json::append(out, v));
  return text_response(code, out + "\n");
}

Value verdict(bool yes) {
  Value status = empty_map();
  put(status, "allowed", yes);
  return status;
}

Value string_list(std::initializer_list<std::string_view> items) {
  std::vector<Value> out;
  for (std::string_view s : items) out.push_back(make(s));
  return Value::list_of(std::move(out));
}

Value user_value(const User& user) {
  Value v = empty_map();
  put(v, "username", user.name);
  if (user.known) put(v, "uid", user.name);
  std::vector<Value> groups;
  for (const std::string& g : user.groups) groups.push_back(make(g));
  put(v, "groups", Value::list_of(std::move(groups)));
  return v;
}

Value rules_of_user(const User& user) {
  std::vector<Value> rules;
  auto rule = [&](std::initializer_list<std::string_view> verbs, std::initializer_list<std::string_view> groups,
                  std::initializer_list<std::string_view> resources) {
    Value v = empty_map();
    put(v, "verbs", string_list(verbs));
    put(v, "apiGroups", string_list(groups));
    put(v, "resources", string_list(resources));
    rules.push_back(v);
  };
  rule({"create"}, {"authorization.k8s.io"}, {"selfsubjectaccessreviews", "selfsubjectrulesreviews"});
  rule({"create"}, {"authentication.k8s.io"}, {"selfsubjectreviews"});
  bool admin = user.role == Token::Role::kAdmin;
  if (admin) rule({"*"}, {"*"}, {"*"});
  else if (user.role == Token::Role::kEdit) rule({"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}, {"*"}, {"*"});
  else rule({"get", "list", "watch"}, {"*"}, {"*"});
  Value status = empty_map();
  put(status, "resourceRules", Value::list_of(std::move(rules)));
  // As the roles every user has: system:public-info-viewer and system:discovery.
  std::vector<Value> paths;
  auto open = [&](std::string_view verb, std::initializer_list<std::string_view> urls) {
    Value v = empty_map();
    put(v, "verbs", string_list({verb}));
    put(v, "nonResourceURLs", string_list(urls));
    paths.push_back(v);
  };
  open("get", {"/healthz", "/livez", "/readyz", "/version", "/version/"});
  if (admin) open("*", {"*"});
  open("get", {"/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*", "/readyz", "/version", "/version/"});
  put(status, "nonResourceRules", Value::list_of(std::move(paths)));
  put(status, "incomplete", false);
  return status;
}

bool spec_allowed(const User& user, const Value& spec) {
  if (const Value* a = at(spec, "resourceAttributes")) {
    return allowed(user, text(*a, "verb"), text(*a, "group"), text(*a, "resource"), text(*a, "subresource"));
  }
  return user.known;
}

Result<httpd::Response> review(Rest& rest, const ApiRequest& r, const ResourcePtr& resource) {
  Decoded body = TRY(decode_object(*r.http, *resource, FieldValidation::kWarn));
  Value& object = body.object;
  Value spec = at(object, "spec") ? *at(object, "spec") : empty_map();
  auto user_named = [&](std::string_view name) {
    User user{std::string(name), {}, Token::Role::kView, false};
    for (const Token& t : rest.tokens) {
      if (t.user == name) user = {t.user, {"system:authenticated"}, t.role, true};
    }
    return user;
  };
  if (r.plural == "tokenreviews") {
    Value status = empty_map();
    for (const Token& t : rest.tokens) {
      if (t.value != text(spec, "token")) continue;
      put(status, "authenticated", true);
      put(status, "user", user_value({t.user, {"system:authenticated"}, t.role, true}));
    }
    if (status.length() == 0) put(status, "error", "[invalid bearer token, unknown]");
    put(object, "status", status);
  } else if (r.plural == "selfsubjectreviews") {
    put(ensure(object, "status"), "userInfo", user_value(r.user));
  } else if (r.plural == "selfsubjectrulesreviews") {
    put(object, "status", rules_of_user(r.user));
  } else if (r.plural == "selfsubjectaccessreviews") {
    put(object, "status", verdict(spec_allowed(r.user, spec)));
  } else {
    put(object, "status", verdict(spec_allowed(user_named(text(spec, "user")), spec)));
  }
  ensure(object, "metadata");
  return tree_response(object, 201);
}

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
  put(ensure(scale, "spec"), "replicas", number(object, "spec", "replicas"));
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

// As an object of its own kind, so that it may be asked for as a table, too.
Result<httpd::Response> scale_response(Rest& rest, const ApiRequest& r, const Resource& resource, const Value& object) {
  auto kind = std::make_shared<Resource>();
  kind->group = "autoscaling";
  kind->version = "v1";
  kind->kind = "Scale";
  kind->plural = r.plural;
  kind->namespaced = true;
  uint64_t version = static_cast<uint64_t>(parse_int(text(object, "metadata", "resourceVersion"), 10, 64, nullptr));
  Value scale = scale_of(resource, object);
  return object_response(rest, r, kind, *encode_object(scale, version, {}), 200);
}

Result<httpd::Response> scale(Rest& rest, const ApiRequest& r, const ResourcePtr& resource) {
  Place place = place_of(*resource);
  Value body = r.verb == "update" ? TRY(decode_any(*r.http)) : Value();
  std::lock_guard held(rest.machine.lock());
  Value live = TRY(rest.machine.get({place.group, place.plural, r.ns, r.name}));
  if (r.verb == "get") return scale_response(rest, r, *resource, live);
  if (r.verb == "patch") {
    auto patch = json::read(r.http->body, {.numbers = json::Numbers::kExact});
    if (!patch) return bad_request(cat("error decoding patch: ", patch.error().text()));
    if (r.http->header("Content-Type").starts_with("application/json-patch+json")) {
      auto patched = patch::json_patch(scale_of(*resource, live), *patch);
      if (!patched) return bad_request(patched.error().text());
      body = value::deep_copy(*patched);
    } else {
      body = value::deep_copy(patch::merge_patch(scale_of(*resource, live), *patch));
    }
  }
  const Value* replicas = at(body, "spec", "replicas");
  if (!replicas || !replicas->is_int() || replicas->as_int() < 0) {
    return invalid("autoscaling", "Scale", r.name,
                   {{"FieldValueInvalid", cat("Invalid value: ", as_number(replicas, 0), ": must be greater than or equal to 0"), "spec.replicas"}});
  }
  if (resource->custom()) put_at_path(live, resource->custom_version->scale->replicas_path, *replicas);
  else put(ensure(live, "spec"), "replicas", *replicas);
  if (std::string_view version = text(body, "metadata", "resourceVersion"); !version.empty()) {
    put(ensure(live, "metadata"), "resourceVersion", version);
  }
  std::string manager(r.parameter("fieldManager"));
  if (manager.empty()) manager = r.http->header("User-Agent").substr(0, r.http->header("User-Agent").find('/'));
  WriteContext context{.manager = manager, .subresource = ""};
  context.dry_run = r.parameter("dryRun") == "All";
  ObjectPtr made = TRY(rest.machine.update_object(rest.machine.resource(place.group, place.plural), std::move(live), context));
  return scale_response(rest, r, *resource, parse_object(*made));
}

Result<httpd::Response> log(Rest& rest, const ApiRequest& r) {
  std::lock_guard held(rest.machine.lock());
  Value pod = TRY(rest.machine.get({"", "pods", r.ns, r.name}));
  std::string container(r.parameter("container"));
  std::vector<std::string> names;
  for (const Value& c : items(pod, "spec", "containers")) names.emplace_back(text(c, "name"));
  if (container.empty()) {
    if (names.size() > 1) {
      return bad_request(cat("a container name must be specified for pod ", r.name, ", choose one of: [", join(names, " "), "]"));
    }
    if (!names.empty()) container = names[0];
  }
  for (std::string_view group : {"containerStatuses", "initContainerStatuses"}) {
    for (const Value& s : items(pod, "status", group)) {
      if (text(s, "name") != container) continue;
      const Value* waiting = at(s, "state", "waiting");
      if (waiting) {
        return bad_request(cat("container \"", container, "\" in pod \"", r.name, "\" is waiting to start: ", text(*waiting, "reason")));
      }
      std::string_view since = text(s, "state", "running", "startedAt");
      if (since.empty()) since = text(s, "state", "terminated", "startedAt");
      std::string stamp = r.flag("timestamps") ? cat(since, " ") : std::string();
      return text_response(200, cat(stamp, "container ", container, " of pod ", r.name, " started with image ", text(s, "image"), "\n"), "text/plain");
    }
  }
  return bad_request(cat("container ", container, " is not valid for pod ", r.name));
}

Result<httpd::Response> success(int code) {
  return text_response(code, cat("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\",\"code\":", code, "}\n"));
}

Result<httpd::Response> evict(Rest& rest, const ApiRequest& r) {
  Value body = TRY(decode_any(*r.http));
  DeleteOptions options;
  options.grace_seconds = number_or(-1, body, "deleteOptions", "gracePeriodSeconds");
  std::lock_guard held(rest.machine.lock());
  TRY(rest.machine.remove_object(rest.machine.resource("", "pods"), r.ns, r.name, options));
  return success(201);
}

Result<httpd::Response> bind(Rest& rest, const ApiRequest& r) {
  Value body = TRY(decode_any(*r.http));
  std::string name = r.name.empty() ? std::string(drydock::name_of(body)) : r.name;
  std::lock_guard held(rest.machine.lock());
  Value pod = TRY(rest.machine.get({"", "pods", r.ns, name}));
  put(ensure(pod, "spec"), "nodeName", text(body, "target", "name"));
  TRY(rest.machine.update("", "pods", std::move(pod), "binding"));
  return success(201);
}

Result<httpd::Response> token(Rest& rest, const ApiRequest& r) {
  Value body = TRY(decode_any(*r.http));
  if (body.is_nil()) body = empty_map();
  std::lock_guard held(rest.machine.lock());
  TRY(rest.machine.get({"", "serviceaccounts", r.ns, r.name}));
  put(body, "kind", "TokenRequest");
  put(body, "apiVersion", "authentication.k8s.io/v1");
  put(ensure(body, "metadata"), "name", r.name);
  put(ensure(body, "metadata"), "namespace", r.ns);
  int64_t seconds = number_or(3600, body, "spec", "expirationSeconds");
  put(ensure(body, "spec"), "expirationSeconds", seconds);
  put(ensure(body, "status"), "token", crypt::hex(crypt::random_bytes(32)));
  put(ensure(body, "status"), "expirationTimestamp", time_text(rest.machine.now_ns() + seconds * 1'000'000'000));
  return tree_response(body, 201);
}

Result<httpd::Response> finalize(Rest& rest, const ApiRequest& r, const ResourcePtr& resource) {
  Decoded body = TRY(decode_object(*r.http, *resource, FieldValidation::kWarn));
  std::lock_guard held(rest.machine.lock());
  Value live = TRY(rest.machine.get({"", "namespaces", "", r.name}));
  copy_entry(ensure(live, "spec"), body.object.get("spec") ? *body.object.get("spec") : empty_map(), "finalizers");
  WriteContext context{.manager = "kube-apiserver", .subresource = "finalize"};
  ObjectPtr made = TRY(rest.machine.update_object(resource, std::move(live), context));
  return object_response(rest, r, resource, *made, 200);
}

}  // namespace

bool serve_special(Rest& rest, const ApiRequest& r, const ResourcePtr& resource, Result<httpd::Response>* out) {
  bool reviews = r.group == "authorization.k8s.io" || r.group == "authentication.k8s.io";
  if (reviews && r.verb == "create") *out = review(rest, r, resource);
  else if (r.subresource == "scale") *out = scale(rest, r, resource);
  else if (r.subresource == "log" && r.verb == "get") *out = log(rest, r);
  else if (r.subresource == "eviction" && r.verb == "create") *out = evict(rest, r);
  else if ((r.subresource == "binding" || r.plural == "bindings") && r.verb == "create") *out = bind(rest, r);
  else if (r.subresource == "token" && r.verb == "create") *out = token(rest, r);
  else if (r.subresource == "finalize" && r.verb == "update") *out = finalize(rest, r, resource);
  else if (r.plural == "componentstatuses") *out = text_response(200, "{\"kind\":\"ComponentStatusList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":[]}\n");
  else return false;
  return true;
}

}  // namespace pintle::drydock
