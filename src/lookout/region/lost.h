// Lost: releases that ended while nobody watched. The tracker keeps nothing over a restart and a list
// does not tell what is gone, but the store knows which release records existed. So a region's first
// list of release records is compared with it before anything of that list is heard: an end stands
// before the first transition of the release's next life.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "informer/object.h"
#include "lookout/store.h"

namespace pintle::lookout {

// Adds to the batch (whose cluster is set) the end of every record of `resource` ("secrets",
// "configmaps") that the store holds and is not in the list; and release.uninstalled, with the key the
// tracker would have given it, where nothing of the release is left or what there is begins_anew().
// namespaces: those that are watched; empty: all. Reads the store; cost: nothing but one query when
// nothing is lost.
// Limits: nothing is told of a release of which nothing was told before. Of a next life whose records
// up to the old one's last revision are pruned, too, nothing tells that it is another.
Status find_lost(Store& store, const std::vector<informer::ObjectPtr>& listed,
                 std::string_view resource, const std::vector<std::string>& namespaces,
                 int64_t now_ms, Batch& batch);

}  // namespace pintle::lookout
