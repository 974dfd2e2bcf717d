#include "lookout/sinks/horizon.h"

#include "base/strings.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "lookout/sinks/body.h"

namespace pintle::lookout {
namespace {

// Horizon's names of what it knows; everything else is an event of Kubernetes to it.
constexpr struct {
  std::string_view type, horizon;
} kTypes[] = {
    {"release.deployed", "clusters_deployed"},
    {"release.rolled_back", "clusters_rollbacked"},
    {"release.uninstalled", "clusters_deleted"},
};

std::string_view type_of(const Event& e) {
  for (const auto& row : kTypes) {
    if (row.type == e.type) return row.horizon;
  }
  return "clusters_kubernetes_event";
}

// Horizon numbers its clusters (our releases); ours get a number that is always the same.
int64_t number_of(const StoredEvent& e) {
  const std::string digest =
      crypt::sha256(cat(e.cluster_uid, "\n", e.event.release_namespace, "\n", e.event.release));
  int64_t n = 0;
  for (int i = 0; i < 6; ++i) n = n << 8 | static_cast<uint8_t>(digest[static_cast<size_t>(i)]);
  return n;
}

std::string extra(const Event& e) {
  const Subject& s = e.subject;
  const std::string version = cat(s.group, s.group.empty() ? "" : "/", s.version);
  return cat("{\"message\":", json::quoted(e.message), ",\"reason\":", json::quoted(e.reason),
             ",\"type\":", e.severity == Severity::kInfo ? "\"Normal\"" : "\"Warning\"",
             ",\"lastTimestamp\":", json::quoted(time_text(e.time_ms)),
             ",\"name\":", json::quoted(s.name),
             ",\"involvedObject\":{\"kind\":", json::quoted(s.kind),
             ",\"name\":", json::quoted(s.name), ",\"namespace\":", json::quoted(s.name_space),
             ",\"apiVersion\":", json::quoted(version), "}}");
}

}  // namespace

std::string horizon_payload(const Claimed& c) {
  const Event& e = c.event.event;
  std::string out = cat("{\"id\":", c.delivery.id, ",\"eventID\":", c.event.sequence,
                        ",\"webhookID\":", c.delivery.subscription_id,
                        ",\"eventType\":", json::quoted(type_of(e)));
  if (!e.release.empty()) {
    const auto label = e.labels.find("app.kubernetes.io/name");
    append(out, {",\"cluster\":{\"id\":", std::to_string(number_of(c.event)),
                 ",\"name\":", json::quoted(e.release), ",\"applicationName\":",
                 json::quoted(label == e.labels.end() ? e.release : label->second),
                 ",\"env\":", json::quoted(c.event.region), "}"});
  }
  append(out, {",\"extra\":", json::quoted(extra(e)), "}"});
  return out;
}

}  // namespace pintle::lookout
