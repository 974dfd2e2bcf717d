#include "lookout/api/json.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/rules/catalog.h"
#include "lookout/fields.h"
#include "lookout/sinks/sink.h"

namespace pintle::lookout {
namespace {

constexpr std::pair<std::string_view, DeliveryState> kStates[] = {
    {"pending", DeliveryState::kPending},     {"leased", DeliveryState::kLeased},
    {"succeeded", DeliveryState::kSucceeded}, {"retry", DeliveryState::kRetry},
    {"dead", DeliveryState::kDead},           {"cancelled", DeliveryState::kCancelled}};

std::string list_json(const std::vector<std::string>& list) {
  std::string out = "[";
  for (const std::string& s : list) append(out, {out.size() > 1 ? "," : "", json::quoted(s)});
  return out + "]";
}

std::string labels_json(const std::map<std::string, std::string>& labels) {
  std::string out = "{";
  for (const auto& [k, v] : labels) {
    append(out, {out.size() > 1 ? "," : "", json::quoted(k), ":", json::quoted(v)});
  }
  return out + "}";
}

std::string subject_json(const Subject& s) {
  return Data()
      .text("group", s.group)
      .text("version", s.version)
      .text("kind", s.kind)
      .text("namespace", s.name_space)
      .text("name", s.name)
      .text("uid", s.uid)
      .take();
}

Error wrong(std::string_view key, std::string_view why) {
  return Error(cat(key, ": ", why), Code::kInvalidArgument);
}

Status read_texts(const value::Value& v, std::string_view key, std::vector<std::string>& out) {
  out.clear();
  if (!v.is_list()) return wrong(key, "want a list of texts");
  for (const value::Value& item : v.items()) {
    if (!item.is_string()) return wrong(key, "want a list of texts");
    out.emplace_back(item.as_string());
  }
  return ok();
}

}  // namespace

std::string_view severity_name(Severity s) {
  return s == Severity::kError ? "error" : s == Severity::kWarning ? "warning" : "info";
}

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
      .raw("labels", labels_json(e.event.labels))
      .raw("data", e.event.data.empty() ? "{}" : e.event.data)
      .text("dedup_key", e.event.dedup_key)
      .take();
}

std::string subscription_json(const Subscription& s) {
  const Filter& f = s.filter;
  return Data()
      .number("id", s.id)
      .text("name", s.name)
      .raw("enabled", s.enabled ? "true" : "false")
      .text("sink", s.sink_kind)
      .raw("options", s.sink_public.empty() ? "{}" : s.sink_public)
      .text("order_by", s.order_by)
      .raw("types", list_json(f.types))
      .raw("regions", list_json(f.regions))
      .raw("environments", list_json(f.environments))
      .raw("namespaces", list_json(f.namespaces))
      .raw("kinds", list_json(f.kinds))
      .raw("reasons", list_json(f.reasons))
      .raw("releases", list_json(f.releases))
      .raw("labels", labels_json(f.labels))
      .text("min_severity", severity_name(f.min_severity))
      .take();
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

std::string attempt_json(const Attempt& a) {
  return Data()
      .number("n", a.n)
      .number("started_ms", a.started_ms)
      .number("took_ms", a.took_ms)
      .number("status", a.status)
      .text("error", a.error)
      .text("peer", a.peer)
      .text("response", a.response_head)
      .take();
}

std::string gap_json(const Store::StoredGap& g) {
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

std::string region_json(const RegionStatus& r) {
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
                                               .number("objects", static_cast<int64_t>(w.objects))
                                               .take()});
  }
  return Data()
      .text("name", r.config.name)
      .text("environment", r.config.environment)
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
      .raw("watches", watches + "]")
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

std::string rule_json(const Rule& r) {
  return Data()
      .text("name", r.name)
      .text("group", r.group)
      .text("version", r.version)
      .text("kind", r.kind)
      .raw("reasons", list_json(r.reasons))
      .raw("messages", list_json(r.messages))
      .raw("anchored", r.anchored ? "true" : "false")
      .text("event_type", r.event_type)
      .raw("namespaces", list_json(r.namespaces))
      .raw("components", list_json(r.components))
      .raw("regions", list_json(r.regions))
      .raw("labels", labels_json(r.labels))
      .number("min_count", r.min_count)
      .text("type", r.type)
      .text("severity", severity_name(r.severity))
      .text("dedup", r.dedup)
      .raw("off", r.off ? "true" : "false")
      .take();
}

Status read_subscription_json(std::string_view json, Subscription& s) {
  const value::Value v = TRY(json::read(json, {json::Numbers::kExact}));
  if (!v.is_map() || v.as_map() == nullptr) {
    return Error("want a JSON object", Code::kInvalidArgument);
  }
  for (const auto& [key_text, item] : *v.as_map()) {
    const std::string_view key = key_text.view();
    Filter& f = s.filter;
    const std::pair<std::string_view, std::vector<std::string>*> lists[] = {
        {"types", &f.types},           {"regions", &f.regions}, {"environments", &f.environments},
        {"namespaces", &f.namespaces}, {"kinds", &f.kinds},     {"reasons", &f.reasons},
        {"releases", &f.releases}};
    const std::pair<std::string_view, std::string*> texts[] = {{"name", &s.name},
                                                               {"sink", &s.sink_kind},
                                                               {"secret", &s.secret},
                                                               {"order_by", &s.order_by}};
    const auto* list = std::find_if(std::begin(lists), std::end(lists),
                                    [&](const auto& l) { return l.first == key; });
    const auto* text = std::find_if(std::begin(texts), std::end(texts),
                                    [&](const auto& t) { return t.first == key; });
    if (list != std::end(lists)) {
      TRY(read_texts(item, key, *list->second));
    } else if (text != std::end(texts)) {
      if (!item.is_string()) return wrong(key, "want a text");
      *text->second = item.as_string();
    } else if (key == "enabled") {
      if (!item.is(value::Type::kBool)) return wrong(key, "want true or false");
      s.enabled = item.as_bool();
    } else if (key == "min_severity") {
      const std::string_view name = item.is_string() ? item.as_string() : "";
      if (name != "info" && name != "warning" && name != "error") {
        return wrong(key, "want \"info\", \"warning\" or \"error\"");
      }
      f.min_severity = name == "error"     ? Severity::kError
                       : name == "warning" ? Severity::kWarning
                                           : Severity::kInfo;
    } else if (key == "labels") {
      if (!item.is_map()) return wrong(key, "want an object of texts");
      f.labels = texts_at(item, {});
    } else if (key == "options") {
      if (!item.is_map()) return wrong(key, "want an object");
      s.sink_public = TRY(json::write(item, {.escape_html = false}));
    } else if (key != "id") {
      return wrong(key, "unknown key");
    }
  }
  if (s.name.empty()) return wrong("name", "a subscription must have a name");
  const SinkKind* sink = find_sink(s.sink_kind);
  if (sink == nullptr) return wrong("sink", cat("want one of: ", join(sink_names(), ", ")));
  return sink->check(s);
}

}  // namespace pintle::lookout
