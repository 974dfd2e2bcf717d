// CloudEvents as anybody who holds a token may send them: what is read must be clean, bounded text with
// a key, and its data JSON. The first byte says how it comes: structured, in a batch, or binary.
#include <cstdint>
#include <cstdlib>

#include "base/gotext.h"
#include "json/json.h"
#include "lookout/api/cloud_events.h"
#include "lookout/observe.h"

using namespace pintle;
using namespace pintle::lookout;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::map<std::string, std::string> headers = {{"content-type", "application/cloudevents+json"}};
  if (data[0] % 3 == 1) headers["content-type"] = "application/cloudevents-batch+json";
  if (data[0] % 3 == 2) {
    const size_t line = body.find('\n');
    const std::string type(body.substr(0, line));
    headers = {{"content-type", "application/json"}, {"ce-specversion", "1.0"}, {"ce-id", type}, {"ce-source", type}, {"ce-type", type}};
    body.remove_prefix(line == body.npos ? body.size() : line + 1);
  }
  const auto events = read_cloud_events(headers, body, 1);
  if (!events) return 0;
  for (const Event& e : *events) {
    for (const std::string* text : {&e.reason, &e.message, &e.subject.kind, &e.subject.name, &e.subject.name_space, &e.release}) {
      if (!valid_utf8(*text) || clean_text(*text) != *text) abort();
    }
    if (e.dedup_key.empty() || e.time_ms <= 0 || !json::read(e.data)) abort();
  }
  return 0;
}
