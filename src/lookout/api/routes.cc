#include "lookout/api/routes.h"

#include <algorithm>

#include "base/strings.h"
#include "lookout/api/handlers.h"
#include "lookout/api/schemas.h"

namespace pintle::lookout {
namespace {

constexpr Role kOpen = Role::kNone, kInlet = Role::kInlet, kRead = Role::kRead, kOperate = Role::kOperate,
               kAdmin = Role::kAdmin;
constexpr Place kIo = Place::kIo, kDatabase = Place::kDatabase, kSlow = Place::kSlow;
constexpr std::string_view kEventQuery =
    "after limit newest type region ns kind name reason release from to";
constexpr std::string_view kNamedPage = "after:text limit";  // `after` names the last one seen

constexpr ApiRoute kRoutes[] = {
    {"GET", "/", kRead, "showPage", "The status page.", "", "", 200, "text/html", show_page},
    {"GET", "/page/subscriptions/{id}", kRead, "showSubscriptionPage",
     "A page of a subscription and what it was told.", "after state", "", 200, "text/html",
     show_subscription_page},
    {"POST", "/page/subscriptions/{id}/test", kOperate, "postTest",
     "Tries it, and shows how that ended.", "", "", 200, "text/html", post_test, kSlow},
    {"POST", "/page/subscriptions/{id}/pause", kOperate, "postPause", "As its API; then its page.",
     "", "", 303, "text/html", post_pause},
    {"POST", "/page/subscriptions/{id}/resume", kOperate, "postResume",
     "As its API; then its page.", "", "", 303, "text/html", post_resume},
    {"GET", "/page/deliveries/{id}", kRead, "showDeliveryPage",
     "A page of a delivery, its attempts, and a command line that sends the same.", "", "", 200,
     "text/html", show_delivery_page},
    {"POST", "/page/deliveries/{id}/resend", kOperate, "postResend",
     "As its API; then the page of the new one.", "", "", 303, "text/html", post_resend},
    {"POST", "/page/deliveries/{id}/skip", kOperate, "postSkip", "As its API; then its page.", "",
     "", 303, "text/html", post_skip},
    {"GET", "/healthz", kOpen, "isAlive", "The process works.", "", "", 200, "text/plain",
     show_health, kIo},
    {"GET", "/readyz", kOpen, "isReady",
     "The database answers, and it is known which regions are this process's.", "", "", 200,
     "Readiness", show_ready, kDatabase, 503, true},
    {"GET", "/metrics", kRead, "showMetrics", "Counters and gauges in Prometheus' text form.", "",
     "", 200, "text/plain; version=0.0.4", show_metrics, kDatabase, 0, true},
    {"GET", "/openapi.json", kRead, "showApi", "This document.", "", "", 200, "application/json",
     show_openapi, kIo},

    {"GET", "/events", kRead, "listEvents", "What has happened, in order.", kEventQuery, "", 200,
     "[Event]", list_events},
    {"GET", "/events/stream", kRead, "streamEvents",
     "What happens, as server-sent events: from `after`, or Last-Event-ID, on, else from now on.",
     kEventQuery, "", 200, "text/event-stream", nullptr},
    {"GET", "/events/{sequence}", kRead, "showEvent", "One event, and who was told.", "", "", 200,
     "EventDetail", show_event},
    {"POST", "/cloudevents", kInlet, "takeCloudEvents",
     "Takes CloudEvents of other systems: structured, a batch or binary; each id of a source once.", "",
     "CloudEvent", 202, "Taken", take_cloud_events},
    {"POST", "/apis/internal/cloudevents", kInlet, "takeHorizonCloudEvents", "As Horizon: the same.", "",
     "CloudEvent", 202, "Taken", take_cloud_events},
    {"GET", "/supportevents", kRead, "listEventTypes", "The types of events there are.", kNamedPage,
     "", 200, "[EventType]", list_event_types, kIo},
    {"GET", "/releases", kRead, "listReleases", "The releases as they are now, by region, namespace and name.",
     kNamedPage, "", 200, "[Release]", list_releases},

    {"GET", "/subscriptions", kRead, "listSubscriptions", "Who is told what.", "after limit scope", "", 200,
     "[Subscription]", list_subscriptions},
    {"POST", "/subscriptions", kAdmin, "addSubscription", "Tells someone.", "", "SubscriptionInput",
     201, "Subscription", add_subscription},
    {"GET", "/subscriptions/{id}", kRead, "showSubscription", "One of them, and how it fares.", "",
     "", 200, "SubscriptionDetail", show_subscription, kSlow},
    {"PUT", "/subscriptions/{id}", kAdmin, "changeSubscription",
     "Changes what is given and keeps the rest; takes effect for what waits, too.", "",
     "SubscriptionInput", 200, "Subscription", change_subscription},
    {"POST", "/subscriptions:preview", kAdmin, "previewSubscription",
     "What one would say of an event; nothing is sent or stored.", "", "SubscriptionPreview", 200,
     "Previewed", preview_subscription},
    {"DELETE", "/subscriptions/{id}", kAdmin, "removeSubscription",
     "Removes it and cancels what it has waiting.", "", "", 200, "Done", remove_subscription},
    {"POST", "/subscriptions/{id}/pause", kOperate, "pauseSubscription",
     "Holds what it has waiting; it is due nothing new.", "", "", 200, "Subscription",
     pause_subscription},
    {"POST", "/subscriptions/{id}/resume", kOperate, "resumeSubscription", "Goes on.", "", "", 200,
     "Subscription", resume_subscription},
    {"POST", "/subscriptions/{id}/test", kOperate, "trySubscription",
     "Sends an event that says it is a test, now, and answers how that ended.", "", "", 200,
     "Attempt", try_subscription, kSlow},
    {"POST", "/subscriptions/{id}/rotate-secret", kAdmin, "rotateSecret",
     "Gives it a fresh secret; the old one stays valid for a while.", "", "Rotation", 200,
     "Rotated", rotate_secret},

    {"GET", "/deliveries", kRead, "listDeliveries", "What was to be told, and how that stands.",
     "after limit newest subscription state event from to", "", 200, "[Delivery]", list_deliveries},
    {"POST", "/deliveries:resend", kOperate, "resendDeliveries",
     "Sends again what is given up, or what a filter says.", "", "Resend", 200, "Resent",
     resend_deliveries, kSlow},
    {"GET", "/deliveries/{id}", kRead, "showDelivery", "One of them, with its attempts.", "", "",
     200, "DeliveryDetail", show_delivery},
    {"POST", "/deliveries/{id}/resend", kOperate, "resendDelivery",
     "Sends a finished one again, with the same webhook-id.", "", "", 200, "Done", resend_delivery},
    {"POST", "/deliveries/{id}/skip", kOperate, "skipDelivery",
     "Cancels one that waits, so that its key goes on.", "", "", 200, "Done", skip_delivery},

    {"GET", "/regions", kRead, "listRegions", "The clusters that are watched.", kNamedPage, "", 200,
     "[Region]", list_regions},
    {"POST", "/regions", kAdmin, "addRegion", "Watches another cluster.", "", "RegionInput", 201,
     "Region", add_region, kSlow},
    {"GET", "/regions/{name}", kRead, "showRegion", "One of them.", "", "", 200, "Region",
     show_region},
    {"PUT", "/regions/{name}", kAdmin, "changeRegion",
     "Changes what is given and keeps the rest, the credentials too; what was seen stays known.",
     "", "RegionInput", 200, "Region", change_region, kSlow},
    {"DELETE", "/regions/{name}", kAdmin, "removeRegion", "Watches it no longer.", "", "", 200,
     "Done", remove_region, kSlow},
    {"GET", "/regions/{name}/health", kRead, "showRegionHealth", "How well it is watched.", "", "",
     200, "RegionHealth", show_region_health},
    {"GET", "/gaps", kRead, "listGaps", "Spans whose states may have been lost.", "after limit", "",
     200, "[Gap]", list_gaps},

    {"GET", "/rules", kRead, "listRules", "What Events mean, the first match first.", kNamedPage, "", 200,
     "[Rule]", list_rules},
    {"POST", "/rules", kAdmin, "putRule", "Adds a rule, or changes the one of that name.", "",
     "RuleInput", 201, "Rule", put_rule, kSlow},
    {"DELETE", "/rules/{name}", kAdmin, "removeRule",
     "Takes back what the API made; a default rule is as it was.", "", "", 200, "Done", remove_rule,
     kSlow},
    {"POST", "/rules:dryrun", kRead, "tryRule", "What a rule would have made of what is stored.",
     "", "RuleTrial", 200, "RuleTried", try_rule, kSlow},

    {"GET", "/people", kRead, "listPeople", "Whom messages may call; contacts for operators.", kNamedPage,
     "", 200, "[Person]", list_people},
    {"POST", "/people", kAdmin, "putPerson", "Adds somebody, or changes the one of that name.", "",
     "PersonInput", 201, "Person", put_person, kSlow},
    {"DELETE", "/people/{name}", kAdmin, "removePerson", "Takes that back.", "", "", 200, "Done",
     remove_person, kSlow},
    {"GET", "/owners", kRead, "listOwners", "Who owns what; the first that fits has it.", kNamedPage, "",
     200, "[Owners]", list_owners},
    {"POST", "/owners", kAdmin, "putOwners", "Adds a row, or changes the one of that name.", "",
     "OwnersInput", 201, "Owners", put_owners, kSlow},
    {"DELETE", "/owners/{name}", kAdmin, "removeOwners", "Takes that back.", "", "", 200, "Done",
     remove_owners, kSlow},
    {"GET", "/oncall", kRead, "listDuties", "Who is on duty when.", kNamedPage, "", 200, "[Duty]",
     list_oncall},
    {"POST", "/oncall", kAdmin, "putDuty", "Adds a row, or changes the one of that name.", "",
     "DutyInput", 201, "Duty", put_oncall, kSlow},
    {"DELETE", "/oncall/{name}", kAdmin, "removeDuty", "Takes that back.", "", "", 200, "Done",
     remove_oncall, kSlow},

    {"GET", "/cleaning/policies", kRead, "listPolicies", "How long things are kept.", kNamedPage, "", 200,
     "[Policy]", list_policies},
    {"POST", "/cleaning/policies", kAdmin, "putPolicy", "Sets how long rows are kept, and how many.",
     "", "PolicyInput", 201, "Policy", put_policy, kSlow},
    {"DELETE", "/cleaning/policies/{name}", kAdmin, "removePolicy", "Takes that back.", "", "", 200,
     "Done", remove_policy, kSlow},
    {"POST", "/cleaning:dryrun", kRead, "tryPolicy", "How many rows a policy would remove now, beside the others.",
     "", "PolicyInput", 200, "PolicyTried", try_policy, kSlow},

    {"GET", "/audit", kAdmin, "listAudit", "Who changed what of the configuration, and when.",
     "after limit newest kind name from to", "", 200, "[Audit]", list_audit},

    {"GET", "/apis/core/{version}/supportevents", kRead, "listHorizonTypes",
     "As Horizon: its types of events.", "", "", 200, "HorizonAnswer", list_horizon_types},
    {"GET", "/apis/core/{version}/{scope}/{id}/webhooks", kRead, "listWebhooks",
     "As Horizon: who is told of a group, an application or a cluster.", "pageNumber pageSize", "",
     200, "HorizonWebhooks", list_webhooks},
    {"POST", "/apis/core/{version}/{scope}/{id}/webhooks", kAdmin, "addWebhook",
     "As Horizon: tells someone.", "", "HorizonWebhookInput", 200, "HorizonWebhookAnswer",
     add_webhook},
    {"GET", "/apis/core/{version}/webhooks/{id}", kRead, "showWebhook", "As Horizon: one of them.",
     "", "", 200, "HorizonWebhookAnswer", show_webhook},
    {"PUT", "/apis/core/{version}/webhooks/{id}", kAdmin, "changeWebhook",
     "As Horizon: changes what is given and keeps the rest.", "", "HorizonWebhookInput", 200,
     "HorizonWebhookAnswer", change_webhook},
    {"DELETE", "/apis/core/{version}/webhooks/{id}", kAdmin, "removeWebhook",
     "As Horizon: removes it and cancels what it has waiting.", "", "", 200, "HorizonAnswer",
     remove_webhook},
    {"GET", "/apis/core/{version}/webhooks/{id}/logs", kRead, "listWebhookLogs",
     "As Horizon: what it was told, the newest first.", "pageNumber pageSize eventType filter", "",
     200, "HorizonLogs", list_webhook_logs, kSlow},
    {"GET", "/apis/core/{version}/webhooklogs/{id}", kRead, "showWebhookLog",
     "As Horizon: one of them, with what was sent.", "", "", 200, "HorizonLogAnswer",
     show_webhook_log},
    {"POST", "/apis/core/{version}/webhooklogs/{id}/resend", kOperate, "resendWebhookLog",
     "As Horizon: sends it again; answers with the new one.", "", "", 200, "HorizonLogAnswer",
     resend_webhook_log},
    {"GET", "/apis/core/{version}/clusters/{id}/events", kRead, "listClusterEvents",
     "As Horizon: the newest Events of a cluster, or of one of its pods.", "podName", "", 200,
     "HorizonAnswer", list_cluster_events},
};

// Whether the path fits "/a/{b}"; what stands for its parts is put into `names`.
bool fits(std::string_view pattern, const std::vector<std::string>& path,
          std::vector<std::string>& names) {
  names.clear();
  pattern.remove_prefix(1);
  for (const std::string& segment : path) {
    const std::string_view part = pattern.substr(0, pattern.find('/'));
    if (part.empty() || segment.empty()) return false;
    if (part.starts_with('{')) {
      names.push_back(segment);
    } else if (part != segment) {
      return false;
    }
    pattern.remove_prefix(std::min(part.size() + 1, pattern.size()));
  }
  return pattern.empty();
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 18 &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

Error wrong(std::string_view name, std::string_view why) {
  return Error(cat(name, ": ", why), Code::kInvalidArgument);
}

}  // namespace

std::span<const ApiRoute> routes() { return kRoutes; }

RouteMatch find_route(std::string_view method, const std::vector<std::string>& path) {
  RouteMatch out;
  for (const ApiRoute& r : kRoutes) {
    if (!fits(r.path, path, out.names)) continue;
    if (r.method == method) {
      out.route = &r;
      return out;
    }
    append(out.methods, {out.methods.empty() ? "" : ", ", r.method});
  }
  return out;
}

std::optional<SchemaField> query_field(std::string_view word) {
  const size_t colon = word.find(':');
  const SchemaField* known = find_query_parameter(word.substr(0, colon));
  if (known == nullptr) return std::nullopt;
  SchemaField out = *known;
  if (colon != word.npos) out.type = word.substr(colon + 1);
  return out;
}

Status check_query(const ApiRoute& route, const httpd::Query& query) {
  const auto known = split(route.query, " ");
  for (const auto& [name, value] : query) {
    const auto word = std::find_if(known.begin(), known.end(), [&](std::string_view w) {
      return w.substr(0, w.find(':')) == name;
    });
    const auto p = word == known.end() ? std::nullopt : query_field(*word);
    if (!p) return wrong(name, "unknown parameter");
    if ((p->type == "number" || p->type == "time") && !is_number(value)) {
      return wrong(name, "want a number");
    }
    if (p->type.find('|') != std::string_view::npos) {
      const auto words = split(p->type, "|");
      if (std::find(words.begin(), words.end(), value) == words.end()) {
        return wrong(name, cat("want one of: ", join(words, ", ")));
      }
    }
  }
  return ok();
}

}  // namespace pintle::lookout
