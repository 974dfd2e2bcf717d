#include "cli/printing_cluster.h"

#include "render/render.h"

namespace pintle::cli {

Result<kube::Version> PrintingCluster::version() {
  const render::KubeVersion parsed = TRY(render::parse_kube_version(kube_version_));
  return kube::Version{parsed.version, parsed.major, parsed.minor};
}

Result<std::vector<std::string>> PrintingCluster::api_versions() {
  return render::default_capabilities().api_versions;
}

Result<value::Value> PrintingCluster::lookup(std::string_view, std::string_view, std::string_view,
                                             std::string_view) {
  return value::Value::map(value::make_map());
}

}  // namespace pintle::cli
