// Helm 4.3's duration functions (helm43-delta.md 3.1). Inside this room only.
#pragma once

#include "funcs/families.h"

namespace pintle::funcs {

Family duration_family();  // mustToDuration, durationSeconds ... durationTruncateTo

}  // namespace pintle::funcs
