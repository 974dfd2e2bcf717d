// Reviews (who am I, may I, whose token is this) and the tokens of service accounts.

#include <algorithm>
#include <optional>

#include "base/gotext.h"
#include "base/strings.h"
#include "drydock/authorization.h"
#include "drydock/decode.h"
#include "drydock/rest.h"
#include "drydock/validation.h"
#include "drydock/write_options.h"
#include "json/json.h"
#include "patch/apply.h"

namespace pintle::drydock {
namespace {

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
  if (!user.uid.empty()) put(v, "uid", user.uid);
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
  bool admin = user.has_role && user.role == Token::Role::kAdmin;
  if (admin) rule({"*"}, {"*"}, {"*"});
  else if (user.role == Token::Role::kEdit) rule({"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}, {"*"}, {"*"});
  else if (user.has_role) rule({"get", "list", "watch"}, {"*"}, {"*"});
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

Error refused_review(std::string_view field, std::string_view message) {
  return invalid("authorization.k8s.io", "", "", {{"FieldValueInvalid", cat("Invalid value: ", message), std::string(field)}});
}

Status check_access_spec(const ApiRequest& r, const Value& spec) {
  const Value* resource = at(spec, "resourceAttributes");
  const Value* path = at(spec, "nonResourceAttributes");
  const bool own = r.plural == "selfsubjectaccessreviews";
  if (resource && path) {
    return refused_review("spec.nonResourceAttributes",
                          cat("{\"Path\":", quote(text(*path, "path")), ",\"Verb\":", quote(text(*path, "verb")),
                              "}: cannot be specified in combination with resourceAttributes"));
  }
  if (!resource && !path) {
    return refused_review("spec.resourceAttributes",
                          "null: exactly one of nonResourceAttributes or resourceAttributes must be specified");
  }
  if (!own && text(spec, "user").empty() && items(spec, "groups").empty()) {
    return refused_review("spec.user", "\"\": at least one of user or group must be specified");
  }
  if (r.plural == "localsubjectaccessreviews" && resource && text(*resource, "namespace") != r.ns) {
    return refused_review("spec.resourceAttributes.namespace",
                          cat(quote(text(*resource, "namespace")), ": must match metadata.namespace"));
  }
  return ok();
}

// The user a review is about.
User reviewed_user(Rest& rest, const Value& spec) {
  User user{std::string(text(spec, "user")), {}, Token::Role::kView, true};
  user.has_role = false;
  for (const Value& g : items(spec, "groups")) {
    if (!g.is_string()) continue;
    user.groups.emplace_back(g.as_string());
    if (g.as_string() == "system:masters") {
      user.has_role = true;
      user.role = Token::Role::kAdmin;
    }
  }
  for (const Token& t : rest.tokens) {
    if (t.user == user.name) user = {t.user, {"system:authenticated"}, t.role, true};
  }
  return user;
}

bool spec_allowed(Rest& rest, const User& user, const Value& spec, std::string* reason) {
  const Value* a = at(spec, "resourceAttributes");
  if (!a) return user.known;
  Lock held(rest.machine.lock());
  auto of = [&](std::string_view key) { return std::string(text(*a, key)); };
  return permitted(rest.machine, user, {of("verb"), of("group"), of("resource"), of("subresource"), of("namespace"), of("name")},
                   reason);
}

Result<Value> token_status(Rest& rest, std::string_view token) {
  if (token.empty()) return bad_request("token is required for TokenReview in authentication");
  Value status = empty_map();
  std::optional<User> found;
  for (const Token& t : rest.tokens) {
    if (t.value == token) found = User{t.user, {"system:authenticated"}, t.role, true, true, t.user};
  }
  if (!found) {
    Lock held(rest.machine.lock());
    if (auto account = user_of_token(rest.machine, rest.secret(), token)) found = *account;
  }
  if (found) {
    put(status, "authenticated", true);
    put(status, "user", user_value(*found));
  } else {
    put(status, "user", empty_map());
    put(status, "error", "invalid bearer token");
  }
  return status;
}

Result<httpd::Response> review(Rest& rest, const ApiRequest& r, const ResourcePtr& resource) {
  WriteOptions q = TRY(read_write_options(r, "CreateOptions"));
  Value object = TRY(decode_object(*r.http, *resource, q.validation)).object;
  const Value spec = at(object, "spec") ? *at(object, "spec") : empty_map();
  Value status;
  if (r.plural == "tokenreviews") {
    status = TRY(token_status(rest, text(spec, "token")));
  } else if (r.plural == "selfsubjectreviews") {
    status = empty_map();
    put(status, "userInfo", user_value(r.user));
  } else if (r.plural == "selfsubjectrulesreviews") {
    if (text(spec, "namespace").empty()) return bad_request("no namespace on request");
    status = rules_of_user(r.user);
  } else {
    TRY(check_access_spec(r, spec));
    const bool own = r.plural == "selfsubjectaccessreviews";
    std::string reason;
    status = verdict(spec_allowed(rest, own ? r.user : reviewed_user(rest, spec), spec, &reason));
    if (!reason.empty()) put(status, "reason", reason);
  }
  ensure(object, "metadata");
  if (r.plural == "selfsubjectreviews") put(ensure(object, "metadata"), "creationTimestamp", rest.machine.now());
  object = TRY(patch::update(Value(), object, resource->type, {q.context.manager, resource->api_version(), rest.machine.now(), ""}));
  put(object, "status", std::move(status));
  return tree_response(object, 201);
}

Result<httpd::Response> account_token(Rest& rest, const ApiRequest& r) {
  constexpr int64_t kShortest = 600, kLongest = int64_t{1} << 32, kSecond = 1'000'000'000;
  const ResourcePtr kind = kind_of_body("authentication.k8s.io", "TokenRequest");
  Value body = TRY(decode_object(*r.http, *kind, FieldValidation::kWarn)).object;
  Lock held(rest.machine.lock());
  const Value account = TRY(rest.machine.get({"", "serviceaccounts", r.ns, r.name}));
  const std::string_view name = name_of(body);
  std::vector<Cause> causes;
  if (!name.empty() && name != r.name) {
    invalid_value(causes, "metadata.name", name, "must match the service account name if specified");
    return invalid(kind->group, kind->kind, r.name, std::move(causes));
  }
  const int64_t seconds = number_or(3600, body, "spec", "expirationSeconds");
  if (seconds < kShortest) {
    invalid_value(causes, "spec.expirationSeconds", make(seconds), "may not specify a duration less than 10 minutes");
  } else if (seconds > kLongest) {
    invalid_value(causes, "spec.expirationSeconds", make(seconds), "may not specify a duration larger than 2^32 seconds");
  }
  if (!causes.empty()) return invalid(kind->group, kind->kind, name, std::move(causes));
  const int64_t expires = rest.machine.now_ns() + seconds * kSecond;
  put(ensure(body, "metadata"), "name", r.name);
  put(ensure(body, "metadata"), "namespace", r.ns);
  put(ensure(body, "metadata"), "creationTimestamp", rest.machine.now());
  put(ensure(body, "spec"), "expirationSeconds", seconds);
  if (items(body, "spec", "audiences").empty()) push(ensure(body, "spec"), "audiences", make("https://kubernetes.default.svc"));
  put(ensure(body, "status"), "token", issue_token(rest.secret(), account, expires));
  put(ensure(body, "status"), "expirationTimestamp", time_text(expires));
  return tree_response(body, 201);
}

}  // namespace

bool serve_review(Rest& rest, const ApiRequest& r, const ResourcePtr& resource, Result<httpd::Response>* out) {
  if (r.verb != "create") return false;
  const bool reviews = r.group == "authorization.k8s.io" || r.group == "authentication.k8s.io";
  if (reviews) *out = review(rest, r, resource);
  else if (r.subresource == "token") *out = account_token(rest, r);
  else return false;
  return true;
}

}  // namespace pintle::drydock
