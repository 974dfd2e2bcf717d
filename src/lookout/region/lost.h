// Lost: releases that were uninstalled while nobody watched. The tracker keeps nothing over a
// restart and a list does not tell what is gone, but the store knows which release records existed.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lookout/store.h"

namespace pintle::lookout {

// What the tracker knows after its first list: Tracker::knows_record; has_release or told_end.
struct Known {
  std::function<bool(const std::string& uid)> record;
  std::function<bool(std::string_view resource, std::string_view name_space, std::string_view name)>
      release;
};

// Adds to the batch (whose cluster is set) the end of every record of `resource` ("secrets",
// "configmaps") that the store holds and the tracker does not; and release.uninstalled, with the
// key the tracker would have given it, where nothing of the release is left. namespaces: those that
// are watched; empty: all. Reads the store; cost: nothing but one query when nothing is lost.
Status find_lost(Store& store, const Known& known, std::string_view resource,
                 const std::vector<std::string>& namespaces, int64_t now_ms, Batch& batch);

}  // namespace pintle::lookout
