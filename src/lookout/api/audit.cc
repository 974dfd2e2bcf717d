// Who changed what of the configuration.
#include "lookout/api/handlers.h"
#include "lookout/api/json.h"

namespace pintle::lookout {

Result<Answer> list_audit(Backend& b, const Call& c) {
  AuditQuery query;
  query.after = c.number("after");
  query.newest_first = c.flag("newest");
  query.kind = c.text("kind");
  query.name = c.text("name");
  query.from_ms = c.number("from");
  query.to_ms = c.number("to");
  query.limit = c.limit();
  const auto entries = TRY(b.store.audit(query));
  return Answer{items_json(entries, audit_json, entries.empty() ? 0 : entries.back().id)};
}

}  // namespace pintle::lookout
