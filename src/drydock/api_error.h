// The error a client gets: a Kubernetes Status. Made here, turned into JSON and an HTTP code by the
// REST layer; messages are Kubernetes' own (apimachinery/pkg/api/errors).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "drydock/kinds.h"

namespace pintle::drydock {

struct ApiError : ErrorDetail {
  int code = 500;
  std::string reason;  // "NotFound"
  std::string group, kind, name, uid;  // details; kind is the plural for NotFound and kin
  std::vector<Cause> causes;
  int retry_after_seconds = 0;
};

// message with everything else in the detail.
Error api_error(std::string message, ApiError detail);
Error not_found(std::string_view group, std::string_view plural, std::string_view name);
Error already_exists(std::string_view group, std::string_view plural, std::string_view name);
Error conflict(std::string_view group, std::string_view plural, std::string_view name, std::string_view why);
Error bad_request(std::string message);
Error forbidden(std::string_view group, std::string_view plural, std::string_view name, std::string_view why);
Error invalid(std::string_view group, std::string_view kind, std::string_view name, std::vector<Cause> causes);
// 500, 504, 410, 415, 406, 405, 401, 429 ... : reason and text given.
Error status_error(int code, std::string_view reason, std::string message);

}  // namespace pintle::drydock
