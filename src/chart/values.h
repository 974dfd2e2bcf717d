// Values: coalescing chart defaults under user values, globals, dependencies' conditions, tags,
// aliases and import-values (helm pkg/chart/common/util and v2/util of 4.3.1; Helm 3 rules behind
// `helm3`). Maps are shared, never copied, except where Helm's own result needs a separate one.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "chart/chart.h"
#include "value/value.h"

namespace pintle::chart {

struct ValuesOptions {
  std::function<void(const std::string& message)> warn;  // Helm's log.Printf lines; may be empty
  std::function<void(const std::string& message)> log_warn;  // slog WARN lines; may be empty
  bool helm3 = false;
};

// CoalesceValues / MergeValues(chart, values): the result is a new map.
Result<value::Value> coalesce_values(const Chart& chart, const value::Value& values,
                                     const ValuesOptions& options = {});
Result<value::Value> merge_values(const Chart& chart, const value::Value& values,
                                  const ValuesOptions& options = {});
// CoalesceTables(dst, src): dst wins; dst is changed and returned.
value::Value coalesce_tables(value::Value dst, const value::Value& src,
                             const ValuesOptions& options = {});
// loader.MergeMaps: b over a, nulls kept.
value::Value merge_maps(const value::Value& a, const value::Value& b);

// ProcessDependencies: aliases, tags, conditions, import-values; changes the chart in place.
Status process_dependencies(Chart& chart, const value::Value& values,
                            const ValuesOptions& options = {});

// Values.Table / Values.PathValue with Helm's error texts.
Result<value::Value> table(const value::Value& values, std::string_view dotted);
Result<value::Value> path_value(const value::Value& values, std::string_view dotted);

}  // namespace pintle::chart
