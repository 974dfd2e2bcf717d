// ControllerRevisions: the templates a StatefulSet or DaemonSet has had.
#pragma once

#include "drydock/controllers/common.h"

namespace pintle::drydock {

struct Revisions {
  std::vector<Value> all;  // by revision number; the last is the update revision
  const Value& update() const { return all.back(); }
};

// Finds or makes the revision of owner.spec.template, as the newest; `hash_label` carries its hash.
Result<Revisions> sync_revisions(World& world, const Value& owner, std::string_view kind,
                                 std::string_view hash_label);
// Removes the oldest that no pod uses, beyond spec.revisionHistoryLimit.
Status trim_revisions(World& world, const Value& owner, const Revisions& revisions,
                      const std::vector<std::string>& in_use);
// The template a revision holds.
Value template_of(const Value& revision);

}  // namespace pintle::drydock
