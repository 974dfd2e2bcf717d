// A structural schema and an object, one JSON text each, divided by a line break: pruned, defaulted
// and checked, by the schema's rules too.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "drydock/custom_rules.h"
#include "drydock/custom_schema.h"
#include "drydock/tree.h"
#include "json/json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pintle;
  using namespace pintle::drydock;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr json::ReadOptions kExact{.numbers = json::Numbers::kExact};
  size_t cut = text.find('\n');
  if (cut == std::string_view::npos) return 0;
  auto schema = json::read(text.substr(0, cut), kExact);
  auto object = json::read(text.substr(cut + 1), kExact);
  if (!schema || !object) return 0;
  Value version = empty_map();
  put(version, "name", "v1");
  put(ensure(version, "schema"), "openAPIV3Schema", *schema);
  Value crd = empty_map();
  push(ensure(crd, "spec"), "versions", version);
  std::vector<Cause> causes;
  validate_definition(crd, nullptr, causes);
  auto definition = parse_definition(crd);
  if (!definition) return 0;
  const CustomSchema* parsed = definition->versions[0].schema.get();
  std::vector<std::string> unknown;
  default_and_prune(*object, parsed, unknown);
  validate_custom(*object, parsed, causes);
  if (auto rules = parsed ? CustomRules::compile(*parsed) : nullptr) {
    std::vector<std::string> warnings;
    rules->validate(*object, nullptr, causes, &warnings);
    rules->validate(*object, &*object, causes, &warnings);
  }
  return 0;
}
