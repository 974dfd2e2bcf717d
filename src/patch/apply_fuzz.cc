// Structured merge of outside bytes: a kind's live object and what is applied to it, one JSON text
// each, divided by a line break; then the FieldsV1 alone. Nothing may crash, and what is written
// must read back.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "json/json.h"
#include "patch/apply.h"
#include "patch/field_set.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pintle;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr json::ReadOptions kExact{.numbers = json::Numbers::kExact};
  size_t cut = text.find('\n');
  auto first = json::read(text.substr(0, cut), kExact);
  if (!first) return 0;
  if (auto set = patch::read_fields(*first)) {
    auto again = patch::read_fields(patch::write_fields(*set));
    CHECK(again.has_value() && *again == *set);
  }
  if (cut == std::string_view::npos) return 0;
  auto second = json::read(text.substr(cut + 1), kExact);
  if (!second) return 0;
  patch::Manager manager;
  manager.name = "kubectl";
  manager.api_version = "v1";
  manager.time = "2026-01-01T00:00:00Z";
  for (const patch::Type* type : {patch::type_of("", "v1", "Service"),
                                  static_cast<const patch::Type*>(nullptr)}) {
    (void)patch::apply(*first, *second, type, manager, false);
    (void)patch::apply(value::Value(), *second, type, manager, true);
    (void)patch::update(*first, *second, type, manager);
  }
  return 0;
}
