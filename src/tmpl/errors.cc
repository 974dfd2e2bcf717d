// The words of execution errors: "template: FILE:LINE:COL: executing "T" at <CONTEXT>: MESSAGE".
//
// A chain of a thousand includes nests a thousand such texts in each other. The text stays exact,
// but once it is long the links between the outermost and the innermost error are dropped, so that
// memory stays bounded, and in the end no further text is put around it. A limit (LimitReached) is reported by the call that met it, not wrapped.
#include "base/gotext.h"
#include "base/printable.h"
#include "base/strings.h"
#include "tmpl/print.h"
#include "tmpl/vm.h"

namespace pintle::tmpl {

namespace {

constexpr size_t kLongText = size_t{128} << 10, kLongestText = size_t{320} << 10;

const Error& innermost(const Error& e) {
  const Error* at = &e;
  while (at->cause() != nullptr) at = at->cause();
  return *at;
}

const Error* limit_in(const Error& e) {
  for (const Error* at = &e; at != nullptr; at = at->cause()) {
    if (dynamic_cast<const LimitReached*>(at->detail()) != nullptr) return at;
  }
  return nullptr;
}

}  // namespace

Error Vm::Rep::exec_error(const Node* at, std::string_view message, const Error* cause,
                          std::unique_ptr<Location> where) const {
  const Source& source = *current->source;
  const Node* n = node(at);
  LineColumn lc = locate(source.text, n->pos);
  std::string place = cat(source.name, ":", lc.line, ":", lc.column);
  // Go puts the place into a format string unescaped.
  if (place.find('%') != place.npos) place = sprintf(place, {});
  std::string text = cat("template: ", place, ": executing ", quote(shortened(current->name)), " at <",
                         to_source(*n), ">: ", message);
  where->stage = Location::Stage::kExec;
  where->name = source.name;
  where->line = lc.line;
  Code code = dynamic_cast<LimitReached*>(where.get()) != nullptr ? Code::kResourceExhausted
                                                                  : Code::kInvalidArgument;
  if (cause == nullptr) {
    Error e(std::move(text), code);
    e.set_detail(std::move(where));
    return e;
  }
  bool is_long = cause->text().size() > kLongText;
  Error e = Error::with_cause(std::move(text), is_long ? innermost(*cause) : *cause);
  e.set_detail(std::move(where));
  return e;
}

bool Vm::Rep::fail(const Node* at, std::string_view message) {
  error = exec_error(at, message, nullptr, std::make_unique<Location>());
  return false;
}

bool Vm::Rep::fail_calling(const Node* at, std::string_view name, Error cause) {
  if (const Error* limit = limit_in(cause)) {
    bool placed = static_cast<const Location*>(limit->detail())->line > 0;
    error = placed ? *limit
                   : exec_error(at, cat("error calling ", name, ": ", limit->text()), nullptr,
                                std::make_unique<LimitReached>());
    return false;
  }
  if (cause.text().size() > kLongestText && cause.find<Location>() != nullptr) {
    error = std::move(cause);
    return false;
  }
  const std::string said = shortened(cause.text(), kLongestText);
  error = exec_error(at, cat("error calling ", name, ": ", said), &cause, std::make_unique<Location>());
  return false;
}

bool Vm::Rep::limit(const Node* at, std::string_view message) {
  if (at != nullptr) {
    error = exec_error(at, message, nullptr, std::make_unique<LimitReached>());
  } else {
    error = Error(std::string(message), Code::kResourceExhausted);  // the caller tells where
    error->set_detail(std::make_unique<LimitReached>());
  }
  return false;
}

}  // namespace pintle::tmpl
