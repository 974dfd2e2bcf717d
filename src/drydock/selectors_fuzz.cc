// Label and field selectors of any bytes: parsing ends, and what was parsed can be asked.
#include <cstdint>
#include <string_view>

#include "drydock/selectors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const pintle::drydock::Pairs labels = {{"app", "web"}, {"n", "3"}};
  if (auto selector = pintle::drydock::parse_label_selector(text)) (void)selector->matches(labels);
  if (auto selector = pintle::drydock::parse_field_selector(text)) (void)selector->matches("default", "web", labels);
  return 0;
}
