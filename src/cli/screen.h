// Screen: a picture of a few lines at the bottom of a terminal, redrawn in place, cut to the
// terminal's size, and gone when it must be. Whoever writes anything else to the terminal hides it
// first; the next `show` draws it below. Thread-safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/mutex.h"

namespace pintle::cli {

struct ScreenSize {
  size_t columns = 80, rows = 24;
};

class Screen {
 public:
  // `size` is asked at every drawing: terminals are resized.
  Screen(std::function<void(std::string_view)> write, std::function<ScreenSize()> size)
      : write_(std::move(write)), size_(std::move(size)) {}

  // Lines without escape sequences; "" shows nothing. Control characters are left out.
  void show(std::string_view picture);
  void hide() { show(""); }

 private:
  const std::function<void(std::string_view)> write_;
  const std::function<ScreenSize()> size_;
  Mutex mutex_;
  size_t lines_ GUARDED_BY(mutex_) = 0;  // of the picture that is on the terminal
};

// The first `columns` columns of a line, "..." at its end when something was cut off. Counts
// characters, East Asian ones as two.
std::string cut_line(std::string_view line, size_t columns);

}  // namespace pintle::cli
