#include "cli/world.h"

#include "base/strings.h"
#include "cli/tree.h"

namespace pintle::cli {

Error needs_cluster(std::string_view what) {
  return Error(Code::kUnimplemented,
               cat(what,
                   " needs a connection to a Kubernetes cluster, which this build of pintle "
                   "cannot make yet"));
}

Error needs_network(std::string_view what) {
  return Error(
      Code::kUnimplemented,
      cat(what, " needs a network connection, which this build of pintle cannot make yet"));
}

Error needs_world(const Session& session) {
  const std::string what = "\"" + command_path(*session.node) + "\"";
  switch (session.node->command->needs) {
    case Needs::kCluster:
      return needs_cluster(what);
    case Needs::kNetwork:
      return needs_network(what);
    default:
      return Error(Code::kUnimplemented, cat(what, " is not part of this build of pintle"));
  }
}

}  // namespace pintle::cli
