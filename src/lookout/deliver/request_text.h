// Request text: what a delivery sends, for people to read. Secrets are no part of it. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "lookout/store.h"

namespace pintle::lookout {

// Lines of a shell that send it by hand: the receiver's address is $URL and the key $SECRET, which
// whoever runs it knows; a webhook's signature is computed from them.
// "" for sinks that make no HTTP request, and for events that this one has nothing to tell of.
// `c` has its subscription's secret.
std::string curl_text(const Claimed& c, int64_t now_ms);

// What is told, of any sink: a request's body, or a message as its sink's `text` has it. "": there is
// nothing to tell of this event. Error: it cannot be told, as a template that fails.
Result<std::string> body_text(const Claimed& c, int64_t now_ms);

}  // namespace pintle::lookout
