// .helmignore text against a few paths: must neither crash nor take long.
#include <cstdint>

#include "chart/ignore.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 4096) return 0;
  const auto rules = pintle::chart::IgnoreRules::parse({reinterpret_cast<const char*>(data), size});
  if (!rules) return 0;
  for (const char* path : {"Chart.yaml", "templates/a/b.yaml", "charts", "x/ünï"}) {
    (void)rules->ignores(path, false);
    (void)rules->ignores(path, true);
  }
  return 0;
}
