// Arena: bytes that live until the next reset. Inside this room only.
#pragma once

#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace pintle::yaml {

class Arena {
 public:
  std::string_view copy(std::string_view s) {
    if (s.empty()) return {};
    if (s.size() > left_) grow(s.size());
    std::memcpy(at_, s.data(), s.size());
    std::string_view out(at_, s.size());
    at_ += s.size();
    left_ -= s.size();
    return out;
  }
  // What copy returned is gone.
  void reset() {
    if (blocks_.size() > 1) blocks_.erase(blocks_.begin() + 1, blocks_.end());
    if (blocks_.empty()) return;
    at_ = blocks_[0].get();
    left_ = kBlock;
  }

 private:
  static constexpr size_t kBlock = 16384;
  void grow(size_t n) {
    size_t size = n < kBlock ? kBlock : n;
    if (blocks_.empty() && size > kBlock) {  // the block that reset keeps has the common size
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(kBlock));
    }
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    at_ = blocks_.back().get();
    left_ = size;
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* at_ = nullptr;
  size_t left_ = 0;
};

}  // namespace pintle::yaml
