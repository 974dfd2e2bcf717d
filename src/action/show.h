// helm show: prints parts of a chart as they stand in it (helm pkg/action/show.go).
#pragma once

#include <string>

#include "action/context.h"
#include "base/result.h"

namespace pintle::action {

enum class ShowPart : uint8_t { kAll, kChart, kValues, kReadme, kCrds };

struct ShowOptions {
  ShowPart part = ShowPart::kAll;
  std::string jsonpath;  // values only; Kubernetes JSONPath template
};

// `chart_path`: a chart directory or archive (already located). The text goes to stdout as it is.
Result<std::string> show(Context& context, const std::string& chart_path,
                         const ShowOptions& options = {});

}  // namespace pintle::action
