#include "base/result.h"

namespace pintle {

struct Error::Rep {
  std::string text;
  Code code;
  std::unique_ptr<Error> cause;
  std::unique_ptr<ErrorDetail> detail;
};

Error::Error(std::string message, Code code)
    : rep_(std::make_shared<Rep>(Rep{std::move(message), code, nullptr, nullptr})) {}

Error Error::wrap(std::string_view activity, Error cause) {
  std::string text;
  text.reserve(activity.size() + 2 + cause.text().size());
  text.append(activity).append(": ").append(cause.text());
  return with_cause(std::move(text), std::move(cause));
}

Error Error::with_cause(std::string text, Error cause) {
  Error e(std::move(text), cause.code());
  e.rep_->cause = std::make_unique<Error>(std::move(cause));
  return e;
}

const std::string& Error::text() const { return rep_->text; }
Code Error::code() const { return rep_->code; }
const Error* Error::cause() const { return rep_->cause.get(); }
const ErrorDetail* Error::detail() const { return rep_->detail.get(); }

Error& Error::set_detail(std::unique_ptr<ErrorDetail> detail) {
  rep_->detail = std::move(detail);
  return *this;
}

}  // namespace pintle
