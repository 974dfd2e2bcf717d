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

}  // namespace

std::string_view horizon_type(std::string_view type) {
  for (const auto& row : kTypes) {
    if (row.type == type) return row.horizon;
  }
  return "clusters_kubernetes_event";
}

int64_t horizon_number(std::string_view name) {
  const std::string digest = crypt::sha256(name);
  int64_t n = 0;
  for (int i = 0; i < 6; ++i) n = n << 8 | static_cast<uint8_t>(digest[static_cast<size_t>(i)]);
  return n;
}

int64_t horizon_cluster(std::string_view cluster_uid, std::string_view name_space,
                        std::string_view release) {
  return horizon_number(cat(cluster_uid, "\n", name_space, "\n", release));
}

std::string horizon_extra(const Event& e) {
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

std::string horizon_payload(const Claimed& c) {
  const Event& e = c.event.event;
  std::string out = cat("{\"id\":", c.delivery.id, ",\"eventID\":", c.event.sequence,
                        ",\"webhookID\":", c.delivery.subscription_id,
                        ",\"eventType\":", json::quoted(horizon_type(e.type)));
  if (!e.release.empty()) {
    const auto label = e.labels.find("app.kubernetes.io/name");
    append(out, {",\"cluster\":{\"id\":", std::to_string(horizon_cluster(c.event.cluster_uid, e.release_namespace, e.release)),
                 ",\"name\":", json::quoted(e.release), ",\"applicationName\":",
                 json::quoted(label == e.labels.end() ? e.release : label->second),
                 ",\"env\":", json::quoted(c.event.region), "}"});
  }
  append(out, {",\"extra\":", json::quoted(horizon_extra(e)), "}"});
  return out;
}

}  // namespace pintle::lookout
