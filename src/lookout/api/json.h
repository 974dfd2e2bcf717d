// The API's JSON: each of lookout's records as text. Inside the API only; pure.
#pragma once

#include <string>

#include "lookout/api/api.h"
#include "lookout/api/call.h"

namespace pintle::lookout {

std::string_view state_name(DeliveryState s);
std::optional<DeliveryState> state_of(std::string_view name);

std::string event_json(const StoredEvent& e);
std::string observation_json(const Observation& o);
std::string subscription_json(const Subscription& s, std::string_view source);
std::string delivery_json(const Delivery& d);
std::string attempt_json(const Attempt& a, Role role);  // what that role may see
std::string statistics_json(const SubscriptionStatistics& s);
std::string audit_json(const AuditEntry& a);
std::string gap_json(const StoredGap& g);
std::string region_json(const RegionStatus& r);
std::string watches_json(const RegionStatus& r);
std::string release_json(const ApiHooks::NamedRelease& r);
std::string rule_json(const Rule& r, std::string_view source);

}  // namespace pintle::lookout
