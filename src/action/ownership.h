// Whose an object is: the label and annotations by which Helm knows its own (helm
// pkg/action/validate.go).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/cluster.h"
#include "value/value.h"

namespace pintle::action {

struct Owner {
  std::string_view release, namespace_;
};

// Marks every object as the release's. Changes the trees in place.
void mark_owned(kube::Objects& objects, const Owner& owner);

// Error: "invalid ownership metadata; label validation error: ...".
Status check_owned(const value::Value& live, const Owner& owner);

// Those of the objects that exist already. Without `take`, one that is somebody else's is an error:
// "KIND \"NAME\" in namespace \"NS\" exists and cannot be imported into the current release: ...".
Result<kube::Objects> existing(kube::Cluster& cluster, const kube::Objects& objects,
                               const Owner& owner, bool take);

struct Ownership {
  kube::Objects owned, foreign;
  struct Unknown {
    kube::Object object;
    std::string error;
  };
  std::vector<Unknown> unknown;
};
// What of these an uninstall may delete; what is gone already is in none of the lists.
Ownership sort_by_owner(kube::Cluster& cluster, const kube::Objects& objects, const Owner& owner);

}  // namespace pintle::action
