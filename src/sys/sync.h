// Sync: what was written is on the machine's disk when it returns, also after a power cut.
#pragma once

#include <string>

#include "base/result.h"

namespace pintle::sys {

// Of a file its bytes, of a directory its names. Errors: Go's texts, as Disk's.
Status sync_path(const std::string& path);

}  // namespace pintle::sys
