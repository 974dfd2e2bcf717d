// Objects as a hostile cluster may hold them: what is JSON must stay JSON when it is condensed, and
// the tracker must take it whatever kind it is said to be.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "lookout/track/release_payload.h"
#include "lookout/track/tracker.h"

using namespace pintle;
using namespace pintle::lookout;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto before = json::read(text, {json::Numbers::kExact});
  // The same bytes as the payload of Helm 2.
  (void)condense_release(cat(R"({"metadata":{"labels":{"OWNER":"TILLER"}},"data":{"release":")",
                             crypt::base64_encode(text), R"("}})"));
  for (const auto& made : {condense_release(text), trim_managed_fields(text)}) {
    if (before && before->is_map() && !made) abort();
    if (before && made && !json::read(*made, {json::Numbers::kExact})) abort();
  }
  Tracker tracker("c");
  const auto trimmed = trim_managed_fields(text);
  if (trimmed) (void)tracker.observe("deployments.apps", Change::kAdded, *trimmed, false, 1'000'000);
  for (const char* resource : {"secrets", "configmaps", "pods", "deployments.apps", "jobs.batch",
                               "rollouts.argoproj.io", "applications.argoproj.io"}) {
    for (const Change change : {Change::kAdded, Change::kModified, Change::kDeleted}) {
      (void)tracker.observe(resource, change, text, false, 1'000'000);
    }
  }
  (void)tracker.tick(INT64_MAX / 2);
  return 0;
}
