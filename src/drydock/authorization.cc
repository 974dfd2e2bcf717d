#include "drydock/authorization.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "drydock/tree.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kRbac = "rbac.authorization.k8s.io";
constexpr std::string_view kAccountPrefix = "system:serviceaccount:";
constexpr int64_t kSecond = 1'000'000'000;

bool names(const Value& rule, std::string_view key, std::string_view wanted) {
  for (const Value& v : items(rule, key)) {
    if (v.is_string() && (v.as_string() == "*" || v.as_string() == wanted)) return true;
  }
  return false;
}

bool rule_allows(const Value& rule, const Attributes& a) {
  if (!names(rule, "verbs", a.verb) || !names(rule, "apiGroups", a.group)) return false;
  const std::string whole = a.subresource.empty() ? a.resource : cat(a.resource, "/", a.subresource);
  const bool resource = names(rule, "resources", whole) ||
                        (!a.subresource.empty() && names(rule, "resources", cat("*/", a.subresource)));
  if (!resource) return false;
  return items(rule, "resourceNames").empty() || names(rule, "resourceNames", a.name);
}

// Which subject of the binding the user is: `User "jane"`; empty: none.
std::string binds(const Value& binding, const User& user) {
  for (const Value& subject : items(binding, "subjects")) {
    const std::string_view kind = text(subject, "kind"), name = text(subject, "name");
    const std::string_view ns = text(subject, "namespace");
    const bool account = kind == "ServiceAccount" && user.name == cat(kAccountPrefix, ns, ":", name);
    const bool member = kind == "Group" && std::find(user.groups.begin(), user.groups.end(), name) != user.groups.end();
    if (account) return cat(kind, " ", quote(cat(name, "/", ns)));
    if (member || (kind == "User" && name == user.name)) return cat(kind, " ", quote(name));
  }
  return "";
}

bool bound_role_allows(World& world, const Value& binding, std::string_view ns, const Attributes& a) {
  const bool cluster = text(binding, "roleRef", "kind") == "ClusterRole";
  auto role = world.get({std::string(kRbac), cluster ? "clusterroles" : "roles", cluster ? "" : std::string(ns),
                         std::string(text(binding, "roleRef", "name"))});
  if (!role) return false;
  const auto rules = items(*role, "rules");
  return std::any_of(rules.begin(), rules.end(), [&](const Value& rule) { return rule_allows(rule, a); });
}

// base64url without padding, as in JSON web tokens.
std::string url_base64(std::string_view data) {
  std::string out = crypt::base64_encode(data);
  while (out.ends_with('=')) out.pop_back();
  std::replace(out.begin(), out.end(), '+', '-');
  std::replace(out.begin(), out.end(), '/', '_');
  return out;
}

Result<std::string> from_url_base64(std::string_view text) {
  std::string padded(text);
  std::replace(padded.begin(), padded.end(), '-', '+');
  std::replace(padded.begin(), padded.end(), '_', '/');
  while (padded.size() % 4) padded += '=';
  return crypt::base64_decode(padded);
}

Error unauthorized() { return status_error(401, "Unauthorized", "Unauthorized"); }

}  // namespace

bool permitted(World& world, const User& user, const Attributes& a, std::string* reason) {
  if (user.known && user.has_role) return allowed(user, a.verb, a.group, a.resource, a.subresource);
  if (user.known && allowed(user, a.verb, a.group, a.resource, a.subresource)) return true;
  auto by = [&](const Value& binding, std::string_view ns) {
    const std::string subject = binds(binding, user);
    if (subject.empty() || !bound_role_allows(world, binding, ns, a)) return false;
    if (reason) {
      const std::string name = ns.empty() ? std::string(name_of(binding)) : cat(name_of(binding), "/", ns);
      *reason = cat("RBAC: allowed by ", ns.empty() ? "ClusterRoleBinding " : "RoleBinding ", quote(name), " of ",
                    text(binding, "roleRef", "kind"), " ", quote(text(binding, "roleRef", "name")), " to ", subject);
    }
    return true;
  };
  for (const Value& binding : world.list(kRbac, "clusterrolebindings", "", "")) {
    if (by(binding, "")) return true;
  }
  if (a.ns.empty()) return false;
  for (const Value& binding : world.list(kRbac, "rolebindings", a.ns, "")) {
    if (by(binding, a.ns)) return true;
  }
  return false;
}

std::string issue_token(std::string_view secret, const Value& account, int64_t expires_ns) {
  Value claims = empty_map();
  const std::string_view ns = namespace_of(account), name = name_of(account);
  put(claims, "iss", "https://kubernetes.default.svc");
  put(claims, "sub", cat(kAccountPrefix, ns, ":", name));
  put(claims, "exp", expires_ns / kSecond);
  Value& own = ensure(claims, "kubernetes.io");
  put(own, "namespace", ns);
  put(ensure(own, "serviceaccount"), "name", name);
  put(ensure(own, "serviceaccount"), "uid", uid_of(account));
  std::string signed_part = cat(url_base64(R"({"alg":"HS256","typ":"JWT"})"), ".", url_base64(json::write(claims).value_or("{}")));
  return cat(signed_part, ".", url_base64(crypt::hmac_sha256(secret, signed_part)));
}

Result<User> user_of_token(World& world, std::string_view secret, std::string_view token) {
  const size_t dot = token.rfind('.');
  if (dot == std::string_view::npos || std::count(token.begin(), token.end(), '.') != 2) return unauthorized();
  const std::string_view signed_part = token.substr(0, dot);
  if (url_base64(crypt::hmac_sha256(secret, signed_part)) != token.substr(dot + 1)) return unauthorized();
  auto payload = from_url_base64(signed_part.substr(signed_part.find('.') + 1));
  if (!payload) return unauthorized();
  auto claims = json::read(*payload, {.numbers = json::Numbers::kExact});
  if (!claims || number(*claims, "exp") <= world.now_ns() / kSecond) return unauthorized();
  const Value* own = at(*claims, "kubernetes.io");
  if (!own) return unauthorized();
  const std::string ns(text(*own, "namespace")), name(text(*own, "serviceaccount", "name"));
  auto account = world.get({"", "serviceaccounts", ns, name});
  if (!account || uid_of(*account) != text(*own, "serviceaccount", "uid")) return unauthorized();
  User user{cat(kAccountPrefix, ns, ":", name),
            {"system:serviceaccounts", cat("system:serviceaccounts:", ns), "system:authenticated"},
            Token::Role::kView, true};
  user.has_role = false;
  user.uid = uid_of(*account);
  return user;
}

Result<User> identify(const httpd::Request& http, const std::vector<Token>& tokens,
                      const std::function<Result<User>(std::string_view token)>& account_user) {
  auto user = authenticate(http, tokens);
  if (!user) {
    const std::string_view header = http.header("Authorization");
    user = account_user(trim_space(header.substr(std::min(header.size(), header.find(' ')))));
    if (!user) return user;
  }
  const std::string_view name = http.header("Impersonate-User");
  if (name.empty()) return user;
  if (!user->known || !user->has_role || user->role != Token::Role::kAdmin) {
    return forbidden("", "users", name,
                     cat("User ", quote(user->name), " cannot impersonate resource \"users\" in API group \"\" at the cluster scope"));
  }
  User spoken_for{std::string(name), {}, Token::Role::kView, true};
  spoken_for.has_role = false;
  for (const httpd::Header& h : http.headers) {
    if (to_lower(h.name) == "impersonate-group") spoken_for.groups.push_back(h.value);
  }
  if (name.starts_with(kAccountPrefix) && spoken_for.groups.empty()) {
    const std::string_view rest = name.substr(kAccountPrefix.size());
    spoken_for.groups = {"system:serviceaccounts", cat("system:serviceaccounts:", rest.substr(0, rest.find(':')))};
  }
  spoken_for.groups.push_back("system:authenticated");
  for (const std::string& group : spoken_for.groups) {
    if (group != "system:masters") continue;
    spoken_for.has_role = true;
    spoken_for.role = Token::Role::kAdmin;
  }
  for (const Token& t : tokens) {
    if (t.user != name) continue;
    spoken_for.has_role = true;
    spoken_for.role = t.role;
  }
  return spoken_for;
}

}  // namespace pintle::drydock
