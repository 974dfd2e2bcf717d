// The rules that come with lookout (spec events-informers §4.8), as TOML in the form a configuration
// has. Order counts: the first match wins.
#include "base/check.h"
#include "lookout/rules/rules.h"
#include "lookout/config/rules_toml.h"

namespace pintle::lookout {

std::string_view default_rules_text() {
  return R"toml(
# Argo Rollouts, the reasons of its 0.x versions.
[[rules]]
name = "rollout-step-index"
group = "argoproj.io"
kind = "Rollout"
reasons = ["SetStepIndex"]
messages = ['Set Step Index to (\d+)']
type = "release.step"
dedup = "{cluster}/{uid}/{generation}/step/{match1}"

[[rules]]
name = "rollout-stable"
group = "argoproj.io"
kind = "Rollout"
reasons = ["SettingStableRS"]
messages = ['Completed all steps', 'Setting stable to ']
type = "release.deployed"
dedup = "{cluster}/{uid}/{generation}/deployed"

# Argo Rollouts, the reasons of its versions since 1.0.
[[rules]]
name = "rollout-step-completed"
group = "argoproj.io"
kind = "Rollout"
reasons = ["RolloutStepCompleted"]
messages = ['[Ss]tep (\d+)']
type = "release.step"
dedup = "{cluster}/{uid}/{generation}/step/{match1}"

[[rules]]
name = "rollout-completed"
group = "argoproj.io"
kind = "Rollout"
reasons = ["RolloutCompleted"]
type = "release.deployed"
dedup = "{cluster}/{uid}/{generation}/deployed"

[[rules]]
name = "rollout-paused"
group = "argoproj.io"
kind = "Rollout"
reasons = ["RolloutPaused"]
type = "release.paused"
dedup = "{cluster}/{uid}/{generation}/paused"

[[rules]]
name = "rollout-resumed"
group = "argoproj.io"
kind = "Rollout"
reasons = ["RolloutResumed"]
type = "release.resumed"
dedup = "{cluster}/{uid}/{generation}/resumed"

[[rules]]
name = "rollout-aborted"
group = "argoproj.io"
kind = "Rollout"
reasons = ["RolloutAborted"]
type = "release.failed"
severity = "error"
dedup = "{cluster}/{uid}/{generation}/failed"

# Argo CD.
[[rules]]
name = "application-deployed"
group = "argoproj.io"
kind = "Application"
reasons = ["ResourceUpdated"]
messages = ['Updated health status: Progressing -> Healthy']
type = "release.deployed"
dedup = "{cluster}/{uid}/{generation}/deployed"

[[rules]]
name = "application-degraded"
group = "argoproj.io"
kind = "Application"
reasons = ["ResourceUpdated"]
messages = ['Updated health status: .* -> Degraded']
type = "release.degraded"
severity = "error"
dedup = "{cluster}/{uid}/{generation}/degraded"

[[rules]]
name = "application-step"
group = "argoproj.io"
kind = "Application"
reasons = ["ResourceUpdated"]
messages = ['Updated health status: Suspended -> Progressing']
type = "release.step"
dedup = "{cluster}/{uid}/{generation}/step"

[[rules]]
name = "application-sync-failed"
group = "argoproj.io"
kind = "Application"
reasons = ["OperationCompleted"]
messages = ['[Ss]ync operation to .* failed']
type = "release.sync"
severity = "error"
dedup = "{cluster}/{uid}/{generation}/sync"

[[rules]]
name = "application-sync"
group = "argoproj.io"
kind = "Application"
reasons = ["OperationCompleted"]
type = "release.sync"
dedup = "{cluster}/{uid}/{generation}/sync"

[[rules]]
name = "application-sync-started"
group = "argoproj.io"
kind = "Application"
reasons = ["OperationStarted"]
type = "release.sync_started"
dedup = "{cluster}/{uid}/{generation}/sync_started"

# Pods.
[[rules]]
name = "image-pulled"
kind = "Pod"
reasons = ["Pulled"]
messages = ['Successfully pulled image "([^"]+)"', 'Container image "([^"]+)" already present']
type = "image.pulled"

[[rules]]
name = "image-failed"
kind = "Pod"
reasons = ["Failed", "BackOff"]
messages = ['(?i)pull(ing)? image', 'ImagePullBackOff', 'ErrImagePull', 'InvalidImageName']
type = "pod.image_failed"
severity = "error"
dedup = "{cluster}/{uid}/image_failed"

[[rules]]
name = "pod-crash-loop"
kind = "Pod"
reasons = ["BackOff"]
messages = ['[Bb]ack-off restarting']
type = "pod.crash_loop"
severity = "error"
dedup = "{cluster}/{uid}/crash_loop"

[[rules]]
name = "pod-failed"
kind = "Pod"
reasons = ["Failed"]
event_type = "Warning"
type = "pod.failed"
severity = "error"

[[rules]]
name = "pod-unhealthy"
kind = "Pod"
reasons = ["Unhealthy"]
type = "pod.unhealthy"
severity = "warning"

[[rules]]
name = "pod-unschedulable"
kind = "Pod"
reasons = ["FailedScheduling"]
type = "pod.unschedulable"
severity = "warning"
dedup = "{cluster}/{uid}/unschedulable"

[[rules]]
name = "pod-mount-failed"
kind = "Pod"
reasons = ["FailedMount", "FailedAttachVolume"]
type = "pod.mount_failed"
severity = "warning"

[[rules]]
name = "pod-evicted"
kind = "Pod"
reasons = ["Evicted"]
type = "pod.evicted"
severity = "warning"
dedup = "{cluster}/{uid}/evicted"

# Jobs, scaling, nodes.
[[rules]]
name = "job-done"
group = "batch"
kind = "Job"
reasons = ["Completed"]
type = "job.done"
dedup = "{cluster}/{uid}/done"

[[rules]]
name = "job-failed"
group = "batch"
kind = "Job"
reasons = ["BackoffLimitExceeded", "DeadlineExceeded", "PodFailurePolicy"]
type = "job.failed"
severity = "error"
dedup = "{cluster}/{uid}/failed"

[[rules]]
name = "scaled"
kind = "HorizontalPodAutoscaler"
reasons = ["SuccessfulRescale"]
type = "scale"
dedup = "{cluster}/{event}/{count}/{type}"

[[rules]]
name = "node-not-ready"
kind = "Node"
reasons = ["NodeNotReady"]
type = "node.not_ready"
severity = "error"
dedup = "{cluster}/{event}/{count}/{type}"

[[rules]]
name = "node-ready"
kind = "Node"
reasons = ["NodeReady"]
type = "node.ready"
dedup = "{cluster}/{event}/{count}/{type}"

[[rules]]
name = "node-rebooted"
kind = "Node"
reasons = ["Rebooted"]
type = "node.rebooted"
severity = "warning"
dedup = "{cluster}/{event}/{count}/{type}"
)toml";
}

const std::vector<Rule>& Rules::defaults() {
  static const std::vector<Rule> rules = [] {
    auto read = read_rules(default_rules_text(), "default rules");
    CHECK(read.has_value());
    return std::move(*read);
  }();
  return rules;
}

}  // namespace pintle::lookout
