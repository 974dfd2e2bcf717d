// What install, template and upgrade do before anything is rendered: name, chart, values,
// dependencies (helm pkg/cmd/install.go runInstall).
#pragma once

#include <memory>
#include <string>

#include "action/releases.h"
#include "action/template.h"
#include "chart/chart.h"
#include "cli/cluster.h"
#include "cli/flag_groups.h"
#include "cli/session.h"

namespace pintle::cli {

// A chart to release, as the command line names it.
struct ChartRequest {
  std::string_view reference;
  const ChartPathFlags& where;
  const action::UserValues& values;
  bool devel = false;
  bool dependency_update = false;
  bool of_install = false;  // refuses library charts, and says where the chart is
};
struct LoadedChart {
  std::unique_ptr<chart::Chart> chart;
  value::Value values;
};
Result<LoadedChart> load_chart(Session& s, action::Context& context, const ChartRequest& request);

struct PreparedInstall {
  std::string name;
  std::unique_ptr<chart::Chart> chart;
  value::Value values;
};
// `fixed_name`: the release's name where none is given ("" for install).
Result<PreparedInstall> prepare_install(Session& s, action::Context& context,
                                        const InstallFlags& flags, const std::string& fixed_name);

// open_cluster and attach, for an install: what cannot be reached is told as install tells it.
Result<std::unique_ptr<ClusterWorld>> open_to_install(Session& s, action::Context& context);

// The options of an install from the flags; rendering options as below.
action::InstallOptions install_options(Session& s, const InstallFlags& flags,
                                       const std::string& name);

// The options of a rendering without a cluster, from the flags.
action::ClientInstallOptions client_install_options(Session& s, const InstallFlags& flags,
                                                    const std::string& name);

}  // namespace pintle::cli
