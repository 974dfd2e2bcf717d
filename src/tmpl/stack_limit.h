// How much C stack a recursion may use: measured, so that it holds for every mix of nested blocks,
// includes and functions, in every build. Inside this room only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pintle::tmpl {

class StackLimit {
 public:
  // Half of the usual 8 MiB: the rest belongs to callers and to what a function needs below us.
  // AddressSanitizer's frames are several times as large; it runs with `ulimit -s 65536`.
#if __has_feature(address_sanitizer)
  static constexpr size_t kBytes = size_t{32} << 20;
#else
  static constexpr size_t kBytes = size_t{4} << 20;
#endif

  StackLimit() : base_(here()) {}
  bool exceeded() const {
    uintptr_t now = here();
    return (now < base_ ? base_ - now : now - base_) > kBytes;
  }

 private:
  static uintptr_t here() { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); }
  uintptr_t base_;
};

}  // namespace pintle::tmpl
