// Searching the cached indexes (helm pkg/cmd/search): every chart, or every version of it, is a
// line of fields; a match is better the earlier the field it starts in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/repositories.h"

namespace pintle::cli {

struct ChartHit {
  std::string name;  // "repository/chart"
  int score = 0;
  ChartVersion chart;
};

class ChartSearch {
 public:
  // The newest version of each chart, or all of them.
  void add(const std::string& repository, const std::vector<IndexedChart>& index, bool all);

  // Best first: by score, name, newest version. An empty term finds everything.
  Result<std::vector<ChartHit>> find(std::string_view term, bool regexp) const;

 private:
  struct Line {
    std::string text;
    ChartHit hit;
  };
  std::vector<Line> lines_;
};

// Hits whose version satisfies the constraint; only the first of each name unless `all`.
Result<std::vector<ChartHit>> constrain(std::vector<ChartHit> hits, const std::string& constraint,
                                        bool all);

}  // namespace pintle::cli
