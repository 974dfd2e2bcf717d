#include "sys/dynlib.h"

#include <dlfcn.h>

#include <string>

namespace pintle::sys {

Result<DynLib> DynLib::open(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (void* handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return DynLib(handle);
  }
  const char* why = ::dlerror();
  return Error(Code::kUnavailable, why ? why : "no library named");
}

void* DynLib::symbol(const char* name) const { return ::dlsym(handle_, name); }

}  // namespace pintle::sys
