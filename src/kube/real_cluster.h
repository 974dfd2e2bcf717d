// The Cluster behind which a real API server stands.
#pragma once

#include <memory>
#include <string>

#include "base/log.h"
#include "kube/cluster.h"
#include "kube/rest.h"
#include "sys/clock.h"
#include "sys/disk.h"

namespace pintle::kube {

struct ClusterSettings {
  std::string ns = "default";   // what objects without a namespace get
  std::string cache_directory;  // kubectl's: $KUBECACHEDIR, else ~/.kube/cache; "": none
  Log log = {};
  sys::Disk& disk = sys::real_disk();
  sys::Clock& clock = sys::real_clock();
};

// `rest` must outlive the cluster. Sends nothing yet.
std::unique_ptr<Cluster> make_cluster(Rest& rest, ClusterSettings settings);

}  // namespace pintle::kube
