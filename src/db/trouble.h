// Trouble: what keeps a database from doing what it was asked: the detail of Errors, for metrics and
// people. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace pintle::db {

enum class Trouble : uint8_t {
  kOther,
  kLocked,    // another holds it
  kFull,      // the disk, or a quota
  kReadOnly,
  kLost,      // the connection, or the file
  kConflict,  // a deadlock, or transactions that cannot be put in an order: tried again they may
  kDamaged,
};
inline constexpr size_t kTroubles = 7;

struct TroubleDetail : ErrorDetail {
  explicit TroubleDetail(Trouble t) : what(t) {}
  Trouble what;
};

std::string_view trouble_name(Trouble t);  // "locked", "full", "read_only", ...
Trouble trouble_of(const Error& error);    // kOther when it does not say

}  // namespace pintle::db
