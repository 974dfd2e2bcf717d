// Whom a message goes to: found anew at each attempt, and put into the options its sink reads, so
// that a sink knows of a list only. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lookout/people.h"
#include "lookout/store.h"

namespace pintle::lookout {

// Finds claimed.to; a channel it has is put into the subscription's options, before a route is made
// of them. Nothing changes where the subscription has no `whom`.
void find_recipients(Claimed& claimed, const Directory& directory, int64_t now_ms);

// The events of a message as its sink takes them: the list of its subscription, the first one's, is
// everybody who was found for any.
std::vector<Claimed> addressed(std::span<const Claimed> events);

// For the attempt: whom each found, what is the same once. "": the sink's own list.
std::string told_text(std::span<const Claimed> events);

}  // namespace pintle::lookout
