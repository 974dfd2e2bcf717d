// What a configuration's file brings that is read anew, for the audit: regions, rules, policies,
// people, owners, duties and tokens by name, and the keys beside them. Its subscriptions are in the
// database, which tells of them itself. Pure.
#pragma once

#include <vector>

#include "lookout/audit.h"
#include "lookout/config/config.h"

namespace pintle::lookout {

// Of two files' configurations, without what the API has made.
std::vector<AuditChange> file_changes(const Config& before, const Config& after);

}  // namespace pintle::lookout
