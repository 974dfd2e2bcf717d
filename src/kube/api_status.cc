// Answers that are no success, as client-go words them (rest/request.go, api/errors).
#include <charconv>

#include "base/gotext.h"
#include "base/strings.h"
#include "json/json.h"
#include "kube/rest.h"

namespace pintle::kube {
namespace {

struct Known {
  int code;
  const char* reason;
  const char* message;  // when the server sent no Status
  Code error;
};
constexpr Known kKnown[] = {
    {400, "BadRequest", "the server rejected our request for an unknown reason", Code::kInvalidArgument},
    {401, "Unauthorized", "the server has asked for the client to provide credentials",
     Code::kUnauthenticated},
    {403, "Forbidden", "the server does not allow access to the requested resource",
     Code::kPermissionDenied},
    {404, "NotFound", "the server could not find the requested resource", Code::kNotFound},
    {405, "MethodNotAllowed", "the server does not allow this method on the requested resource",
     Code::kUnimplemented},
    {406, "NotAcceptable",
     "the server was unable to respond with a content type that the client supports",
     Code::kInvalidArgument},
    {409, "Conflict", "the server reported a conflict", Code::kAborted},
    {410, "Gone", "the server no longer has the requested version", Code::kOutOfRange},
    {413, "RequestEntityTooLarge", "the request is too large for the server", Code::kResourceExhausted},
    {415, "UnsupportedMediaType",
     "the body of the request was in an unknown format", Code::kInvalidArgument},
    {422, "Invalid",
     "the server rejected our request due to an error in our request", Code::kInvalidArgument},
    {429, "TooManyRequests",
     "the server has received too many requests and has asked us to try again later",
     Code::kResourceExhausted},
    {500, "InternalError", "an error on the server", Code::kInternal},
    {503, "ServiceUnavailable", "the server is currently unable to handle the request",
     Code::kUnavailable},
    {504, "Timeout",
     "the server was unable to return a response in the time allotted, but may still be processing "
     "the request",
     Code::kDeadlineExceeded},
};

const Known* known(int code) {
  for (const Known& k : kKnown) {
    if (k.code == code) return &k;
  }
  return nullptr;
}

std::string text_at(const value::Value& map, std::string_view key) {
  const value::Value* v = map.get(key);
  return v && v->is_string() ? std::string(v->as_string()) : std::string();
}

// The start of a body that is no Status, on one line.
std::string preview(std::string_view body) {
  constexpr size_t kLongest = 2048;
  if (body.empty()) return "unknown";
  return quote(body.substr(0, kLongest));
}

bool has_reason(const Error& e, std::string_view reason) {
  const auto* s = e.find<ApiStatus>();
  return s && s->reason == reason;
}

}  // namespace

bool is_not_found(const Error& e) {
  const auto* s = e.find<ApiStatus>();
  return s && (s->reason == "NotFound" || (s->reason.empty() && s->code == 404));
}
bool is_already_exists(const Error& e) { return has_reason(e, "AlreadyExists"); }
bool is_conflict(const Error& e) { return has_reason(e, "Conflict"); }

Error status_error(const http::Response& response) {
  auto status = std::make_unique<ApiStatus>();
  status->code = response.status;
  status->raw = response.body;
  const std::string_view after = response.header("retry-after");
  std::from_chars(after.data(), after.data() + after.size(), status->retry_after_seconds);
  const Known* k = known(response.status);
  if (auto body = json::read(response.body, {json::Numbers::kExact});
      body && text_at(*body, "kind") == "Status") {
    status->reason = text_at(*body, "reason");
    status->message = text_at(*body, "message");
    if (const value::Value* code = body->get("code"); code && code->is_int() && code->as_int() > 0) {
      status->code = static_cast<int>(code->as_int());
    }
  }
  if (status->message.empty()) {
    status->reason = k ? k->reason : "";
    if (k && k->code != 500) {
      status->message = k->message;
    } else if (response.status >= 500) {
      status->message = cat("an error on the server (", preview(response.body),
                            ") has prevented the request from succeeding");
    } else {
      status->message = cat("the server responded with the status code ", response.status,
                            " but did not return more information");
    }
  }
  Error error(k ? k->error : Code::kUnknown, status->message);
  error.set_detail(std::move(status));
  return error;
}

Result<value::Value> decode(const http::Response& response) {
  return json::read(response.body, {json::Numbers::kExact});
}

}  // namespace pintle::kube
