// Making the cluster match: create, update, remove (helm pkg/kube/client.go). Inside this room.
#pragma once

#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "kube/cluster.h"
#include "kube/rest.h"

namespace pintle::kube {

// Objects of a run of equal kinds go in parallel; the next kind starts when the run is done.
Result<Objects> create_objects(Rest& rest, const Objects& objects, const ApplyOptions& options);
Status update_objects(Rest& rest, const Log& log, const Objects& original, const Objects& target,
                      const ApplyOptions& options, UpdateReport& report);
std::vector<Error> remove_objects(Rest& rest, const Objects& objects, Propagation propagation,
                                  Objects& removed);

Result<value::Value> get_object(Rest& rest, const Object& object);
// The JSON patch that hands helm's client-side fields to server-side apply; nil: nothing to do
// (client-go util/csaupgrade).
Result<value::Value> managers_patch(const value::Value& live);

}  // namespace pintle::kube
