// The cluster side of the world: objects, and the records of releases. Made when a command first
// needs it, so that the others never load the HTTP library.
#pragma once

#include <memory>
#include <string>

#include "action/releases.h"
#include "cli/command.h"
#include "cli/flag_groups.h"
#include "cli/wait_view.h"
#include "kube/cluster.h"
#include "kube/rest.h"
#include "storage/driver.h"

namespace pintle::cli {

struct ClusterWorld {
  std::unique_ptr<kube::Rest> rest;  // null where there is no server behind it
  std::unique_ptr<kube::Cluster> cluster;
  std::unique_ptr<storage::Driver> releases;
  std::unique_ptr<WaitView> view;  // null where nobody watches
};

// What HELM_DRIVER and the kubeconfig say, or what Env::open_cluster gives instead. Sends nothing
// yet. `all_namespaces`: records of every namespace.
Result<std::unique_ptr<ClusterWorld>> open_cluster(Session& s, bool all_namespaces = false);

// Helm chooses its storage before any command runs: a driver that nobody knows, or records for
// HELM_DRIVER=memory that cannot be read, end them all. The error is the line it logs.
Status check_driver(const Session& s);

// A Context over it, which outlives neither.
action::Context release_context(Session& s, ClusterWorld& world);

// Gives a context a cluster it did not start with.
void attach(action::Context& context, ClusterWorld& world);

// From now on interrupts end what the context is used for, not the program.
void catch_interrupts(Session& s, action::Context& context);

// Runs what the user may interrupt: the context gets the flag, and if it was set, stdout says that
// the release has been cancelled.
template <typename Work>
auto interruptible(Session& s, action::Context& context, const std::string& name, Work work) {
  catch_interrupts(s, context);
  auto result = work();
  if (action::cancelled(context)) s.print("Release " + name + " has been cancelled.\n");
  return result;
}

// lookup for templates that render with a cluster at hand.
render::Environment cluster_environment(kube::Cluster& cluster);

// The namespaces of the cluster, for completion.
Result<Strings> namespaces(ClusterWorld& world);

kube::WaitStrategy wait_strategy(const WaitFlag& flag);
int64_t milliseconds(Duration d);
inline action::DryRun to_action(DryRun d) { return static_cast<action::DryRun>(d); }

}  // namespace pintle::cli
