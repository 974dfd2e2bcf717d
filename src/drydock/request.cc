#include "drydock/request.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

std::string_view trimmed(std::string_view s) { return trim_space(s); }

// One clause of an Accept header: a type and its parameters.
struct Clause {
  std::string type, as, group, version;
};

std::vector<Clause> accept_clauses(std::string_view header) {
  std::vector<Clause> out;
  for (std::string_view part : split(header, ",")) {
    Clause c;
    bool first = true;
    for (std::string_view piece : split(part, ";")) {
      piece = trimmed(piece);
      if (first) {
        c.type = to_lower(piece);
        first = false;
        continue;
      }
      size_t eq = piece.find('=');
      if (eq == std::string_view::npos) continue;
      std::string_view key = piece.substr(0, eq), value = piece.substr(eq + 1);
      if (key == "as") c.as = value;
      if (key == "g") c.group = value;
      if (key == "v") c.version = value;
    }
    if (!c.type.empty()) out.push_back(std::move(c));
  }
  return out;
}

void set_verb(ApiRequest& r) {
  const std::string& method = r.http->method;
  if (method == "POST") r.verb = "create";
  else if (method == "PUT") r.verb = "update";
  else if (method == "PATCH") r.verb = "patch";
  else if (method == "DELETE") r.verb = r.name.empty() ? "deletecollection" : "delete";
  else if (method == "GET" || method == "HEAD") {
    r.verb = !r.name.empty() ? "get" : "list";
    if (r.legacy_watch || (r.name.empty() && r.flag("watch"))) r.verb = "watch";
  }
}

}  // namespace

std::string_view ApiRequest::parameter(std::string_view name) const {
  const std::string* found = httpd::find(query, name);
  return found ? std::string_view(*found) : std::string_view();
}

bool ApiRequest::flag(std::string_view name) const {
  const std::string* found = httpd::find(query, name);
  return found && to_lower(*found) != "false" && *found != "0";
}

Result<ApiRequest> read_request(const httpd::Request& http) {
  ApiRequest r;
  r.http = &http;
  auto path = httpd::decode_path(http.path);
  if (!path) return bad_request(path.error().text());
  r.path = std::move(*path);
  r.query = httpd::parse_query(http.query);
  size_t i = 0;
  if (r.path.size() >= 3 && r.path[0] == "api") {
    r.version = r.path[1];
    i = 2;
  } else if (r.path.size() >= 4 && r.path[0] == "apis") {
    r.group = r.path[1];
    r.version = r.path[2];
    i = 3;
  } else {
    return r;
  }
  r.is_resource = true;
  if (r.path[i] == "watch" && r.path.size() > i + 1) {
    r.legacy_watch = true;
    ++i;
  }
  if (r.path[i] == "namespaces" && r.path.size() > i + 2 && r.path[i + 2] != "status" && r.path[i + 2] != "finalize") {
    r.ns = r.path[i + 1];
    i += 2;
  }
  r.plural = r.path[i++];
  if (i < r.path.size()) r.name = r.path[i++];
  if (i < r.path.size()) r.subresource = r.path[i++];
  r.more.assign(r.path.begin() + static_cast<ptrdiff_t>(i), r.path.end());
  set_verb(r);
  return r;
}

Result<User> authenticate(const httpd::Request& http, const std::vector<Token>& tokens) {
  std::string_view header = http.header("Authorization");
  size_t space = header.find(' ');
  if (header.empty() || to_lower(header.substr(0, space)) != "bearer" || space == std::string_view::npos) {
    return User{"system:anonymous", {"system:unauthenticated"}, Token::Role::kView, false};
  }
  std::string_view given = header.substr(space + 1);
  given = given.substr(0, given.find(' '));
  if (given.empty()) return User{"system:anonymous", {"system:unauthenticated"}, Token::Role::kView, false};
  for (const Token& t : tokens) {
    if (t.value != given) continue;
    User user{t.user, {}, t.role, true};
    user.uid = t.user;
    if (t.role == Token::Role::kAdmin) user.groups.push_back("system:masters");
    user.groups.push_back("system:authenticated");
    return user;
  }
  return status_error(401, "Unauthorized", "Unauthorized");
}

bool allowed(const User& user, std::string_view verb, std::string_view group, std::string_view plural,
             std::string_view subresource) {
  if (!user.known) return false;
  if (user.has_role && user.role == Token::Role::kAdmin) return true;
  if (group == "authorization.k8s.io" && plural.starts_with("self")) return true;
  if (group == "authentication.k8s.io" && plural == "selfsubjectreviews") return true;
  if (!user.has_role) return false;
  bool reads = verb == "get" || verb == "list" || verb == "watch";
  // As the built-in roles: view sees no secrets; neither touches who may do what, nor nodes.
  if (group == "rbac.authorization.k8s.io" || plural == "nodes" || group == "apiextensions.k8s.io" ||
      group == "admissionregistration.k8s.io") {
    return false;
  }
  if (user.role == Token::Role::kView) return reads && plural != "secrets" && subresource != "exec";
  if (plural == "namespaces" || plural == "resourcequotas" || plural == "limitranges") return reads;
  return true;
}

Status authorize_path(const ApiRequest& r) {
  static constexpr std::string_view kOpen[] = {"healthz", "livez", "readyz", "version"};
  bool open = !r.path.empty() && std::find(std::begin(kOpen), std::end(kOpen), r.path[0]) != std::end(kOpen);
  if (r.user.known || open) return ok();
  std::string verb = to_lower(r.http->method);
  return status_error(403, "Forbidden",
                      cat("forbidden: User ", quote(r.user.name), " cannot ", verb, " path ", quote(r.http->path)));
}

std::string_view accepted_type(const httpd::Request& http) {
  std::string_view header = http.header("Accept");
  if (header.empty()) return "application/json";
  for (const Clause& c : accept_clauses(header)) {
    if (!c.as.empty()) continue;
    if (c.type == "application/json" || c.type == "*/*") return "application/json";
    if (c.type == "application/yaml") return "application/yaml";
  }
  return "";
}

Result<View> choose_view(const ApiRequest& request, ResourcePtr resource) {
  View view;
  view.resource = std::move(resource);
  std::string_view include = request.parameter("includeObject");
  if (include == "None") view.included = Included::kNone;
  if (include == "Object") view.included = Included::kObject;
  std::string_view header = request.http->header("Accept");
  if (header.empty()) return view;
  bool any = false, known_type = false;
  for (const Clause& c : accept_clauses(header)) {
    bool json = c.type == "application/json" || c.type == "*/*";
    known_type = known_type || json || c.type == "application/yaml" || c.type == "application/vnd.kubernetes.protobuf";
    if (!json && c.type != "application/yaml") continue;
    if (c.as.empty()) {
      view.yaml = !json;
      return view;
    }
    if (c.group != "meta.k8s.io" || (c.version != "v1" && c.version != "v1beta1")) continue;
    if (c.as == "Table") view.form = Form::kTable;
    else if (c.as == "PartialObjectMetadata" || c.as == "PartialObjectMetadataList") view.form = Form::kPartial;
    else continue;
    view.of_list = c.as == "PartialObjectMetadataList";
    view.meta_version = c.version;
    view.yaml = !json;
    any = true;
    break;
  }
  if (any) return view;
  if (known_type || view.resource->custom()) {  // the type, but not in that form
    return status_error(406, "NotAcceptable",
                        cat("only the following media types are accepted: application/json, application/yaml",
                            view.resource->custom() ? "" : ", application/vnd.kubernetes.protobuf"));
  }
  return status_error(406, "NotAcceptable",
                      cat("406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "
                      "application/vnd.kubernetes.protobuf",
                      request.verb == "list" || request.verb == "watch"
                          ? ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
                          : ""));
}

std::string status_text(const Error& error) {
  const ApiError* found = error.find<ApiError>();
  ApiError none;
  none.reason = "InternalError";
  const ApiError& d = found ? *found : none;
  std::string out = cat("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":",
                        json::quoted(error.text()));
  if (!d.reason.empty()) append(out, {",\"reason\":", json::quoted(d.reason)});
  std::string details;
  auto field = [&](std::string_view key, const std::string& value) {
    if (value.empty()) return;
    append(details, {details.empty() ? "" : ",", "\"", key, "\":", json::quoted(value)});
  };
  field("name", d.name);
  field("group", d.group);
  field("kind", d.kind);
  field("uid", d.uid);
  if (!d.causes.empty()) {
    append(details, {details.empty() ? "" : ",", "\"causes\":["});
    for (size_t i = 0; i < d.causes.size(); ++i) {
      const Cause& c = d.causes[i];
      append(details, {i ? "," : "", "{\"reason\":", json::quoted(c.reason), ",\"message\":", json::quoted(c.message)});
      if (!c.field.empty()) append(details, {",\"field\":", json::quoted(c.field)});
      details += "}";
    }
    details += "]";
  }
  if (d.retry_after_seconds > 0) {
    append(details, {details.empty() ? "" : ",", "\"retryAfterSeconds\":", std::to_string(d.retry_after_seconds)});
  }
  const bool by_router = error.text().starts_with(std::to_string(d.code));  // "415: Unsupported Media Type"
  const bool bare = d.causes.empty() && (d.code == 403 || d.code == 422);  // made by no kind's own rules
  bool empty_details = bare || d.code == 404 || d.code == 405 || ((d.code == 406 || d.code == 415) && by_router);
  if (!details.empty() || empty_details) append(out, {",\"details\":{", details, "}"});
  append(out, {",\"code\":", std::to_string(d.code), "}\n"});
  return out;
}

httpd::Response text_response(int code, std::string body, std::string_view type) {
  httpd::Response out;
  out.status = code;
  out.headers = {{"Content-Type", std::string(type)}, {"Cache-Control", "no-cache, private"}};
  out.body.push_back(std::make_shared<const std::string>(std::move(body)));
  return out;
}

httpd::Response error_response(const Error& error) {
  const ApiError* d = error.find<ApiError>();
  httpd::Response out = text_response(d ? d->code : 500, status_text(error));
  if (d && d->retry_after_seconds > 0) out.headers.push_back({"Retry-After", cat(d->retry_after_seconds)});
  return out;
}

httpd::Response plain_not_found() {
  httpd::Response out = text_response(404, "404 page not found\n", "text/plain; charset=utf-8");
  out.headers.push_back({"X-Content-Type-Options", "nosniff"});
  return out;
}

}  // namespace pintle::drydock
