// The REST front: one request in, one answer (or a stream of watch events) out. Works on any
// Exchange, so tests drive it without sockets. Thread-safe; takes the machinery's lock itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "drydock/machine.h"
#include "drydock/request.h"
#include "httpd/httpd.h"

namespace pintle::drydock {

struct Rest {
  Machine& machine;
  std::vector<Token> tokens;
  // Signs the tokens of service accounts.
  std::string secret() const { return tokens.empty() ? "" : "service accounts of " + tokens[0].value; }
};

using ExchangePtr = std::shared_ptr<httpd::Exchange>;

// What becomes of the request where it is a watch (faults.h).
enum class WatchFate : uint8_t { kSent, kSilent, kHalfOpen };

void serve(Rest& rest, const ExchangePtr& exchange, WatchFate fate = WatchFate::kSent);

// Parts of serve, one file each. What they return is sent; a watch has started its stream itself.
Result<httpd::Response> serve_get(Rest& rest, const ApiRequest& request, const ResourcePtr& resource);
Result<httpd::Response> serve_list(Rest& rest, const ApiRequest& request, const ResourcePtr& resource);
Status start_watch(Rest& rest, const ApiRequest& request, const ResourcePtr& resource, const ExchangePtr& exchange,
                   WatchFate fate = WatchFate::kSent);
Result<httpd::Response> serve_create(Rest& rest, const ApiRequest& request, const ResourcePtr& resource);
Result<httpd::Response> serve_update(Rest& rest, const ApiRequest& request, const ResourcePtr& resource);
Result<httpd::Response> serve_patch(Rest& rest, const ApiRequest& request, const ResourcePtr& resource);
Result<httpd::Response> serve_delete(Rest& rest, const ApiRequest& request, const ResourcePtr& resource);
Result<httpd::Response> serve_delete_collection(Rest& rest, const ApiRequest& request, const ResourcePtr& resource);
// Reviews and subresources that are no plain reads or writes; false: not one of these.
bool serve_special(Rest& rest, const ApiRequest& request, const ResourcePtr& resource, Result<httpd::Response>* out);
// Reviews: who am I, may I, whose is this token; and a service account's new token.
bool serve_review(Rest& rest, const ApiRequest& request, const ResourcePtr& resource, Result<httpd::Response>* out);
// A Scale, read and written.
Result<httpd::Response> serve_scale(Rest& rest, const ApiRequest& request, const ResourcePtr& resource);
// Everything outside resources: /api, /apis, /version, /healthz, /openapi ...
Result<httpd::Response> serve_discovery(Rest& rest, const ApiRequest& request);

// An object that is stored nowhere.
Result<httpd::Response> tree_response(const value::Value& v, int code);
// The name and namespace of a body must be the address's, or absent. Error: 400.
Status settle_place(const ApiRequest& request, const Resource& resource, value::Value& object);
// One object as the client asked for it.
Result<httpd::Response> object_response(Rest& rest, const ApiRequest& request, const ResourcePtr& resource,
                                        const Object& object, int code);

}  // namespace pintle::drydock
