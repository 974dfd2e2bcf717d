// helm package: a chart directory into NAME-VERSION.tgz (helm pkg/action/package.go).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "action/context.h"
#include "base/result.h"

namespace pintle::action {

struct PackageOptions {
  std::string version;      // replaces the chart's version
  std::string app_version;  // replaces its appVersion
  std::string destination = ".";
  std::optional<int64_t> source_date_epoch;  // unix seconds: stamps every member
  // --sign: called with the archive's path once it is written.
  std::function<Status(const std::string& archive)> sign;
};

// Packages the chart in directory `path`. Returns the archive's path as Helm prints it. Nothing is
// left behind on failure.
Result<std::string> package(Context& context, const std::string& path,
                            const PackageOptions& options = {});

// SOURCE_DATE_EPOCH's text; "" is none. Error: "invalid SOURCE_DATE_EPOCH: ...".
Result<std::optional<int64_t>> parse_source_date_epoch(std::string_view text);

}  // namespace pintle::action
