#include "drydock/warnings.h"

#include "base/strings.h"
#include "drydock/tree.h"
#include "drydock/validation.h"

namespace pintle::drydock {

std::vector<std::string> warnings_of(const Resource& resource, const Value& object) {
  std::vector<std::string> out;
  const std::string& kind = resource.kind;
  if (resource.custom()) return out;
  const bool pod = kind == "Pod" && resource.group.empty();
  const bool makes_pods = kind == "Deployment" || kind == "ReplicaSet" || kind == "Job" || kind == "CronJob" ||
                          kind == "ReplicationController";
  if (pod || makes_pods) {
    if (auto why = is_dns1123_label(name_of(object)); !why.empty()) {
      out.push_back(cat("metadata.name: this is used in ", pod ? "the Pod's hostname" : "Pod names and hostnames",
                        ", which can result in surprising behavior; a DNS label is recommended: [", join(why, " "), "]"));
    }
  }
  const Value* spec = at(object, "spec");
  std::string path = "spec";
  for (std::string_view step : {"jobTemplate", "spec", "template", "spec"}) {
    const bool there = spec && has(*spec, step) && (step != "spec" || path.ends_with("emplate"));
    if (!there) continue;
    spec = at(*spec, step);
    append(path, {".", step});
  }
  if (spec && number(*spec, "terminationGracePeriodSeconds") < 0) {
    out.push_back(cat(path, ".terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1"));
  }
  return out;
}

}  // namespace pintle::drydock
