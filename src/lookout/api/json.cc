#include "lookout/api/json.h"

#include "base/strings.h"
#include "lookout/fields.h"
#include "lookout/sinks/masking.h"

namespace pintle::lookout {
namespace {

constexpr std::pair<std::string_view, DeliveryState> kStates[] = {
    {"pending", DeliveryState::kPending},     {"leased", DeliveryState::kLeased},
    {"succeeded", DeliveryState::kSucceeded}, {"retry", DeliveryState::kRetry},
    {"dead", DeliveryState::kDead},           {"cancelled", DeliveryState::kCancelled}};

constexpr std::string_view kChanges[] = {"added", "modified", "deleted"};

}  // namespace

std::string_view state_name(DeliveryState s) {
  for (const auto& [name, state] : kStates) {
    if (state == s) return name;
  }
  return "";
}

std::optional<DeliveryState> state_of(std::string_view name) {
  for (const auto& [known, state] : kStates) {
    if (known == name) return state;
  }
  return std::nullopt;
}

std::string event_json(const StoredEvent& e) {
  return Data()
      .number("sequence", e.sequence)
      .text("type", e.event.type)
      .text("severity", severity_name(e.event.severity))
      .number("time_ms", e.event.time_ms)
      .number("stored_ms", e.stored_ms)
      .text("region", e.region)
      .text("cluster_uid", e.cluster_uid)
      .raw("subject", subject_json(e.event.subject))
      .text("release", e.event.release)
      .text("release_namespace", e.event.release_namespace)
      .number("revision", e.event.revision)
      .text("reason", e.event.reason)
      .text("message", e.event.message)
      .raw("labels", json_map(e.event.labels))
      .raw("data", e.event.data.empty() ? "{}" : e.event.data)
      .text("dedup_key", e.event.dedup_key)
      .take();
}

std::string observation_json(const Observation& o) {
  return Data()
      .text("resource", o.resource)
      .text("uid", o.uid)
      .text("version", o.version)
      .text("change", kChanges[static_cast<size_t>(o.change)])
      .text("digest", o.digest)
      .number("received_ms", o.received_ms)
      .number("count", o.count)
      .number("count_delta", o.count_delta)
      .take();
}

std::string subscription_json(const Subscription& s, std::string_view source) {
  const Filter& f = s.filter;
  Manner m = s.manner;
  if (m.retry_ms.empty()) m.retry_ms = usual_retries_ms();
  if (m.give_up_ms == 0) m.give_up_ms = kUsualGiveUpMs;
  Data out;
  out
      .number("id", s.id)
      .text("source", source)
      .text("name", s.name)
      .raw("enabled", s.enabled ? "true" : "false")
      .raw("paused", s.paused ? "true" : "false")
      .text("paused_reason", s.paused_why)
      .text("sink", s.sink_kind)
      .raw("options", masked_options(s.options))
      .text("order_by", s.order_by)
      .raw("types", json_list(f.types))
      .raw("regions", json_list(f.regions))
      .raw("environments", json_list(f.environments))
      .raw("namespaces", json_list(f.namespaces))
      .raw("kinds", json_list(f.kinds))
      .raw("reasons", json_list(f.reasons))
      .raw("reason_patterns", json_list(f.reason_patterns))
      .raw("releases", json_list(f.releases))
      .raw("scopes", json_list(f.scopes))
      .raw("labels", json_map(f.labels))
      .text("selector", f.selector)
      .text("min_severity", severity_name(f.min_severity));
  write_manner(out, m, true);
  return out.take();
}

std::string delivery_json(const Delivery& d) {
  return Data()
      .number("id", d.id)
      .number("event", d.event_sequence)
      .number("subscription", d.subscription_id)
      .number("generation", d.generation)
      .text("state", state_name(d.state))
      .text("order_key", d.order_key)
      .number("due_ms", d.due_ms)
      .number("attempts", d.attempts)
      .number("first_attempt_ms", d.first_attempt_ms)
      .text("dead_reason", d.dead_reason)
      .take();
}

std::string attempt_json(const Attempt& a, Role role) {
  return Data()
      .number("n", a.n)
      .number("started_ms", a.started_ms)
      .number("took_ms", a.took_ms)
      .number("status", a.status)
      .text("result", a.result)
      .text("error", a.error)
      .text("peer", a.peer)
      .text("tls", a.tls)
      .text("response", role >= Role::kAdmin ? a.response_head : "")
      .text("told", role >= Role::kOperate ? a.told : "")
      .take();
}

std::string statistics_json(const SubscriptionStatistics& s) {
  return Data()
      .raw("delivered", cat(s.delivered))
      .raw("waiting", cat(s.waiting))
      .raw("failed", cat(s.failed))
      .raw("dead", cat(s.dead))
      .number("last_success_ms", s.last_success_ms)
      .number("last_failure_ms", s.last_failure_ms)
      .number("failing_since_ms", s.failing_since_ms)
      .text("last_error", s.last_error)
      .take();
}

std::string audit_json(const AuditEntry& a) {
  return Data()
      .number("id", a.id)
      .number("at_ms", a.at_ms)
      .text("who", a.by.name)
      .text("role", a.by.role)
      .text("kind", a.change.kind)
      .text("name", a.change.name)
      .text("verb", a.change.verb)
      .raw("fields", a.change.fields)
      .take();
}

std::string gap_json(const StoredGap& g) {
  return Data()
      .number("id", g.id)
      .text("region", g.region)
      .text("resource", g.gap.resource)
      .number("from_ms", g.gap.from_ms)
      .number("to_ms", g.gap.to_ms)
      .text("from_version", g.gap.from_version)
      .text("cause", g.gap.cause)
      .take();
}

std::string watches_json(const RegionStatus& r) {
  std::string watches = "[";
  for (const WatchStatus& w : r.watches) {
    append(watches,
           {watches.size() > 1 ? "," : "", Data()
                                               .text("resource", w.resource)
                                               .text("state", w.state)
                                               .text("version", w.version)
                                               .text("error", w.error)
                                               .number("heard_ms", w.heard_ms)
                                               .number("lists", static_cast<int64_t>(w.lists))
                                               .number("expired", static_cast<int64_t>(w.expired))
                                               .number("skipped", static_cast<int64_t>(w.skipped))
                                               .number("objects", static_cast<int64_t>(w.objects))
                                               .number("list_ms", w.list_ms)
                                               .take()});
  }
  return watches + "]";
}

std::string region_json(const RegionStatus& r) {
  return Data()
      .text("name", r.config.name)
      .text("environment", r.config.environment)
      .text("source", r.config.of_api ? "api" : "config")
      .text("context", r.config.context)
      .raw("namespaces", json_list(r.config.namespaces))
      .raw("enabled", r.config.enabled ? "true" : "false")
      .number("event_ttl_ms", r.config.event_ttl_ms)
      .number("memory_mb", r.config.memory_mb)
      .number("held_bytes", static_cast<int64_t>(r.held_bytes))
      .text("cluster_uid", r.cluster_uid)
      .text("server", r.server)
      .text("state", r.state)
      .text("error", r.error)
      .number("since_ms", r.since_ms)
      .number("last_event_ms", r.last_event_ms)
      .number("heard", static_cast<int64_t>(r.heard))
      .number("broken", static_cast<int64_t>(r.broken))
      .number("gaps", static_cast<int64_t>(r.gaps))
      .number("tracked", static_cast<int64_t>(r.tracked))
      .raw("watches", watches_json(r))
      .take();
}

std::string release_json(const ApiHooks::NamedRelease& r) {
  return Data()
      .text("region", r.region)
      .text("kind", r.release.kind)
      .text("name", r.release.name)
      .text("namespace", r.release.name_space)
      .text("state", r.release.state)
      .number("revision", r.release.revision)
      .number("since_ms", r.release.since_ms)
      .text("chart", r.release.chart)
      .text("app_version", r.release.app_version)
      .text("who", r.release.who)
      .take();
}

std::string rule_json(const Rule& r, std::string_view source) {
  return Data()
      .text("name", r.name)
      .text("source", source)
      .text("group", r.group)
      .text("version", r.version)
      .text("kind", r.kind)
      .raw("reasons", json_list(r.reasons))
      .raw("messages", json_list(r.messages))
      .raw("anchored", r.anchored ? "true" : "false")
      .text("event_type", r.event_type)
      .raw("namespaces", json_list(r.namespaces))
      .raw("components", json_list(r.components))
      .raw("regions", json_list(r.regions))
      .raw("labels", json_map(r.labels))
      .number("min_count", r.min_count)
      .text("type", r.type)
      .text("severity", severity_name(r.severity))
      .text("dedup", r.dedup)
      .raw("off", r.off ? "true" : "false")
      .take();
}

}  // namespace pintle::lookout
