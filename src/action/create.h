// helm create: a new chart directory from the built-in scaffold or a starter
// (helm pkg/chart/v2/util/create.go).
#pragma once

#include <string>

#include "action/context.h"
#include "base/result.h"

namespace pintle::action {

struct CreateOptions {
  std::string starter;      // "": the built-in scaffold; absolute path, or a name in starter_dir
  std::string starter_dir;  // $HELM_DATA_HOME/starters
  std::string api_version = "v2";  // --chart-api-version: "v2", "v3"
  bool chart_v3 = false;           // HELM_EXPERIMENTAL_CHART_V3: without it v3 is refused
};

// `name` may be a path; its base is the chart's name. Prints "Creating NAME" and, for files that
// exist already, "WARNING: File ... already exists. Overwriting." through context.out (chart v3: a
// WARN of context.log).
Status create(Context& context, const std::string& name, const CreateOptions& options = {});

}  // namespace pintle::action
