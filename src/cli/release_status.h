// The status page of a release (helm pkg/cmd/status.go), as far as a dry run without a cluster has
// one.
#pragma once

#include <string>

#include "action/template.h"
#include "cli/command.h"

namespace pintle::cli {

struct DryRunStatus {
  const std::string& name;
  const std::string& namespace_;
  const chart::Chart& chart;
  const value::Value& user_values;
  const action::ClientRelease& release;
  bool hide_notes = false;
};
Result<std::string> dry_run_status(Session& s, const DryRunStatus& status);

// time.ANSIC in UTC: "Mon Jan _2 15:04:05 2006".
std::string ansic_time(int64_t unix_ns);

}  // namespace pintle::cli
