#include "db/trouble.h"

namespace pintle::db {

std::string_view trouble_name(Trouble t) {
  static constexpr std::string_view kNames[] = {"other", "locked",   "full",   "read_only",
                                                "lost",  "conflict", "damaged"};
  static_assert(std::size(kNames) == kTroubles);
  return kNames[static_cast<size_t>(t)];
}

Trouble trouble_of(const Error& error) {
  const auto* detail = error.find<TroubleDetail>();
  return detail != nullptr ? detail->what : Trouble::kOther;
}

}  // namespace pintle::db
