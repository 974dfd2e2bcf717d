#include "value/str.h"

#include <cstddef>
#include <cstdlib>

#include "base/check.h"

namespace pintle::value {

char* Str::reserve(size_t n) {
  if (n <= kInline) {
    raw_[kLen] = static_cast<char>(n);
    return raw_;
  }
  CHECK(n < UINT32_MAX);
  auto* b = static_cast<Block*>(std::malloc(offsetof(Block, bytes) + n));
  CHECK(b != nullptr);
  b->count = 1;
  b->size = static_cast<uint32_t>(n);
  std::memcpy(raw_, &b, sizeof b);
  raw_[kLen] = static_cast<char>(kHeap);
  return b->bytes;
}

Str::Str(std::string_view v) : Str() {
  if (!v.empty()) std::memcpy(reserve(v.size()), v.data(), v.size());
}

Str Str::borrow(std::string_view s) {
  if (s.size() <= kInline) return Str(s);
  CHECK(s.size() < UINT32_MAX);
  Str out;
  const char* p = s.data();
  auto n = static_cast<uint32_t>(s.size());
  std::memcpy(out.raw_, &p, sizeof p);
  std::memcpy(out.raw_ + sizeof p, &n, sizeof n);
  out.raw_[kLen] = static_cast<char>(kBorrowed);
  return out;
}

Str Str::concat(std::string_view a, std::string_view b) {
  return build(a.size() + b.size(), [&](char* p) {
    if (!a.empty()) std::memcpy(p, a.data(), a.size());
    if (!b.empty()) std::memcpy(p + a.size(), b.data(), b.size());
  });
}

void Str::release() {
  Block* b = block();
  if (--b->count == 0) std::free(b);
}

}  // namespace pintle::value
