// The status page: text made of what the API knows. Inside the API only; pure.
#pragma once

#include <string>
#include <vector>

#include "lookout/api/api.h"

namespace pintle::lookout {

struct PageData {
  std::vector<RegionStatus> regions;
  std::vector<ApiHooks::NamedRelease> releases;
  std::vector<StoredEvent> events;  // newest first, without the raw ones
  std::vector<Delivery> waiting, dead;
  std::vector<Subscription> subscriptions;
  std::string error;  // of the database; "" when all could be read
  std::string write_error;  // why nothing can be stored, and since when; "": it can
  int64_t trouble_since_ms = 0;
  bool operate = false;  // the reader may test, pause, resend, skip
  int64_t now_ms = 0;
};
// HTML without scripts; every text of a cluster is escaped.
std::string status_page(const PageData& data);

}  // namespace pintle::lookout
