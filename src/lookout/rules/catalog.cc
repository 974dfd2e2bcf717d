#include "lookout/rules/catalog.h"

#include <algorithm>
#include <iterator>

namespace pintle::lookout {
namespace {

// What an event's data holds, by family; an Event of the cluster tells its rule, a state the rest.
constexpr std::string_view kByRule = "rule:text count:number event_uid:text";
constexpr std::string_view kInlet =
    "id:text source:text type:text subject:text data:any data_base64:text";
constexpr std::string_view kImage =
    "container:text image:text image_id:text digest:text rule:text count:number event_uid:text";
constexpr std::string_view kPod =
    "container:text restarts:number rule:text count:number event_uid:text pods:number pod_names:texts";
constexpr std::string_view kRaw =
    "type:text count:number count_delta:number component:text host:text field_path:text "
    "event_name:text event_namespace:text event_uid:text series_time:text last_time:text "
    "event_time:text created_time:text";
constexpr std::string_view kRegion = "state:text error:text";
constexpr std::string_view kRelease =
    "status:text chart:text chart_version:text app_version:text description:text who:text "
    "values_digest:text images:texts step:number steps:number pod_hash:text stable_hash:text "
    "phase:text health:text sync:text revision:text repository:text path:text project:text "
    "kind:text name:text fields:texts resources:texts rule:text count:number event_uid:text";
constexpr std::string_view kSubscription = "subscription:number failing_since_ms:number error:text";
constexpr std::string_view kWorkload =
    "replicas:number updated:number available:number who:text rule:text count:number "
    "event_uid:text";

constexpr EventType kTypes[] = {
    {"cloudevent.received", "another system has sent a CloudEvent; reason: its type", kInlet},
    {"image.pulled", "a container's image is on its node; data: image, digest", kImage},
    {"job.done", "a Job has completed", kWorkload},
    {"job.failed", "a Job has failed for good", kWorkload},
    {"kubernetes.event", "an Event of the cluster as it is", kRaw},
    {"node.not_ready", "a node is not ready", kByRule},
    {"node.ready", "a node is ready", kByRule},
    {"node.rebooted", "a node was booted anew", kByRule},
    {"pod.crash_loop", "a container fails again and again", kPod},
    {"pod.evicted", "a pod had to leave its node", kPod},
    {"pod.failed", "a container could not be run", kPod},
    {"pod.image_failed", "an image cannot be pulled", kPod},
    {"pod.mount_failed", "a volume cannot be mounted", kPod},
    {"pod.oom_killed", "a container ran out of memory", kPod},
    {"pod.unhealthy", "a container's probe fails", kPod},
    {"pod.unschedulable", "no node takes a pod", kPod},
    {"region.healthy", "a cluster is watched again", kRegion},
    {"region.unhealthy", "a cluster is not watched: it is away, or refuses; reason: its state", kRegion},
    {"release.degraded", "a release that was deployed does not work", kRelease},
    {"release.deployed", "a release is deployed", kRelease},
    {"release.drifted", "what runs is no longer what was released; data: who, fields, resources", kRelease},
    {"release.failed", "a release has failed", kRelease},
    {"release.paused", "a rollout waits", kRelease},
    {"release.pending", "a release has begun", kRelease},
    {"release.resumed", "a rollout goes on", kRelease},
    {"release.rolled_back", "a release is back at what was before", kRelease},
    {"release.step", "a rollout has come one step further; data: step, steps", kRelease},
    {"release.stuck", "a release has been under way for too long", kRelease},
    {"release.sync", "an Argo CD sync has ended", kRelease},
    {"release.sync_started", "an Argo CD sync has begun", kRelease},
    {"release.uninstalled", "a release is gone", kRelease},
    {"scale", "an autoscaler has changed a number of replicas", kByRule},
    {"subscription.disabled", "every attempt to tell somebody has failed for long; it is paused",
     kSubscription},
    {"workload.deployed", "a workload of a release is up to date and available", kWorkload},
    {"workload.failed", "a workload of a release did not come up in time", kWorkload},
    {"workload.stuck", "a workload of a release is under way for too long", kWorkload},
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
