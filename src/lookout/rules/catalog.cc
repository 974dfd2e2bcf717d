#include "lookout/rules/catalog.h"

#include <algorithm>
#include <iterator>

namespace pintle::lookout {
namespace {

constexpr EventType kTypes[] = {
    {"image.pulled", "a container's image is on its node; data: image, digest"},
    {"job.done", "a Job has completed"},
    {"job.failed", "a Job has failed for good"},
    {"kubernetes.event", "an Event of the cluster as it is"},
    {"node.not_ready", "a node is not ready"},
    {"node.ready", "a node is ready"},
    {"node.rebooted", "a node was booted anew"},
    {"pod.crash_loop", "a container fails again and again"},
    {"pod.evicted", "a pod had to leave its node"},
    {"pod.failed", "a container could not be run"},
    {"pod.image_failed", "an image cannot be pulled"},
    {"pod.mount_failed", "a volume cannot be mounted"},
    {"pod.oom_killed", "a container ran out of memory"},
    {"pod.unhealthy", "a container's probe fails"},
    {"pod.unschedulable", "no node takes a pod"},
    {"region.healthy", "a cluster is watched again"},
    {"region.unhealthy", "a cluster is not watched: it is away, or refuses"},
    {"release.degraded", "a release that was deployed does not work"},
    {"release.deployed", "a release is deployed"},
    {"release.failed", "a release has failed"},
    {"release.paused", "a rollout waits"},
    {"release.pending", "a release has begun"},
    {"release.resumed", "a rollout goes on"},
    {"release.rolled_back", "a release is back at what was before"},
    {"release.step", "a rollout has come one step further; data: step, steps"},
    {"release.stuck", "a release has been under way for too long"},
    {"release.sync", "an Argo CD sync has ended"},
    {"release.sync_started", "an Argo CD sync has begun"},
    {"release.uninstalled", "a release is gone"},
    {"scale", "an autoscaler has changed a number of replicas"},
    {"workload.deployed", "a workload of a release is up to date and available"},
    {"workload.failed", "a workload of a release did not come up in time"},
};

bool fits(std::string_view pattern, std::string_view type) {
  if (!pattern.ends_with(".*")) return pattern == type;
  return type.starts_with(pattern.substr(0, pattern.size() - 1));
}

}  // namespace

std::span<const EventType> event_types() { return kTypes; }

bool known_type_pattern(std::string_view pattern, const std::vector<Rule>& rules) {
  return pattern == "*" ||
         std::any_of(std::begin(kTypes), std::end(kTypes),
                     [&](const EventType& t) { return fits(pattern, t.name); }) ||
         std::any_of(rules.begin(), rules.end(),
                     [&](const Rule& r) { return fits(pattern, r.type); });
}

}  // namespace pintle::lookout
