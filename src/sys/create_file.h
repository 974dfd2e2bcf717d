// Makes a file that several processes may want to make at once: one of them does, whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pintle::sys {

// True: it was made, with these bytes. False: it is there already, with another's. Nobody sees a
// part of it: it is written beside and linked. Errors: Go's texts, as Disk's.
Result<bool> create_file(const std::string& path, std::string_view data, uint32_t mode);

}  // namespace pintle::sys
