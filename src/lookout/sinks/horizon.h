// Horizon's webhook payload (spec events-informers §1.7), for receivers written for it. Inside the
// sinks only. Pure.
#pragma once

#include <string>

#include "lookout/store.h"

namespace pintle::lookout {

std::string horizon_payload(const Claimed& c);

}  // namespace pintle::lookout
