// Ref<T>: intrusive shared pointer with a plain (not atomic) count.
//
// For the value tree, where one thread at a time owns a whole tree: copying must cost an increment.
// Hand a tree to another thread by move, never by a copy that stays behind.
#pragma once

#include <cstdint>
#include <utility>

namespace pintle {

class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) : count_(0) {}
  RefCounted& operator=(const RefCounted&) { return *this; }
  uint32_t use_count() const { return count_; }

 private:
  template <typename T>
  friend class Ref;
  friend struct RefAccess;
  mutable uint32_t count_ = 0;
};

struct RefAccess {  // for value::Value, which holds its pointer in a union
  static void retain(const RefCounted* p) { ++p->count_; }
  static bool release(const RefCounted* p) { return --p->count_ == 0; }
};

template <typename T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}  // NOLINT
  explicit Ref(T* p) : p_(p) {
    if (p_) ++p_->count_;
  }
  Ref(const Ref& o) : Ref(o.p_) {}
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  template <typename U>
  Ref(const Ref<U>& o) : Ref(o.get()) {}  // NOLINT: derived to base, as shared_ptr
  ~Ref() { drop(); }
  Ref& operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }

  template <typename... A>
  static Ref make(A&&... a) {
    return Ref(new T(std::forward<A>(a)...));
  }

  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.p_ == b.p_; }

  T* leak() { return std::exchange(p_, nullptr); }           // the count moves with the pointer
  static Ref adopt(T* p) { Ref r; r.p_ = p; return r; }      // takes over a leaked count

 private:
  void drop() {
    if (p_ && --p_->count_ == 0) delete p_;
  }
  T* p_ = nullptr;
};

}  // namespace pintle
