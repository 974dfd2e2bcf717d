#include "drydock/rest.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
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

Result<httpd::Response> route(Rest& rest, const ApiRequest& r, const ExchangePtr& exchange, WatchFate fate,
                              bool* streams) {
  if (!r.is_resource) return serve_discovery(rest, r);
  auto catalog = rest.machine.catalog();
  if (!catalog->has_version(r.group, r.version)) return plain_not_found();
  ResourcePtr resource = catalog->find(r.group, r.version, r.plural);
  if (!resource || !r.more.empty()) return no_such_resource();
  if (r.name == "." || r.name == "..") {
    return bad_request(cat("Name parameter invalid: \"", r.name, "\": may not be '", r.name, "'"));
  }
  // A namespaced object has no address outside its namespace, nor the other way round.
  if (resource->namespaced && r.ns.empty() && !r.name.empty()) return no_such_resource();
  if (!resource->namespaced && !r.ns.empty()) return no_such_resource();
  if (!r.subresource.empty() && std::find(resource->subresources.begin(), resource->subresources.end(),
                                          r.subresource) == resource->subresources.end()) {
    return no_such_resource();
  }
  Result<httpd::Response> special = httpd::Response();
  if (serve_special(rest, r, resource, &special)) return special;
  const auto& verbs = resource->verbs;
  if (r.subresource.empty() && std::find(verbs.begin(), verbs.end(), r.verb) == verbs.end()) return method_not_allowed();
  if (r.verb == "create" && !r.name.empty()) return method_not_allowed();
  if (r.verb == "update" || r.verb == "patch") {
    if (r.name.empty()) return method_not_allowed();
  }
  if (r.verb == "create" && resource->namespaced && r.ns.empty()) return method_not_allowed();
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
  std::string body = show(rest.machine, view, object);
  if (!view.yaml) return text_response(code, std::move(body));
  auto tree = json::read(body, {.numbers = json::Numbers::kExact});
  if (!tree) return tree.error();
  return text_response(code, TRY(yaml::write(*tree)), "application/yaml");
}

void serve(Rest& rest, const ExchangePtr& exchange, WatchFate fate) {
  std::string_view deprecated;
  auto answer = [&](Result<httpd::Response> response) {
    httpd::Response out = response ? std::move(*response) : error_response(response.error());
    if (!deprecated.empty()) out.headers.push_back({"Warning", cat("299 - ", quote(deprecated))});
    exchange->respond(std::move(out));
  };
  auto request = read_request(exchange->request());
  if (!request) return answer(request.error());
  auto user = authenticate(exchange->request(), rest.tokens);
  if (!user) return answer(user.error());
  request->user = std::move(*user);
  if (Status s = authorize(*request); !s) return answer(s.error());
  deprecated = deprecation_of(*request);
  bool streams = false;
  Result<httpd::Response> response = route(rest, *request, exchange, fate, &streams);
  if (streams) return;
  const bool reads = !request->is_resource || request->verb == "get" || request->verb == "list";
  if (reads || !rest.machine.disk()) return answer(std::move(response));
  rest.machine.disk()->when_durable([exchange, response = std::move(response)](const Status& stored) {
    if (!response) return exchange->respond(error_response(response.error()));
    if (stored) return exchange->respond(*response);
    exchange->respond(error_response(status_error(500, "InternalError", stored.error().text())));
  });
}

}  // namespace pintle::drydock
