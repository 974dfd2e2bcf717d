// CHECK: for our own bugs, never for outside input. Prints file:line and aborts.
#pragma once

namespace pintle::detail {
[[noreturn]] void check_failed(const char* file, int line, const char* what);
}

#define CHECK(cond) \
  ((cond) ? (void)0 : ::pintle::detail::check_failed(__FILE__, __LINE__, #cond))
#ifdef NDEBUG
#define DCHECK(cond) ((void)0)
#else
#define DCHECK(cond) CHECK(cond)
#endif
