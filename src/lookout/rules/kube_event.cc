#include <algorithm>

#include "json/json.h"
#include "lookout/fields.h"
#include "lookout/observe.h"
#include "lookout/rules/rules.h"

namespace pintle::lookout {
namespace {

constexpr size_t kTextLimit = 32 << 10;
constexpr size_t kNameLimit = 1 << 10;

std::string name_at(const value::Value& v, Path path) {
  return clean_text(text_at(v, path), kNameLimit);
}

// The first of the places that holds something: core/v1 and events.k8s.io/v1 name it differently.
std::string first_name(const value::Value& v, Path core, Path newer) {
  std::string out = name_at(v, core);
  return out.empty() ? name_at(v, newer) : out;
}

int64_t first_time(const value::Value& v, Path core, Path newer) {
  const int64_t ms = time_at(v, core);
  return ms != 0 ? ms : time_at(v, newer);
}

}  // namespace

int64_t KubeEvent::time_ms() const {
  for (const int64_t ms : {series_ms, last_ms, event_ms, created_ms}) {
    if (ms != 0) return ms;
  }
  return 0;
}

Result<KubeEvent> parse_kube_event(std::string_view json) {
  const value::Value v = TRY(json::read(json, {json::Numbers::kExact}));
  const value::Value* core = value_at(v, {"involvedObject"});
  const value::Value* newer = value_at(v, {"regarding"});
  const value::Value* involved = core != nullptr && core->is_map() ? core : newer;
  if (involved == nullptr || !involved->is_map()) {
    return Error("no Event: it says nothing about an object", Code::kInvalidArgument);
  }
  KubeEvent e;
  e.uid = name_at(v, {"metadata", "uid"});
  e.version = name_at(v, {"metadata", "resourceVersion"});
  e.name_space = name_at(v, {"metadata", "namespace"});
  e.name = name_at(v, {"metadata", "name"});
  const std::string_view api = text_at(*involved, {"apiVersion"});
  const size_t slash = api.find('/');
  if (slash != std::string_view::npos) e.involved.group = clean_text(api.substr(0, slash), 253);
  e.involved.version =
      clean_text(slash == std::string_view::npos ? api : api.substr(slash + 1), 253);
  e.involved.kind = name_at(*involved, {"kind"});
  e.involved.name_space = name_at(*involved, {"namespace"});
  e.involved.name = name_at(*involved, {"name"});
  e.involved.uid = name_at(*involved, {"uid"});
  e.field_path = name_at(*involved, {"fieldPath"});
  e.reason = name_at(v, {"reason"});
  e.message = clean_text(text_at(v, {"message"}), kTextLimit);
  if (e.message.empty()) e.message = clean_text(text_at(v, {"note"}), kTextLimit);
  e.type = name_at(v, {"type"});
  e.component = first_name(v, {"source", "component"}, {"reportingComponent"});
  if (e.component.empty()) e.component = name_at(v, {"reportingController"});
  e.host = first_name(v, {"source", "host"}, {"deprecatedSource", "host"});
  e.count = std::max<int64_t>({1, number_at(v, {"count"}), number_at(v, {"deprecatedCount"}),
                               number_at(v, {"series", "count"})});
  e.series_ms = time_at(v, {"series", "lastObservedTime"});
  e.last_ms = first_time(v, {"lastTimestamp"}, {"deprecatedLastTimestamp"});
  e.event_ms = time_at(v, {"eventTime"});
  e.created_ms = time_at(v, {"metadata", "creationTimestamp"});
  return e;
}

}  // namespace pintle::lookout
