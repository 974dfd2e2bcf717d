// Curl text: what a delivery sends, as lines of a shell that send it by hand. Secrets are no part of
// it: the receiver's address is $URL and the key $SECRET, which whoever runs it knows; a webhook's
// signature is computed from them. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "lookout/store.h"

namespace pintle::lookout {

// "" for sinks that make no HTTP request, and for events that this one has nothing to tell of.
// `c` has its subscription's secret.
std::string curl_text(const Claimed& c, int64_t now_ms);

}  // namespace pintle::lookout
