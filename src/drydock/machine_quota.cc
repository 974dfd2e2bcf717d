// ResourceQuota at the door: how many objects of a kind a namespace may hold ("pods", "services",
// "count/deployments.apps"). Sums of requests and limits are not kept. Counted in the store at each
// create in a namespace that has a quota; costs nothing elsewhere.

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "drydock/machine.h"

namespace pintle::drydock {
namespace {

bool counts(std::string_view limit, const Resource& resource) {
  if (limit == cat("count/", resource.plural, resource.group.empty() ? "" : ".", resource.group)) return true;
  static constexpr std::string_view kBare[] = {"pods", "services", "configmaps", "secrets", "persistentvolumeclaims",
                                               "replicationcontrollers", "resourcequotas"};
  return resource.group.empty() && limit == resource.plural &&
         std::find(std::begin(kBare), std::end(kBare), limit) != std::end(kBare);
}

}  // namespace

Status Machine::check_quota(const Resource& resource, const Value& object) {
  if (!resource.namespaced) return ok();
  const Place place = place_of(resource);
  const std::string_view ns = namespace_of(object);
  Status verdict = ok();
  x_store.each("", "resourcequotas", ns, "", [&](const ObjectPtr& stored) REQUIRES(x_lock) {
    const Value quota = parse_object(*stored);
    std::vector<std::string> requested, used, limited;
    for (const auto& [key, limit] : entries(quota, "spec", "hard")) {
      if (!counts(key.view(), resource)) continue;
      int64_t there = 0;
      x_store.each(place.group, place.plural, ns, "", [&](const ObjectPtr&) { return ++there, true; });
      ParseError error;
      const int64_t most = limit.is_string() ? parse_int(limit.as_string(), 10, 64, &error) : as_number(&limit, 0);
      if ((limit.is_string() && error != ParseError::kNone) || there < most) continue;
      requested.push_back(cat(key.view(), "=1"));
      used.push_back(cat(key.view(), "=", there));
      limited.push_back(cat(key.view(), "=", most));
    }
    if (requested.empty()) return true;
    verdict = forbidden(resource.group, resource.plural, name_of(object),
                        cat("exceeded quota: ", stored->name, ", requested: ", join(requested, ","), ", used: ",
                            join(used, ","), ", limited: ", join(limited, ",")));
    return false;
  });
  return verdict;
}

}  // namespace pintle::drydock
