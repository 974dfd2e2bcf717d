// DynLib: a shared library opened when it is first needed, so that starting the program does not
// pay for it (libcurl, libpq). Handles stay open for the life of the process.
#pragma once

#include <initializer_list>

#include "base/result.h"

namespace pintle::sys {

class DynLib {
 public:
  // The first of `names` that opens ("libcurl.so.4"). Error: the loader's text for the last one.
  static Result<DynLib> open(std::initializer_list<const char*> names);

  // Null when the library has no such symbol.
  void* symbol(const char* name) const;
  template <typename F>
  F* function(const char* name) const {
    return reinterpret_cast<F*>(symbol(name));
  }

 private:
  explicit DynLib(void* handle) : handle_(handle) {}
  void* handle_;
};

}  // namespace pintle::sys
