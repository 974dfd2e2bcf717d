// Coalescer: one pass of Helm's coalescing, with Helm's aliasing but without its copies.
//
// Helm deep-copies the user's values and every chart's defaults, then merges in place. Where its
// code hands one map to two places (tables inside globals go from parent to child by reference) a
// later merge is seen in both, and charts depend on it. We keep that and drop the copying: a pass
// owns the maps it made; any other map is frozen and is copied, one level, just before it is
// changed or handed to a second place ("thawed"). Tables are merged as two sorted arrays.
// Cost of a pass: what the two sides have in common, plus the top level of each chart's defaults,
// plus one look at each default table for nulls; what only one side has is shared.
//
// Inside this room only. A pass belongs to one thread.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "chart/chart.h"
#include "chart/values.h"
#include "value/value.h"

namespace pintle::chart {

class Coalescer {
 public:
  explicit Coalescer(const ValuesOptions& options) : options_(options) {}

  // The pass over a chart and its subcharts. merge: nulls are kept (MergeValues).
  Result<value::Value> run(const Chart& chart, const value::Value& values, bool merge);

  // dst over src, into dst. Where src stays in use (`live`: its maps belong to this pass), Helm's
  // traces in it are reproduced: nulls copied into it, tables shared with it.
  void merge_tables(value::Map& dst, const value::Value& src, bool merge, bool live);

  // The map of a slot that holds a table, thawed. Never null.
  value::Map* own(value::Value& slot);
  Ref<value::Map> make();  // a new map of this pass

  // Makes every map below `top` the pass's own.
  void separate(value::Map& top);

 private:
  struct Path {  // the dotted prefix of warnings; built only when one is due
    const Path* up;
    std::string_view name;
    std::string text() const;
  };

  bool owned(const value::Map* map) const { return owned_.contains(map); }
  value::Value own_lists(const value::Value& v);
  void warn(std::string_view helm3_place, std::string text) const;

  Status chart_and_subcharts(const Chart& chart, value::Map& dest, const Path* prefix, bool merge);
  void defaults(const Chart& chart, value::Map& dest, const Path* prefix, bool merge);
  Status subcharts(const Chart& chart, value::Map& dest, const Path* prefix, bool merge);
  void globals(value::Map& dest, value::Map& src, const Path* prefix);
  void tables(value::Map& dst, value::Map* src, const Path* prefix, bool merge, bool live);

  const ValuesOptions& options_;
  std::unordered_set<const void*> owned_;
  std::unordered_set<const value::Map*> separated_;
  std::vector<value::Value> kept_;  // owned maps and lists: an address in owned_ is never reused
};

}  // namespace pintle::chart
