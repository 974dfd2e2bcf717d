// Catalog: the types of events there are, for people who subscribe and for checking what they
// write. Rules of a configuration may add types of their own.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lookout/rules/rules.h"

namespace pintle::lookout {

struct EventType {
  std::string_view name, meaning;
  std::string_view data;  // what its data holds: "step:number who:text" (api/schemas.h)
};

std::span<const EventType> event_types();  // sorted by name
// Whether a subscription's type ("release.deployed", "release.*", "*") can ever match.
bool known_type_pattern(std::string_view pattern, const std::vector<Rule>& rules);

}  // namespace pintle::lookout
