// Readers of what the API server sends bit by bit: watch frames and the items of a list.
//
// Bytes are fed as they come; complete values are pulled out, one at a time, so that the caller
// decides when it has had enough. Only the value under way is kept. A frame or an item longer than
// `max_value` is passed over, and what is given in its place is its metadata alone (cut()). Another
// part of a list that is longer is an error (kResourceExhausted), as is anything but JSON objects
// (kDataLoss).
// Finding where a value ends counts brackets outside of texts; Object::parse checks the inside.
// Not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pintle::informer {

// An object in etcd is 1.5 MiB at most, of which Go may write each byte as six (\u003c).
inline constexpr size_t kMaxValue = 16 << 20;

// Where a JSON value ends that starts at its first byte, over as many pieces as it takes.
class Extent {
 public:
  // Goes on from `at`; true when it has ended (`at` is then behind it).
  bool run(std::string_view bytes, size_t& at);

 private:
  size_t depth_ = 0;
  bool in_text_ = false, escaped_ = false;
};

class FrameReader {
 public:
  explicit FrameReader(size_t max_value = kMaxValue) : max_(max_value) {}
  void feed(std::string_view bytes);
  // The next complete frame, valid until the next call; nullopt: more bytes are needed.
  Result<std::optional<std::string_view>> next();
  bool inside() const { return begun_; }  // a frame has begun and is not complete
  // The last one was too long: what was given is {"metadata":...} of its object, or "" where that
  // does not stand within the first max_value bytes.
  bool cut() const { return cut_; }

 private:
  std::string buffer_, head_;
  size_t taken_ = 0, at_ = 0;
  bool begun_ = false, over_ = false, cut_ = false;
  Extent extent_;
  size_t max_;
};

// {"kind":"EventList","apiVersion":"v1","metadata":{...},"items":[{...},...]}, members in any
// order.
class ListReader {
 public:
  explicit ListReader(size_t max_value = kMaxValue) : max_(max_value) {}
  void feed(std::string_view bytes);
  Result<std::optional<std::string_view>> next();  // the next item
  bool done() const { return state_ == State::kDone; }
  bool cut() const { return cut_; }  // as FrameReader's

  // Complete when done().
  const std::string& kind() const { return kind_; }
  const std::string& resource_version() const { return version_; }
  const std::string& next_page() const { return continue_; }  // "": this is the last page
  int64_t remaining() const { return remaining_; }            // metadata.remainingItemCount; -1

 private:
  enum class State : uint8_t { kStart, kKey, kColon, kValue, kItem, kAfterItem, kAfter, kDone };
  Status member(std::string_view value);

  std::string buffer_, head_, key_, kind_, version_, continue_;
  int64_t remaining_ = -1;
  size_t begin_ = 0, at_ = 0;  // of the value under way, and how far it was read
  State state_ = State::kStart;
  bool begun_ = false, first_ = true, over_ = false, cut_ = false;
  Extent extent_;
  size_t max_;
};

}  // namespace pintle::informer
