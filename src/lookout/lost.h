// Lost: releases that were uninstalled while nobody watched. The tracker keeps nothing over a
// restart and a list does not tell what is gone, but the store knows which release records existed.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "lookout/store.h"
#include "lookout/track/tracker.h"

namespace pintle::lookout {

// Adds to the batch (whose cluster is set) the end of every record of `resource` ("secrets",
// "configmaps") that the store holds and the tracker, after its first list, does not; and
// release.uninstalled, with the key the tracker would have given it, where nothing of the release
// is left. namespaces: those that are watched; empty: all. Reads the store; cost: nothing but one
// query when nothing is lost.
Status find_lost(Store& store, const Tracker& tracker, std::string_view resource,
                 const std::vector<std::string>& namespaces, int64_t now_ms, Batch& batch);

}  // namespace pintle::lookout
