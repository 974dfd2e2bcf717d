// The API's JSON: each of lookout's records as text. Inside the API only; pure.
#pragma once

#include <string>

#include "lookout/api/api.h"

namespace pintle::lookout {

std::string_view severity_name(Severity s);
std::string_view state_name(DeliveryState s);
std::optional<DeliveryState> state_of(std::string_view name);

std::string event_json(const StoredEvent& e);
std::string subscription_json(const Subscription& s);
std::string delivery_json(const Delivery& d);
std::string attempt_json(const Attempt& a);
std::string gap_json(const Store::StoredGap& g);
std::string region_json(const RegionStatus& r);
std::string release_json(const ApiHooks::NamedRelease& r);
std::string rule_json(const Rule& r);
// What POST and PUT take; a missing key keeps what `s` has. Errors name the key.
Status read_subscription_json(std::string_view json, Subscription& s);

}  // namespace pintle::lookout
