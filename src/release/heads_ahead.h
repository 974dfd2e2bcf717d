// HeadsAhead: reads the heads of rendered files on a second thread while the caller goes on
// rendering: to sort manifests each of their documents is parsed, which is a quarter to a third of
// the time a chart takes.
//
// The thread starts once there is work worth it, and not on a machine with one processor. Texts that
// were added must stay where they are until the destructor, which waits for the one being read.
// Used by one thread; sort_manifests takes what is there and reads the rest itself.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

namespace pintle::release {

struct Documents;  // head.h

class HeadsAhead {
 public:
  explicit HeadsAhead(bool helm3);
  ~HeadsAhead();
  // Texts too short to stay in place when their string is moved are passed over.
  void add(std::string_view file);
  // Once for each file. Nothing when it was not added or is not begun: the caller reads it.
  std::optional<Documents> take(std::string_view file);

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace pintle::release
