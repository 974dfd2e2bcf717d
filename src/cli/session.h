// From a session to what actions want: a Context, the values, a chart's path.
#pragma once

#include <string>

#include "action/context.h"
#include "cli/command.h"
#include "cli/flag_groups.h"
#include "value/value.h"

namespace pintle::cli {

action::Context action_context(Session& s);

// The merged -f and --set values.
Result<value::Value> user_values(Session& s, action::Context& context,
                                 const action::UserValues& user);

// The chart's absolute path on disk (helm LocateChart): a local path, or what a repository or
// registry gives.
Result<std::string> locate_chart(Session& s, const ChartPathFlags& flags, std::string_view name);

// --version, or with --devel the range that takes pre-releases in.
std::string chart_version(const ChartPathFlags& flags, bool devel);

// The optional CHART argument of the dependency commands: "." when absent, cleaned.
std::string chart_directory(const Strings& args);

// SOURCE_DATE_EPOCH of the environment.
Result<std::optional<int64_t>> source_date_epoch(const Session& s);

}  // namespace pintle::cli
