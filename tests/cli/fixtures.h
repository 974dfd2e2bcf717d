// The releases that a recorded case starts from, and the chart it upgrades to (helm4-cli.md 8.2).
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "release/record.h"
#include "value/value.h"

namespace pintle::clitest {

// Rows are releases by Go's field names, with {"unix": N} for times, or {"mock": {...}}: Helm's
// mock release, with a few fields of its own.
Result<std::vector<release::Record>> read_releases(const value::Value& rows);

// DIRECTORY/testUpgradeChart, which the upgrades' releases are older versions of.
void write_upgrade_chart(const std::filesystem::path& directory);

}  // namespace pintle::clitest
