// Result<T>: a value or an Error. The one way a room reports expected failure.
//
// Error is one pointer: {code, message, cause, typed detail}. Copying shares it (immutable).
// Text chains as Go's does: what Error::text() prints is the whole message; `wrap` puts the activity
// in front. Where users or scripts compare wording (Go template errors, Helm errors) the text is
// Helm's own. Thread-safe to read from many threads.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace pintle {

// gRPC's canonical codes.
enum class Code : uint8_t {
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// Base of the typed details rooms attach (tmpl::Location, kube::ApiStatus ...).
struct ErrorDetail {
  virtual ~ErrorDetail() = default;
};

class [[nodiscard]] Error {
 public:
  explicit Error(std::string message, Code code = Code::kUnknown);
  Error(Code code, std::string message) : Error(std::move(message), code) {}

  // "activity: text of cause"; keeps cause, code and detail reachable.
  static Error wrap(std::string_view activity, Error cause);
  // Same, with the full text given by the caller (Go's fmt.Errorf("...%w...")).
  static Error with_cause(std::string text, Error cause);

  const std::string& text() const;
  Code code() const;
  const Error* cause() const;  // null at the innermost
  const ErrorDetail* detail() const;
  Error& set_detail(std::unique_ptr<ErrorDetail> detail);  // before the error is shared

  // The nearest detail of type D along the chain, or null.
  template <typename D>
  const D* find() const {
    for (const Error* e = this; e != nullptr; e = e->cause()) {
      if (auto* d = dynamic_cast<const D*>(e->detail())) return d;
    }
    return nullptr;
  }

 private:
  struct Rep;
  std::shared_ptr<Rep> rep_;  // shared: errors are copied into reports and logs, never changed
};

template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  Result(Error error) : tl::expected<T, Error>(tl::unexpect, std::move(error)) {}  // NOLINT
};

using Status = Result<void>;
inline Status ok() { return {}; }

}  // namespace pintle

// auto x = TRY(expr);  yields the value or returns the error from the enclosing function.
#define TRY(expr)                                                  \
  ({                                                               \
    auto&& try_result_ = (expr);                                   \
    if (!try_result_) return std::move(try_result_).error();       \
    ::pintle::detail::unwrap(std::move(try_result_));              \
  })

namespace pintle::detail {
template <typename T>
T unwrap(Result<T>&& r) {
  return std::move(*r);
}
inline void unwrap(Status&&) {}
}  // namespace pintle::detail
