// Two lines of JSON: a Deployment as it stands and a change to it, through every kind of patch.
#include "json/json.h"
#include "patch/patch.h"

using namespace pintle;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  if (line == text.npos) return 0;
  const json::ReadOptions exact{json::Numbers::kExact};
  const auto a = json::read(text.substr(0, line), exact);
  const auto b = json::read(text.substr(line + 1), exact);
  if (!a || !b) return 0;
  const patch::Type* type = patch::type_of("apps", "v1", "Deployment");
  (void)patch::strategic_merge(*a, *b, type);
  (void)patch::merge_patch(*a, *b);
  (void)patch::json_patch(*a, *b);
  if (!a->is_map() || !b->is_map()) return 0;
  (void)patch::create_two_way_patch(*a, *b, type);
  (void)patch::create_three_way_patch(*a, *b, *a, type, false);
  (void)patch::create_three_way_merge_patch(*a, *b, *a);
  return 0;
}
