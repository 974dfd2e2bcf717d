// What SOCI throws, as Errors. Inside the room only.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace pintle::db {

// Runs `body` and turns what it throws into an Error that begins with `where`.
Status guarded(const std::string& where, const std::function<void()>& body);

}  // namespace pintle::db
