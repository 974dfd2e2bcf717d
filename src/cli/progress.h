// Progress: one line on the terminal while something takes long, gone when it ends. Without a
// terminal on stderr it does nothing at all, so that pipes and logs never see it.
#pragma once

#include <memory>
#include <string>

#include "cli/command.h"

namespace pintle::cli {

class Progress {
 public:
  // `what`: "rendering mychart". Shown after half a second, with the seconds that have passed.
  Progress(const Session& session, std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  struct Ticker;
  std::unique_ptr<Ticker> ticker_;  // null: nobody watches
};

}  // namespace pintle::cli
