// TempPlace: an empty directory that the test runs in as long as this lives, for sinks whose paths are
// relative.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "sys/disk.h"

namespace pintle::lookout {

class TempPlace {
 public:
  TempPlace() {
    EXPECT_EQ(::chdir(here_.c_str()), 0);
  }
  ~TempPlace() {
    EXPECT_EQ(::chdir(before_.c_str()), 0);
    EXPECT_TRUE(sys::real_disk().remove_all(here_));
  }
  TempPlace(const TempPlace&) = delete;

 private:
  const std::string before_ = *sys::real_disk().working_dir();
  const std::string here_ = *sys::real_disk().make_temp_dir("pintle-lookout-");
};

}  // namespace pintle::lookout
