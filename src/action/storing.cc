#include "action/storing.h"

#include <memory>
#include <string>

#include "action/hint.h"
#include "base/strings.h"
#include "kube/rest.h"

namespace pintle::action {
namespace {

// No answer came: the server may have done it or not.
bool in_doubt(const Error& error) {
  if (error.find<kube::ApiStatus>()) return false;
  switch (error.code()) {
    case Code::kCancelled:
    case Code::kDeadlineExceeded:
    case Code::kUnavailable:
    case Code::kDataLoss: return true;
    default: return false;
  }
}

Error hinted(const Error& why, std::string text) {
  Error out = Error::with_cause(why.text(), why);
  out.set_detail(std::make_unique<Hint>(std::move(text)));
  return out;
}

}  // namespace

Status store(Context& context, const release::Record& record) {
  const Status stored = context.releases->create(record);
  if (stored || !in_doubt(stored.error())) return stored;
  const std::string where = record.namespace_.empty() ? "" : cat(" -n ", record.namespace_);
  return hinted(stored.error(),
                cat("nothing was changed, but whether the server keeps revision ", record.version,
                    " of ", record.name, " as ", record.status, " is not known: 'helm history ",
                    record.name, where, "' tells"));
}

Error marked_failed(const Error& why, const Status& stored, const release::Record& record) {
  if (stored) return why;
  return hinted(why, cat("it could not be recorded as failed (", stored.error().text(), "). ",
                         pending_hint(record.name, record.namespace_, record.version, "still pending")));
}

}  // namespace pintle::action
