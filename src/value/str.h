// Str: an immutable byte string of 16 bytes. Up to 14 bytes live inside; longer ones share one
// counted heap block, or are borrowed from an owner who outlives every copy. Copying never copies
// bytes. Bytes need not be UTF-8, may hold NUL; < 4 GiB.
//
// A string_view from view() points into the Str when it is short: it dies when that Str moves.
// Count is not atomic (base/ref.h): one thread at a time.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace pintle::value {

class Str {
 public:
  static constexpr size_t kInline = 14;

  Str() { std::memset(raw_, 0, sizeof raw_); }
  Str(std::string_view s);  // NOLINT: a string is what it holds
  Str(const char* s) : Str(std::string_view(s)) {}          // NOLINT
  Str(const std::string& s) : Str(std::string_view(s)) {}   // NOLINT
  Str(const Str& o) {
    std::memcpy(raw_, o.raw_, sizeof raw_);
    if (heap()) ++block()->count;
  }
  Str(Str&& o) noexcept {
    std::memcpy(raw_, o.raw_, sizeof raw_);
    std::memset(o.raw_, 0, sizeof raw_);
  }
  Str& operator=(Str o) noexcept {
    swap(o);
    return *this;
  }
  ~Str() {
    if (heap()) release();
  }
  void swap(Str& o) noexcept {
    char t[16];
    std::memcpy(t, raw_, 16);
    std::memcpy(raw_, o.raw_, 16);
    std::memcpy(o.raw_, t, 16);
  }

  // A string of n bytes that fill(char*) writes, in one allocation.
  template <typename Fill>
  static Str build(size_t n, Fill fill) {
    Str s;
    fill(s.reserve(n));
    return s;
  }
  static Str concat(std::string_view a, std::string_view b);
  // The bytes stay where they are: their owner must outlive this Str and all its copies.
  static Str borrow(std::string_view s);

  std::string_view view() const {
    if (size_t n = static_cast<uint8_t>(raw_[kLen]); n <= kInline) return {raw_, n};
    if (heap()) return {block()->bytes, block()->size};
    return {borrowed(), borrowed_size()};
  }
  operator std::string_view() const { return view(); }  // NOLINT
  size_t size() const { return view().size(); }
  bool empty() const { return size() == 0; }

  friend bool operator==(const Str& a, const Str& b) { return a.view() == b.view(); }
  friend bool operator==(const Str& a, std::string_view b) { return a.view() == b; }
  friend auto operator<=>(const Str& a, const Str& b) { return a.view() <=> b.view(); }

 private:
  friend class Value;
  struct Block {
    uint32_t count;
    uint32_t size;
    char bytes[1];
  };
  static constexpr size_t kLen = 14;
  static constexpr uint8_t kHeap = 0xff;
  static constexpr uint8_t kBorrowed = 0xfe;
  bool heap() const { return static_cast<uint8_t>(raw_[kLen]) == kHeap; }
  Block* block() const {
    Block* b;
    std::memcpy(&b, raw_, sizeof b);
    return b;
  }
  const char* borrowed() const {
    const char* p;
    std::memcpy(&p, raw_, sizeof p);
    return p;
  }
  uint32_t borrowed_size() const {
    uint32_t n;
    std::memcpy(&n, raw_ + sizeof(char*), sizeof n);
    return n;
  }
  void release();
  char* reserve(size_t n);  // on an empty Str: room for exactly n bytes

  // [0..13] bytes, or pointer (and size, when borrowed); [14] length, kHeap or kBorrowed; [15] left
  // to Value (its type tag).
  alignas(8) char raw_[16];
};

static_assert(sizeof(Str) == 16);

}  // namespace pintle::value
