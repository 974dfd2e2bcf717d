// What Horizon's clients ask (spec events-informers §1.5), answered with what lookout has: a
// webhook is a subscription of the sink `webhook` in the format of Horizon, a cluster a release, an
// application all releases of a name, a group a region, or everything for 0. What it belongs to is
// told by its filter, so webhooks made here and subscriptions made elsewhere are the same things.
//
// Other than Horizon: secrets never come out, certificates are always verified, and a webhook
// whose triggers never come here is refused. Who made it, and when, is not known. Logs go back over
// the newest 5,000 deliveries.
#include <algorithm>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "lookout/api/handlers.h"
#include "lookout/config/pieces.h"
#include "lookout/sinks/body.h"
#include "lookout/sinks/horizon.h"
#include "lookout/sinks/masking.h"
#include "lookout/sinks/sink.h"

namespace pintle::lookout {
namespace {

constexpr int kPage = 1000, kMostLooked = 5000;
constexpr int64_t kUsualPage = 20;

// Its types, and ours that it stands for; "": it never comes.
constexpr struct {
  std::string_view name, meaning, types;
} kTriggers[] = {
    {"applications_created", "an application was made", ""},
    {"applications_deleted", "an application was removed", ""},
    {"applications_transferred", "an application has another group", ""},
    {"applications_updated", "an application was changed", ""},
    {"clsuters_restarted", "a cluster was restarted", ""},
    {"clusters_action", "something was done to a cluster", ""},
    {"clusters_builddeployed", "a cluster was built and deployed", ""},
    {"clusters_created", "a cluster was made", "release.pending"},
    {"clusters_deleted", "a cluster was removed", "release.uninstalled"},
    {"clusters_deployed", "a cluster was deployed", "release.deployed"},
    {"clusters_freed", "a cluster was freed", ""},
    {"clusters_kubernetes_event", "an Event that a rule knows",
     "release.step release.paused release.resumed release.degraded release.failed release.stuck "
     "release.sync release.sync_started image.pulled job.* node.* pod.* scale workload.*"},
    {"clusters_rescheduled", "pods of a cluster were removed", ""},
    {"clusters_rollbacked", "a cluster was rolled back", "release.rolled_back"},
    {"clusters_updated", "a cluster was changed", ""},
    {"members_created", "a member was added", ""},
    {"members_deleted", "a member was removed", ""},
    {"members_updated", "a member was changed", ""},
    {"pipelineruns_cancelled", "a pipeline run was cancelled", ""},
    {"pipelineruns_created", "a pipeline run was made", ""},
    {"pipelineruns_executed", "a pipeline run has begun", ""},
};

struct Scope {
  std::string type;  // "groups", "applications", "clusters"
  int64_t id = 0;
  bool operator==(const Scope&) const = default;
};

Answer shown(std::string_view json) { return Answer{cat("{\"data\":", json, "}")}; }

Status check_version(const Call& c) {
  if (c.names.at(0) == "v1" || c.names.at(0) == "v2") return ok();
  return Error("there is nothing here", Code::kNotFound);
}

int64_t number_of(std::string_view kind, std::string_view name) {
  return horizon_number(cat(kind, "\n", name));
}

std::string cluster_of_region(Backend& b, std::string_view region) {
  for (const RegionStatus& r : b.hooks.regions()) {
    if (r.config.name == region) return r.cluster_uid;
  }
  return "";
}

Scope scope_of(Backend& b, const Filter& f) {
  const bool one_region = f.regions.size() == 1;
  if (f.releases.size() == 1 && one_region && f.namespaces.size() == 1) {
    return {"clusters", horizon_cluster(cluster_of_region(b, f.regions[0]), f.namespaces[0],
                                        f.releases[0])};
  }
  if (f.releases.size() == 1) return {"applications", number_of("application", f.releases[0])};
  return {"groups", one_region ? number_of("group", f.regions[0]) : 0};
}

// The filter of the path's group, application or cluster.
Result<Filter> filter_of(Backend& b, const Scope& scope) {
  Filter out;
  if (scope == Scope{"groups", 0}) return out;
  if (scope.type == "groups") {
    for (const RegionStatus& r : b.hooks.regions()) {
      out.regions = {r.config.name};
      if (number_of("group", r.config.name) == scope.id) return out;
    }
  }
  for (const ApiHooks::NamedRelease& r : b.hooks.releases()) {
    out.releases = {r.release.name};
    if (scope.type == "applications" && number_of("application", r.release.name) == scope.id) {
      return out;
    }
    if (scope.type == "clusters" &&
        horizon_cluster(cluster_of_region(b, r.region), r.release.name_space, r.release.name) ==
            scope.id) {
      out.regions = {r.region};
      out.namespaces = {r.release.name_space};
      return out;
    }
  }
  return Error(cat("there is nothing with the id ", scope.id, " in ", scope.type), Code::kNotFound);
}

Result<Scope> scope_of(const Call& c) {
  TRY(check_version(c));
  Scope out{c.names.at(1), TRY(id_of(c, 2))};
  if (out.type != "groups" && out.type != "applications" && out.type != "clusters") {
    return Error("there is nothing here", Code::kNotFound);
  }
  return out;
}

struct Webhook {
  std::string url, description;
  std::vector<std::string> triggers;
};

Webhook webhook_of(const Subscription& s) {
  Webhook out;
  const auto options = json::read(s.options);
  if (!options) return out;
  out.url = text_at(*options, {"url"});
  out.description = text_at(*options, {"description"});
  const value::Value* triggers = value_at(*options, {"triggers"});
  if (triggers != nullptr && triggers->is_list()) {
    for (const value::Value& t : triggers->items()) {
      if (t.is_string()) out.triggers.emplace_back(t.as_string());
    }
  }
  if (!out.triggers.empty()) return out;
  for (const auto& t : kTriggers) {
    const auto& types = s.filter.types;
    const auto ours = split(t.types, " ");
    const bool has = std::any_of(types.begin(), types.end(), [&](const std::string& type) {
      return std::find(ours.begin(), ours.end(), type) != ours.end();
    });
    if (has) out.triggers.emplace_back(t.name);
  }
  if (s.filter.types.empty()) out.triggers = {"*"};
  return out;
}

std::string webhook_json(const Subscription& s) {
  const Webhook w = webhook_of(s);
  return Data()
      .number("id", s.id)
      .raw("enabled", s.active() ? "true" : "false")
      .raw("url", json::quoted(masked_url(w.url)))
      .raw("sslVerifyEnabled", w.url.starts_with("https:") ? "true" : "false")
      .raw("description", json::quoted(w.description))
      .raw("secret", "\"\"")
      .raw("triggers", json_list(w.triggers))
      .take();
}

bool is_webhook(const Subscription& s) {
  if (s.sink_kind != "webhook") return false;
  const auto options = json::read(s.options);
  return options && text_at(*options, {"format"}) == "horizon";
}

Status take_triggers(const Section& body, const std::vector<std::string>& triggers, Filter& f) {
  f.types.clear();
  for (const std::string& trigger : triggers) {
    if (trigger == "*") {
      f.types.clear();
      return ok();
    }
    const auto* known = std::find_if(std::begin(kTriggers), std::end(kTriggers),
                                     [&](const auto& t) { return t.name == trigger; });
    if (known == std::end(kTriggers)) {
      return body.error("triggers", cat("no event is of type \"", trigger, "\""));
    }
    for (const auto type : split(known->types, " ")) {
      if (!type.empty()) f.types.emplace_back(type);
    }
  }
  if (triggers.empty()) return body.error("triggers", "want one at least, or \"*\"");
  if (f.types.empty()) return body.error("triggers", "none of these events comes from lookout");
  return ok();
}

// The body's keys into the subscription; what is missing stays.
Status read_webhook(const Call& c, bool fresh, Subscription& s) {
  const std::string before = s.options;
  Webhook w = webhook_of(s);
  const SectionText text = TRY(SectionText::json(c.body));
  Section top = text.top();
  bool verify = false;
  std::vector<std::string> triggers;
  top.text("url", w.url);
  top.flag("enabled", s.enabled);
  top.flag("sslVerifyEnabled", verify);
  top.text("description", w.description);
  top.text("secret", s.secret);
  top.texts("triggers", triggers);
  TRY(top.end());
  const bool tls = w.url.starts_with("https://");
  if (!tls && !w.url.starts_with("http://")) return top.error("url", "want http:// or https://");
  if (fresh && verify && !tls) return top.error("sslVerifyEnabled", "the url is no https://");
  if (fresh || !triggers.empty()) {
    TRY(take_triggers(top, triggers, s.filter));
    w.triggers = triggers;
  }
  s.sink_kind = "webhook";
  const std::string options = Data()
                                  .text("url", w.url)
                                  .text("format", "horizon")
                                  .text("description", w.description)
                                  .raw("triggers", json_list(w.triggers))
                                  .take();
  s.options = TRY(unmasked_options(options, before));
  return find_sink("webhook")->check(s);
}

Result<Subscription> subscription_for(Backend& b, const Call& c, bool own) {
  TRY(check_version(c));
  Subscription s = TRY(own ? own_subscription(b, c, 1) : subscription_of(b, c, 1));
  if (is_webhook(s)) return s;
  return Error(cat("there is no webhook ", s.id), Code::kNotFound);
}

std::string_view status_of(DeliveryState state) {
  if (state == DeliveryState::kSucceeded) return "success";
  return state == DeliveryState::kDead || state == DeliveryState::kCancelled ? "failed" : "waiting";
}

Data log_of(const Delivery& d, const StoredEvent& e, const Subscription& s) {
  const bool release = !e.event.release.empty();
  Data out;
  out.number("id", d.id)
      .number("webhookID", d.subscription_id)
      .number("eventID", d.event_sequence)
      .raw("url", json::quoted(masked_url(webhook_of(s).url)))
      .text("status", status_of(d.state))
      .raw("resourceType", release ? "\"clusters\"" : "\"groups\"")
      .raw("resourceName", json::quoted(release ? e.event.release : e.region))
      .number("resourceID", release ? horizon_cluster(e.cluster_uid, e.event.release_namespace,
                                                      e.event.release)
                                    : number_of("group", e.region))
      .text("eventType", horizon_type(e.event.type))
      .raw("extra", json::quoted(horizon_extra(e.event)))
      .raw("errorMessage", json::quoted(d.dead_reason))
      .text("createdAt", time_text(e.stored_ms));
  return out;
}

// An empty one when it is gone.
Result<Subscription> subscription_with(Backend& b, int64_t id) {
  for (Subscription& s : TRY(b.store.subscriptions())) {
    if (s.id == id) return std::move(s);
  }
  return Subscription{};
}

Result<Delivery> delivery_of(Backend& b, int64_t id) {
  DeliveryQuery query;
  query.after = id - 1;
  query.limit = 1;
  const auto found = TRY(b.store.deliveries(query));
  if (!found.empty() && found[0].id == id) return found[0];
  return Error(cat("there is no webhook log ", id), Code::kNotFound);
}

}  // namespace

std::string horizon_error(int status, std::string_view text) {
  const std::string_view code = status == 401   ? "Unauthorized"
                                : status == 403 ? "Forbidden"
                                : status == 404 ? "NotFound"
                                : status == 409 ? "Conflict"
                                : status < 500  ? "InvalidParam"
                                                : "InternalError";
  return Data().text("errorCode", code).text("errorMessage", text).take();
}

Result<Answer> list_horizon_types(Backend&, const Call& c) {
  TRY(check_version(c));
  Data out;
  for (const auto& t : kTriggers) out.text(t.name, t.meaning);
  return shown(out.take());
}

Result<Answer> list_webhooks(Backend& b, const Call& c) {
  const Scope scope = TRY(scope_of(c));
  std::vector<std::string> items;
  for (const Subscription& s : TRY(b.store.subscriptions())) {
    if (is_webhook(s) && scope_of(b, s.filter) == scope) items.push_back(webhook_json(s));
  }
  return shown(cat("{\"items\":[", join(items, ","), "],\"total\":", items.size(), "}"));
}

Result<Answer> add_webhook(Backend& b, const Call& c) {
  const Scope scope = TRY(scope_of(c));
  Subscription s;
  s.filter = TRY(filter_of(b, scope));
  s.name = cat("horizon-", scope.type, "-", scope.id, "-", crypt::hex(crypt::random_bytes(4)));
  TRY(read_webhook(c, true, s));
  return shown(webhook_json(TRY(b.store.add_subscription(s, c.by))));
}

Result<Answer> show_webhook(Backend& b, const Call& c) {
  return shown(webhook_json(TRY(subscription_for(b, c, false))));
}

Result<Answer> change_webhook(Backend& b, const Call& c) {
  Subscription s = TRY(b.store.whole_subscription(TRY(subscription_for(b, c, true)).id));
  TRY(read_webhook(c, false, s));
  TRY(b.store.update_subscription(s, c.by));
  if (s.enabled) {
    TRY(b.store.pause_subscription(s.id, false, "", c.by));
    s.paused = false;
  }
  b.hooks.wake();
  return shown(webhook_json(s));
}

Result<Answer> remove_webhook(Backend& b, const Call& c) {
  TRY(b.store.remove_subscription(TRY(subscription_for(b, c, true)).id, c.by));
  return Answer{};
}

Result<Answer> list_webhook_logs(Backend& b, const Call& c) {
  const Subscription s = TRY(subscription_for(b, c, false));
  const int64_t size = std::clamp<int64_t>(
      c.text("pageSize").empty() ? kUsualPage : c.number("pageSize"), 1, kPage);
  const int64_t skip = (std::clamp<int64_t>(c.number("pageNumber"), 1, kMostLooked) - 1) * size;
  const std::string type = c.text("eventType"), name = c.text("filter");
  std::vector<std::string> items;
  int64_t total = 0;
  DeliveryQuery query;
  query.subscription_id = s.id;
  query.newest_first = true;
  query.limit = kPage;
  for (int looked = 0; looked < kMostLooked; looked += kPage) {
    const auto found = TRY(b.store.deliveries(query));
    for (const Delivery& d : found) {
      query.after = d.id;
      const bool on_page = total >= skip && total < skip + size;
      if (type.empty() && name.empty() && !on_page) {
        ++total;
        continue;
      }
      const auto e = b.store.event(d.event_sequence);
      if (!e && e.error().code() != Code::kNotFound) return e.error();
      if (!e) continue;  // cleaned meanwhile
      const bool fits = (type.empty() || type == horizon_type(e->event.type)) &&
                        (e->event.release.empty() ? e->region : e->event.release).find(name) !=
                            std::string::npos;
      if (!fits) continue;
      if (on_page) items.push_back(log_of(d, *e, s).take());
      ++total;
    }
    if (found.size() < static_cast<size_t>(kPage)) break;
  }
  return shown(cat("{\"items\":[", join(items, ","), "],\"total\":", total, "}"));
}

Result<Answer> show_webhook_log(Backend& b, const Call& c) {
  TRY(check_version(c));
  Claimed it;
  it.delivery = TRY(delivery_of(b, TRY(id_of(c, 1))));
  it.event = TRY(b.store.event(it.delivery.event_sequence));
  it.subscription = TRY(subscription_with(b, it.delivery.subscription_id));
  Data out = log_of(it.delivery, it.event, it.subscription);
  const auto attempts = TRY(b.store.attempts(it.delivery.id));
  out.text("requestHeaders", "Content-Type: application/json;charset=utf-8\n")
      .text("requestData", horizon_payload(it))
      .raw("responseHeaders", "\"\"");
  if (!attempts.empty()) {
    const Attempt& last = attempts.back();
    out.text("updatedAt", time_text(last.started_ms + last.took_ms));
    if (c.role == Role::kAdmin) out.text("responseBody", last.response_head);
  }
  return shown(out.take());
}

Result<Answer> resend_webhook_log(Backend& b, const Call& c) {
  TRY(check_version(c));
  const Delivery old = TRY(delivery_of(b, TRY(id_of(c, 1))));
  TRY(b.store.resend(old.id));
  b.hooks.wake();
  DeliveryQuery query;
  query.event_sequence = old.event_sequence;
  query.subscription_id = old.subscription_id;
  query.newest_first = true;
  query.limit = 1;
  const auto fresh = TRY(b.store.deliveries(query));
  if (fresh.empty()) return Error("it was cleaned meanwhile", Code::kNotFound);
  const Subscription to = TRY(subscription_with(b, old.subscription_id));
  return shown(log_of(fresh[0], TRY(b.store.event(old.event_sequence)), to).take());
}

Result<Answer> list_cluster_events(Backend& b, const Call& c) {
  TRY(check_version(c));
  const Filter cluster = TRY(filter_of(b, {"clusters", TRY(id_of(c, 1))}));
  EventQuery query;
  query.type = "kubernetes.event";
  query.region = cluster.regions[0];
  query.release = cluster.releases[0];
  query.name = c.text("podName");
  if (!query.name.empty()) query.kind = "Pod";
  query.newest_first = true;
  std::vector<std::string> items;
  for (const StoredEvent& e : TRY(b.store.events(query))) {
    if (e.event.release_namespace != cluster.namespaces[0]) continue;
    const auto known = json::read(e.event.data, {json::Numbers::kExact}).value_or(value::Value());
    items.push_back(Data()
                        .text("type", text_at(known, {"type"}))
                        .text("reason", e.event.reason)
                        .text("message", e.event.message)
                        .number("count", number_at(known, {"count"}))
                        .text("eventTimestamp", time_text(e.event.time_ms))
                        .take());
  }
  return shown(cat("[", join(items, ","), "]"));
}

}  // namespace pintle::lookout
