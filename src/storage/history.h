// A release's revisions over any driver: the last, the deployed, how many are kept (helm
// pkg/storage). Plain functions; nothing is remembered between calls.
#pragma once

#include <string_view>
#include <vector>

#include "storage/driver.h"

namespace pintle::storage {

// Heads of every revision, oldest first. Error: release_not_found when there is none.
Result<std::vector<Head>> history(Driver& driver, std::string_view name);
// The newest revision, whole. Its labels keep the system's, as Helm's Query leaves them.
Result<release::Record> last(Driver& driver, std::string_view name);
// The same, where the heads are at hand: those that cannot be decoded leave the list's end, as they
// do not exist for Helm.
Result<release::Record> newest(Driver& driver, std::vector<Head>& heads);
Result<release::Record> whole(Driver& driver, const Head& head);

// Every revision labelled deployed, whole, oldest first; none is no error.
Result<std::vector<release::Record>> deployed(Driver& driver, std::string_view name);
// The newest of `heads` that is deployed; null: none.
const Head* newest_deployed(const std::vector<Head>& heads);

// Makes room for one more revision among at most `max` (0: no limit): the oldest go, never the
// newest deployed one. `heads` oldest first.
Status prune(Driver& driver, const std::vector<Head>& heads, int max, const Log& log);

}  // namespace pintle::storage
