// Schema: lookout's tables, as steps of db::migrate. A step that was released is never changed.
#pragma once

#include "db/migrate.h"

namespace pintle::lookout {

db::Steps schema_steps();

// A lane whose subscription is disabled is due then: never. Larger than any time.
inline constexpr int64_t kHeldMs = int64_t{1} << 62;

}  // namespace pintle::lookout
