#include "drydock/rest.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "drydock/authorization.h"
#include "drydock/patch_request.h"
#include "json/json.h"
#include "yaml/yaml.h"

namespace pintle::drydock {
namespace {

Error no_such_resource() {
  return status_error(404, "NotFound", "the server could not find the requested resource");
}
Error method_not_allowed() {
  return status_error(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
}

// Of a kind whose version is on its way out.
std::string_view deprecation_of(const ApiRequest& r) {
  if (!r.is_resource || !r.group.empty()) return "";
  if (r.plural == "endpoints") return "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
  if (r.plural == "componentstatuses") return "v1 ComponentStatus is deprecated in v1.19+";
  return "";
}

bool has_one_of(const std::vector<std::string>& verbs, std::initializer_list<std::string_view> wanted) {
  return std::any_of(wanted.begin(), wanted.end(), [&](std::string_view w) {
    return std::find(verbs.begin(), verbs.end(), w) != verbs.end();
  });
}

// Is there such an address, and does it take this method?
Status check_address(const ApiRequest& r, const Resource& resource) {
  if (!r.more.empty()) return no_such_resource();
  // A namespaced object has no address outside its namespace, nor the other way round.
  if (resource.namespaced && r.ns.empty() && !r.name.empty()) return no_such_resource();
  if (!resource.namespaced && !r.ns.empty()) return no_such_resource();
  if (r.http->method == "HEAD") return method_not_allowed();
  if (!r.subresource.empty()) {
    for (const Subresource& s : subresources_of(resource)) {
      if (s.name != r.subresource) continue;
      return has_one_of(s.verbs, {r.verb}) ? ok() : Status(method_not_allowed());
    }
    const bool optional = resource.custom() && (r.subresource == "scale" || r.subresource == "status");
    return optional ? not_found(resource.group, resource.plural, r.name) : no_such_resource();
  }
  const bool across = resource.namespaced && r.ns.empty();
  const bool there = !r.name.empty() ? has_one_of(resource.verbs, {"get", "update", "patch", "delete"})
                     : across        ? has_one_of(resource.verbs, {"list"})
                                     : has_one_of(resource.verbs, {"list", "create", "deletecollection"});
  if (!there) return no_such_resource();
  const bool of_collection = r.verb == "create" || r.verb == "deletecollection";
  const bool of_object = r.verb == "update" || r.verb == "patch";
  const bool allowed = has_one_of(resource.verbs, {r.verb}) && !(of_collection && (across || !r.name.empty())) &&
                       !(of_object && r.name.empty());
  return allowed ? ok() : Status(method_not_allowed());
}

// What cannot be part of a key in the store, whatever the kind says of names.
Status check_name(const ApiRequest& r) {
  if (r.name == "." || r.name == "..") {
    return bad_request(cat("Name parameter invalid: ", quote(r.name), ": may not be '", r.name, "'"));
  }
  if (r.name.find('%') != std::string::npos) {
    return bad_request(cat("Name parameter invalid: ", quote(r.name), ": may not contain '%'"));
  }
  if (r.ns == "." || r.ns == "..") return status_error(500, "", cat("invalid key: \"/", r.plural, "/", r.ns, "\""));
  return ok();
}

Status authorize(Rest& rest, const ApiRequest& r) {
  if (!r.is_resource) return authorize_path(r);
  if (r.user.known && r.user.has_role && r.user.role == Token::Role::kAdmin) return ok();
  const std::string& ns = r.plural == "namespaces" && r.group.empty() ? r.name : r.ns;
  {
    Lock held(rest.machine.lock());
    if (permitted(rest.machine, r.user, {r.verb, r.group, r.plural, r.subresource, ns, r.name})) return ok();
  }
  std::string resource = r.subresource.empty() ? r.plural : cat(r.plural, "/", r.subresource);
  std::string where = ns.empty() ? "at the cluster scope" : cat("in the namespace ", quote(ns));
  return forbidden(r.group, r.plural, r.name,
                   cat("User ", quote(r.user.name), " cannot ", r.verb, " resource ", quote(resource),
                       " in API group ", quote(r.group), " ", where));
}

httpd::Response as_yaml(httpd::Response response) {
  std::string body;
  for (const httpd::Frame& f : response.body) body += *f;
  auto tree = json::read(body, {.numbers = json::Numbers::kExact});
  auto text = tree ? yaml::write(*tree) : Result<std::string>(tree.error());
  if (!text) return response;
  httpd::Response out = text_response(response.status, std::move(*text), "application/yaml");
  for (httpd::Header& h : response.headers) {
    if (h.name != "Content-Type" && h.name != "Cache-Control") out.headers.push_back(std::move(h));
  }
  return out;
}

// The resource lists come in the formats that objects come in.
Result<httpd::Response> discovery(Rest& rest, const ApiRequest& r) {
  const bool list = r.path.size() == 2 ? r.path[0] == "api" : r.path.size() == 3 && r.path[0] == "apis";
  httpd::Response out = TRY(serve_discovery(rest, r));
  if (!list || out.status != 200) return out;
  const View view = TRY(choose_view(r, std::make_shared<Resource>()));
  if (view.form != Form::kObject) {
    return status_error(406, "NotAcceptable",
                        "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf");
  }
  return view.yaml ? as_yaml(std::move(out)) : std::move(out);
}

Result<httpd::Response> route(Rest& rest, const ApiRequest& r, const ExchangePtr& exchange, WatchFate fate,
                              bool* streams) {
  if (r.http->path.starts_with("//")) return plain_not_found();
  if (!r.is_resource) return discovery(rest, r);
  if (r.path.size() == (r.group.empty() ? 3 : 4) && (r.plural == "watch" || r.plural == "proxy")) {  // a verb alone
    return text_response(500, cat("Internal Server Error: ", quote(r.http->path), ": failed to create RequestInfo: unable to "
                                  "determine kind and namespace from url, ", r.http->path, "\n"), "text/plain; charset=utf-8");
  }
  auto catalog = rest.machine.catalog();
  if (!catalog->has_group(r.group)) return plain_not_found();
  ResourcePtr resource = catalog->find(r.group, r.version, r.plural);
  const bool built_in = Catalog::built_in()->has_group(r.group);
  if (!resource) return built_in ? Result<httpd::Response>(no_such_resource()) : plain_not_found();
  if (resource->custom() && (resource->namespaced ? r.ns.empty() && !r.name.empty() : !r.ns.empty())) return plain_not_found();
  TRY(check_address(r, *resource));
  if (r.verb == "patch" && !resource->custom()) TRY(patch_kind(r, *resource));  // before anything is said of the resource
  if (std::string_view old = deprecation_of(r); !old.empty()) r.warnings->emplace_back(old);
  TRY(check_name(r));
  Result<httpd::Response> special = httpd::Response();
  if (serve_special(rest, r, resource, &special)) return special;
  if (r.verb == "get") return serve_get(rest, r, resource);
  if (r.verb == "list") return serve_list(rest, r, resource);
  if (r.verb == "create") return serve_create(rest, r, resource);
  if (r.verb == "update") return serve_update(rest, r, resource);
  if (r.verb == "patch") return serve_patch(rest, r, resource);
  if (r.verb == "delete") return serve_delete(rest, r, resource);
  if (r.verb == "deletecollection") return serve_delete_collection(rest, r, resource);
  if (r.verb == "watch") {
    TRY(start_watch(rest, r, resource, exchange, fate));
    *streams = true;
    return httpd::Response();
  }
  return method_not_allowed();
}

}  // namespace

Result<httpd::Response> object_response(Rest& rest, const ApiRequest& request, const ResourcePtr& resource,
                                        const Object& object, int code) {
  View view = TRY(choose_view(request, resource));
  if (view.form == Form::kPartial && view.of_list) {
    return status_error(406, "NotAcceptable",
                        cat("you requested PartialObjectMetadataList, but the requested object is not a list (*",
                            go_type_of(*resource), ")"));
  }
  std::string body = show(rest.machine, view, object);
  if (!view.yaml) return text_response(code, std::move(body));
  auto tree = json::read(body, {.numbers = json::Numbers::kExact});
  if (!tree) return tree.error();
  return text_response(code, TRY(yaml::write(*tree)), "application/yaml");
}

namespace {

// An answer as it goes out: a refusal in the client's format, and what the server warns of.
httpd::Response finished(const httpd::Request& http, Result<httpd::Response> response,
                         const std::vector<std::string>& warnings = {}) {
  const bool refusal = !response;
  httpd::Response out = refusal ? error_response(response.error()) : std::move(*response);
  if (refusal && accepted_type(http) == "application/yaml") out = as_yaml(std::move(out));
  for (const std::string& w : warnings) out.headers.push_back({"Warning", cat("299 - ", quote(w))});
  return out;
}

}  // namespace

void serve(Rest& rest, const ExchangePtr& exchange, WatchFate fate) {
  const httpd::Request& http = exchange->request();
  auto request = read_request(http);
  if (!request) return exchange->respond(text_response(400, "400 Bad Request", "text/plain; charset=utf-8"));
  auto user = identify(http, rest.tokens, [&](std::string_view token) {
    Lock held(rest.machine.lock());
    return user_of_token(rest.machine, rest.secret(), token);
  });
  if (!user) return exchange->respond(finished(http, user.error()));
  request->user = std::move(*user);
  if (Status s = authorize(rest, *request); !s) return exchange->respond(finished(http, s.error()));
  std::vector<std::string> warnings;
  request->warnings = &warnings;
  bool streams = false;
  Result<httpd::Response> routed = route(rest, *request, exchange, fate, &streams);
  if (streams) return;
  httpd::Response response = finished(http, std::move(routed), warnings);
  const bool reads = !request->is_resource || request->verb == "get" || request->verb == "list";
  if (reads || !rest.machine.disk()) return exchange->respond(std::move(response));
  rest.machine.disk()->when_durable([exchange, response = std::move(response)](const Status& stored) {
    if (stored || response.status >= 400) return exchange->respond(response);
    exchange->respond(error_response(status_error(500, "InternalError", stored.error().text())));
  });
}

}  // namespace pintle::drydock
