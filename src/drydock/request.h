// A request as the API server reads it: what it asks for, of which resource, by whom, in which form.
// Pure functions over httpd::Request; thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "drydock/api_error.h"
#include "drydock/catalog.h"
#include "drydock/drydock.h"
#include "drydock/view.h"
#include "httpd/httpd.h"
#include "httpd/query.h"

namespace pintle::drydock {

struct User {
  std::string name;
  std::vector<std::string> groups;
  Token::Role role = Token::Role::kView;
  bool known = false;  // false: system:anonymous
  bool has_role = true;  // false: what RBAC's bindings give (authorization.h)
  std::string uid = {};
};

struct ApiRequest {
  const httpd::Request* http = nullptr;
  std::vector<std::string> path;
  httpd::Query query;
  User user;
  // Of a resource request; group "" and version "v1" for /api/v1.
  bool is_resource = false;
  std::string group, version, ns, plural, name, subresource;
  std::vector<std::string> more;  // path after the subresource
  std::string verb;               // get list watch create update patch delete deletecollection
  bool legacy_watch = false;      // /api/v1/watch/...
  // What the answer will warn of, be it a refusal or not; null: nobody asks. Not owned.
  std::vector<std::string>* warnings = nullptr;

  std::string_view parameter(std::string_view name) const;
  bool flag(std::string_view name) const;  // "true", "1": as Go's conversion of bools
};

Result<ApiRequest> read_request(const httpd::Request& http);
// system:anonymous when there is no credential; 401 for a wrong one.
Result<User> authenticate(const httpd::Request& http, const std::vector<Token>& tokens);
bool allowed(const User& user, std::string_view verb, std::string_view group, std::string_view plural,
             std::string_view subresource);
// Of paths that are no resource's. Error: 403.
Status authorize_path(const ApiRequest& request);

// From the Accept header; 406.
Result<View> choose_view(const ApiRequest& request, ResourcePtr resource);
// The first accepted of "application/json", "application/yaml"; "" for neither.
std::string_view accepted_type(const httpd::Request& http);

// What a Status looks like, and an answer holding one.
std::string status_text(const Error& error);
httpd::Response error_response(const Error& error);
httpd::Response text_response(int code, std::string body, std::string_view type = "application/json");
httpd::Response plain_not_found();

}  // namespace pintle::drydock
