#include "lookout/api/metrics.h"

#include <gtest/gtest.h>

namespace pintle::lookout {
namespace {

TEST(Metrics, NameEachSeriesOnce) {
  MetricsData d;
  RegionStatus a, b;
  a.config.name = "eu";
  a.state = "live";
  b.config.name = "us";
  d.regions = {a, b};
  d.written.waited[0] = 3;
  d.written.waited[5] = 1;
  d.written.waited_sum_ms = 2005;
  const std::string text = metrics_text(d);
  EXPECT_NE(text.find("lookout_region_live{region=\"eu\"} 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("lookout_region_live{region=\"us\"} 0\n"), std::string::npos);
  EXPECT_EQ(text.find("# TYPE lookout_region_live"), text.rfind("# TYPE lookout_region_live"));
  EXPECT_NE(text.find("lookout_commit_lag_seconds_bucket{le=\"+Inf\"} 4\n"), std::string::npos);
  EXPECT_NE(text.find("lookout_commit_lag_seconds_sum 2.005\n"), std::string::npos);
}

}  // namespace
}  // namespace pintle::lookout
