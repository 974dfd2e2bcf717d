#include "drydock/api_error.h"

#include "base/gotext.h"
#include "base/strings.h"

namespace pintle::drydock {
namespace {

Code code_of(int http) {
  switch (http) {
    case 400: case 415: case 406: case 422: return Code::kInvalidArgument;
    case 401: return Code::kUnauthenticated;
    case 403: return Code::kPermissionDenied;
    case 404: return Code::kNotFound;
    case 409: return Code::kAborted;
    case 410: return Code::kOutOfRange;
    case 429: return Code::kResourceExhausted;
    case 503: return Code::kUnavailable;
    case 504: return Code::kDeadlineExceeded;
    default: return Code::kInternal;
  }
}

// schema.GroupResource.String
std::string qualified(std::string_view group, std::string_view resource) {
  return group.empty() ? std::string(resource) : cat(resource, ".", group);
}

ApiError about(int code, std::string_view reason, std::string_view group, std::string_view kind,
               std::string_view name) {
  ApiError e;
  e.code = code;
  e.reason = reason;
  e.group = group;
  e.kind = kind;
  e.name = name;
  return e;
}

}  // namespace

Error api_error(std::string message, ApiError detail) {
  Code code = detail.reason == "AlreadyExists" ? Code::kAlreadyExists : code_of(detail.code);
  Error error(code, std::move(message));
  error.set_detail(std::make_unique<ApiError>(std::move(detail)));
  return error;
}

Error not_found(std::string_view group, std::string_view plural, std::string_view name) {
  return api_error(cat(qualified(group, plural), " ", quote(name), " not found"),
                   about(404, "NotFound", group, plural, name));
}

Error already_exists(std::string_view group, std::string_view plural, std::string_view name) {
  return api_error(cat(qualified(group, plural), " ", quote(name), " already exists"),
                   about(409, "AlreadyExists", group, plural, name));
}

Error conflict(std::string_view group, std::string_view plural, std::string_view name, std::string_view why) {
  return api_error(cat("Operation cannot be fulfilled on ", qualified(group, plural), " ", quote(name), ": ", why),
                   about(409, "Conflict", group, plural, name));
}

Error bad_request(std::string message) { return status_error(400, "BadRequest", std::move(message)); }

Error forbidden(std::string_view group, std::string_view plural, std::string_view name, std::string_view why) {
  std::string subject = qualified(group, plural);
  if (!name.empty()) subject += cat(" ", quote(name));
  return api_error(cat(subject, " is forbidden: ", why), about(403, "Forbidden", group, plural, name));
}

Error invalid(std::string_view group, std::string_view kind, std::string_view name, std::vector<Cause> causes) {
  std::vector<std::string> texts;
  for (const Cause& c : causes) {
    std::string text = cat(c.field, ": ", c.message);
    bool seen = false;  // an aggregate says equal errors once
    for (const std::string& t : texts) seen = seen || t == text;
    if (!seen) texts.push_back(std::move(text));
  }
  std::string all = join(texts, ", ");
  if (texts.size() > 1) all = cat("[", all, "]");
  ApiError detail = about(422, "Invalid", group, kind, name);
  detail.causes = std::move(causes);
  return api_error(cat(qualified(group, kind), " ", quote(name), " is invalid: ", all), std::move(detail));
}

Error status_error(int code, std::string_view reason, std::string message) {
  return api_error(std::move(message), about(code, reason, "", "", ""));
}

}  // namespace pintle::drydock
