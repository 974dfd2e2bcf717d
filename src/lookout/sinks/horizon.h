// Horizon's webhook payload and its names (spec events-informers §1.3, §1.7), for receivers and
// clients written for it. Inside this room only. Pure.
#pragma once

#include <string>

#include "lookout/store.h"

namespace pintle::lookout {

std::string horizon_payload(const Claimed& c);

// Its name of a type of events.
std::string_view horizon_type(std::string_view type);
// What an event of Kubernetes says, as JSON.
std::string horizon_extra(const Event& e);
// Horizon numbers its clusters (our releases) and all else; a name of ours always gets the same
// number, of 48 bits.
int64_t horizon_number(std::string_view name);
int64_t horizon_cluster(std::string_view cluster_uid, std::string_view name_space,
                        std::string_view release);

}  // namespace pintle::lookout
