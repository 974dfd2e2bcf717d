// Events as a hostile cluster may write them: what is read must be clean, bounded text that the
// default rules can be asked about.
#include <cstdint>
#include <cstdlib>

#include "base/gotext.h"
#include "lookout/observe.h"
#include "lookout/rules/rules.h"

using namespace pintle;
using namespace pintle::lookout;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Rules rules = [] {
    auto compiled = Rules::compile(Rules::defaults());
    if (!compiled) abort();
    return std::move(*compiled);
  }();
  const auto event = parse_kube_event({reinterpret_cast<const char*>(data), size});
  if (!event) return 0;
  for (const std::string* text : {&event->message, &event->reason, &event->involved.name,
                                  &event->involved.kind, &event->uid, &event->component}) {
    if (!valid_utf8(*text) || clean_text(*text) != *text) abort();
  }
  if (event->count < 1 || event->time_ms() < 0) abort();
  const auto hit = rules.match(*event, "cluster", "region", {}, "1");
  if (hit.rule != nullptr && hit.rule->type.empty()) abort();
  return 0;
}
