#include "action/create.h"

#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "chart/create.h"

namespace pintle::action {

Status create(Context& context, const std::string& name, const CreateOptions& options) {
  context.out(cat("Creating ", name, "\n"));
  const bool v3 = options.api_version == "v3";
  if (v3 && !options.chart_v3) {
    return Error(Code::kUnimplemented,
                 "this feature has been marked as experimental and is not enabled by default. "
                 "Please set HELM_EXPERIMENTAL_CHART_V3=1 in your environment to use this feature");
  }
  if (!options.api_version.empty() && options.api_version != "v2" && !v3) {
    return Error(Code::kInvalidArgument, cat("unsupported chart API version: ", options.api_version,
                                             " (supported: v2, v3)"));
  }
  const std::string base(path::base(name)), parent = path::dir(name);
  if (options.starter.empty()) {
    const auto overwriting = [&](const std::string& path) {
      if (v3) return context.log("WARN", "Overwriting existing file", {{"file", path}});
      context.out(cat("WARNING: File ", quote(path), " already exists. Overwriting.\n"));
    };
    return chart::create(context.disk, base, parent, overwriting,
                         v3               ? chart::Scaffold::kChartV3
                         : context.helm3 ? chart::Scaffold::kHelm3
                                          : chart::Scaffold::kHelm4);
  }
  chart::Metadata metadata;
  metadata.name = base;
  metadata.description = "A Helm chart for Kubernetes";
  metadata.type = "application";
  metadata.version = "0.1.0";
  metadata.app_version = "0.1.0";
  metadata.api_version = v3 ? "v3" : "v2";
  const std::string starter = path::is_abs(options.starter)
                                  ? options.starter
                                  : path::join({options.starter_dir, options.starter});
  chart::LoadOptions load;
  load.log = context.log;
  load.helm3 = context.helm3;
  return chart::create_from(context.disk, metadata, parent, starter, context.clock.now_ns(), load);
}

}  // namespace pintle::action
