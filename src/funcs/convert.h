// How Sprig reads a value as text, number or list, and the bounds on what one call may make.
// Inside this room only. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "value/func.h"
#include "value/value.h"

namespace pintle::funcs {

// Sprig's strval: strings and []byte as they are, everything else as %v.
value::Str to_str(const value::Value& v);
value::Value to_string_value(const value::Value& v);  // shares the string when v is one
void append_str(std::string& out, const value::Value& v);

// spf13/cast: what cannot be read is 0. Strings: Go integer syntax with a tail of ".000" cut off;
// floats truncate toward zero, and to the smallest int64 when out of range.
int64_t to_int64(const value::Value& v);
double to_float64(const value::Value& v);

inline bool empty(const value::Value& v) { return !value::truth(v); }

// The elements of anything that reflect calls a slice; null otherwise. []byte elements and copies
// live in this object.
class Elements {
 public:
  explicit Elements(const value::Value& v);
  explicit operator bool() const { return is_list_; }
  std::span<const value::Value> items() const { return items_; }
  size_t size() const { return items_.size(); }
  const value::Value& operator[](size_t i) const { return items_[i]; }

 private:
  bool is_list_ = true;
  std::span<const value::Value> items_;
  std::vector<value::Value> owned_;
};

// Sprig's strslice as []string: nil elements dropped, a scalar is a list of one, nil is empty.
value::Value to_string_list(const value::Value& v);

// What reflect.TypeOf(nil).Kind() ends in.
inline constexpr std::string_view kNilPointer =
    "runtime error: invalid memory address or nil pointer dereference";

// A template can ask for any size; one result may hold this much, so that a chart stays within
// 256 MiB. Go has no such bounds: it ends in "out of memory".
inline constexpr size_t kMaxBytes = size_t{16} << 20;
inline constexpr size_t kMaxItems = size_t{1} << 20;
bool fail_size(value::Call& call);   // "result is larger than 16777216 bytes"
bool fail_items(value::Call& call);  // "result has more than 1048576 elements"
// Call::steps
inline constexpr uint64_t kStepsInAMillisecond = 33'000;

// As find, in linear time whatever the texts; one longer than kShortText is slower to look for.
inline constexpr size_t kShortText = 64;
size_t find_text(std::string_view s, std::string_view what, size_t from = 0);
inline constexpr int kMaxDepth = 2000;  // of maps merged or copied; a map may hold itself

}  // namespace pintle::funcs
