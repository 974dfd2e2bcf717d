// Who is asking, beyond the static tokens: service accounts with the tokens they were given, and users
// an admin speaks for; and what users without a fixed role may do by Roles and their bindings.
//
// Tokens of service accounts are signed (HMAC of a key made from the first static token), so they hold
// after a restart as long as the data file; each names the account's uid, so it dies with the account.
// With the machine's lock held, unless said otherwise.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "drydock/request.h"
#include "drydock/world.h"

namespace pintle::drydock {

struct Attributes {
  std::string verb, group, resource, subresource, ns, name;
};

// By the user's role or, for one without, by RBAC. The fixed roles of `allowed` (request.h) first.
// `reason`, where given, gets the binding that allowed it.
bool permitted(World& world, const User& user, const Attributes& attributes, std::string* reason = nullptr);

// The token of an account, good until then (unix ns); the other way round the account's user.
std::string issue_token(std::string_view secret, const value::Value& account, int64_t expires_ns);
Result<User> user_of_token(World& world, std::string_view secret, std::string_view token);

// The user of the request's credentials, or the one they speak for (Impersonate-User, -Group). Without
// the lock; `account_user` is asked about tokens that are none of `tokens`. Errors: 401, 403.
Result<User> identify(const httpd::Request& http, const std::vector<Token>& tokens,
                      const std::function<Result<User>(std::string_view token)>& account_user);

}  // namespace pintle::drydock
