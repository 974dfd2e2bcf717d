#include "lookout/api/page.h"

#include <gtest/gtest.h>

namespace pintle::lookout {
namespace {

constexpr std::string_view kHostile = "<img src=x onerror=alert(1)>\"'&";

TEST(StatusPage, EscapesWhateverAClusterSays) {
  PageData d;
  const std::string bad(kHostile);
  RegionStatus r;
  r.config.name = r.config.environment = r.state = r.error = bad;
  d.regions = {r};
  Tracker::Release release;
  release.name = release.name_space = release.state = release.chart = release.who = bad;
  d.releases = {{bad, release}};
  StoredEvent e;
  e.region = e.event.type = e.event.release = e.event.message = e.event.subject.name = bad;
  d.events = {e};
  Delivery dead;
  dead.dead_reason = bad;
  d.dead = {dead};
  d.error = bad;
  const std::string page = status_page(d);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_NE(page.find("&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
}

TEST(StatusPage, AnEmptyServiceHasAPage) {
  const std::string page = status_page({});
  EXPECT_NE(page.find("No region is configured."), std::string::npos);
  EXPECT_TRUE(page.ends_with("</body></html>\n"));
}

}  // namespace
}  // namespace pintle::lookout
