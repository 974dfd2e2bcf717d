// Values: coalescing chart defaults under user values, globals, dependencies' conditions, tags,
// aliases and import-values (helm pkg/chart/common/util and v2/util of 4.3.1; Helm 3 rules behind
// `helm3`). Results share maps and lists with their sources unless a line says otherwise, so
// sources are not to be changed in place afterwards. Theory and cost: coalesce.h.
#pragma once

#include <string>
#include <string_view>

#include "base/log.h"
#include "base/result.h"
#include "chart/chart.h"
#include "value/value.h"

namespace pintle::chart {

struct ValuesOptions {
  // Helm's warnings: what it prints through log.Printf is INFO, what it logs itself WARN. Helm 3
  // texts start with the place in its source ("coalesce.go:316: "), as it prints them.
  Log log;
  bool helm3 = false;  // defaults of null are kept
};

// CoalesceValues(chart, values) for templates: every map in the result is its own, except where
// Helm too shares one (tables inside globals), so that `set` is seen exactly where Helm's is.
// Error: "type mismatch on SUBCHART: ...".
Result<value::Value> coalesce_values(const Chart& chart, const value::Value& values,
                                     const ValuesOptions& options = {});
// MergeValues: the same, nulls kept. Shares with its sources.
Result<value::Value> merge_values(const Chart& chart, const value::Value& values,
                                  const ValuesOptions& options = {});
// CoalesceTables(dst, src): dst wins. A nil map on one side gives the other.
value::Value coalesce_tables(const value::Value& dst, const value::Value& src,
                             const ValuesOptions& options = {});
// loader.MergeMaps: b over a, nulls kept.
value::Value merge_maps(const value::Value& a, const value::Value& b);

// ProcessDependencies: aliases, tags, conditions, import-values; changes the chart in place.
Status process_dependencies(Chart& chart, const value::Value& values,
                            const ValuesOptions& options = {});

// Values.Table / Values.PathValue with Helm's error texts: "x" is not a table; "x" is not a value.
Result<value::Value> table(const value::Value& values, std::string_view dotted);
Result<value::Value> path_value(const value::Value& values, std::string_view dotted);

}  // namespace pintle::chart
