#include "lookout/api/schemas.h"

#include <algorithm>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/fields.h"

namespace pintle::lookout {
namespace {

constexpr bool kAlways = true;

constexpr SchemaField kQuery[] = {
    {"after", "number", "the page that follows this sequence, id or name"},
    {"event", "number", "an event's sequence"},
    {"eventType", "text", "of Horizon's"},
    {"filter", "text", "a part of the name of what it happened to"},
    {"from", "time", "not before"},
    {"kind", "text", "of the object it happened to, or of what was changed"},
    {"limit", "number", "rows, at most 1000"},
    {"name", "text", "of the object it happened to, or of what was changed"},
    {"newest", "flag", "the newest first; `after` then goes backward"},
    {"ns", "text", "namespace of the object it happened to"},
    {"pageNumber", "number", "from 1 on"},
    {"pageSize", "number", "rows of a page, 20 without it"},
    {"podName", "text", "of this pod only"},
    {"reason", "text", "of the Event"},
    {"region", "text", "a region's name"},
    {"release", "text", "a release's name"},
    {"scope", "text", "REGION/NAMESPACE/RELEASE, or the first of them: who is told of what happens there"},
    {"state", "pending|leased|succeeded|retry|dead|cancelled", "of a delivery"},
    {"subscription", "number", "a subscription's id"},
    {"to", "time", "before"},
    {"type", "text", "of events"},
};

constexpr SchemaField kError[] = {{"error", "text", "what is wrong", kAlways}};

constexpr SchemaField kSubject[] = {
    {"group", "text", ""},         {"version", "text", ""},
    {"kind", "text", "", kAlways}, {"namespace", "text", "", kAlways},
    {"name", "text", "", kAlways}, {"uid", "text", ""},
};

constexpr SchemaField kEvent[] = {
    {"sequence", "number", "who has seen one never sees a smaller one later", kAlways},
    {"type", "text", "one of /supportevents, or of a rule", kAlways},
    {"severity", "info|warning|error", "", kAlways},
    {"time_ms", "time", "when it happened, as the cluster says"},
    {"stored_ms", "time", "", kAlways},
    {"region", "text", ""},
    {"cluster_uid", "text", "uid of the cluster's namespace kube-system"},
    {"subject", "Subject", "what it happened to", kAlways},
    {"release", "text", "the release it belongs to"},
    {"release_namespace", "text", ""},
    {"revision", "number", ""},
    {"reason", "text", ""},
    {"message", "text", ""},
    {"labels", "map", "the subject's", kAlways},
    {"data", "object", "by type: the schema of each is in /supportevents", kAlways},
    {"dedup_key", "text", "events of one key are one event"},
};

constexpr SchemaField kObservation[] = {
    {"resource", "text", "", kAlways},
    {"uid", "text", "", kAlways},
    {"version", "text", "", kAlways},
    {"change", "added|modified|deleted", "", kAlways},
    {"digest", "text", "SHA-256 of the object's text"},
    {"received_ms", "time", ""},
    {"count", "number", "an Event's repeats"},
    {"count_delta", "number", "since the state stored before"},
};

constexpr SchemaField kEventDetail[] = {
    {"observation", "Observation", "the state of an object that told it"},
    {"deliveries", "[Delivery]", "who was to be told", kAlways},
};

constexpr SchemaField kEventType[] = {
    {"type", "text", "", kAlways},
    {"meaning", "text", "", kAlways},
    {"schema", "object", "JSON Schema of such an event's data", kAlways},
};

constexpr SchemaField kRelease[] = {
    {"region", "text", ""},        {"kind", "text", ""},
    {"name", "text", "", kAlways}, {"namespace", "text", ""},
    {"state", "text", ""},         {"revision", "number", ""},
    {"since_ms", "time", ""},      {"chart", "text", ""},
    {"app_version", "text", ""},   {"who", "text", "who changed it last"},
};

constexpr std::string_view kOrders = "subject|release|region|subscription";
constexpr std::string_view kFallBacks = "nobody|unknown|always";

constexpr SchemaField kSubscriptionInput[] = {
    {"name", "text", "letters, digits, '-', '_' and '.'"},
    {"enabled", "flag", "one that is not is due nothing new, and holds what it has waiting"},
    {"sink", "text", "where to: webhook, slack, kafka, ..."},
    {"options", "object", "the sink's own: url, format, template, ...; what is shown masked (\"***\") "
     "and comes back so is kept"},
    {"order_by", kOrders, "what is told one after the other"},
    {"types", "texts", "of events; release.* for all below; empty: all, as with all that follow"},
    {"regions", "texts", ""},
    {"environments", "texts", ""},
    {"namespaces", "texts", ""},
    {"kinds", "texts", ""},
    {"reasons", "texts", ""},
    {"reason_patterns", "texts", "RE2, found anywhere in the reason; beside reasons: one of either"},
    {"releases", "texts", ""},
    {"scopes", "texts", "REGION/NAMESPACE/RELEASE or the first parts of it, each with all below; one "
     "must fit"},
    {"labels", "map", "all must be equal"},
    {"selector", "text", "Kubernetes' of labels: team in (a, b), tier != web, !canary"},
    {"min_severity", "info|warning|error", ""},
    {"whom", "texts", "trigger, owners, oncall, oncall:DUTY, a person, a contact, or a template that "
     "says some; found when a message is sent. Empty: the sink's own list"},
    {"fall_back", kFallBacks, "when the sink's own list is told, too; nobody: when nobody was found"},
    {"retry", "texts", "what passes before each try: 5s, 30s, 2m, ...; empty: as usual"},
    {"give_up", "text", "after the first try; 0: 24h"},
    {"disable_after", "text", "every attempt has failed for so long: it is paused; 0: never"},
    {"quiet", "text", "hours in which nothing is sent: 22:00-07:00 +08:00; empty: none"},
    {"quiet_but", "info|warning|error", "what is so severe is sent all the same"},
    {"digest", "text", "what happens within so long is told together; 0: at once"},
    {"once_per", "texts", "of events alike in these (type region cluster namespace release revision "
     "kind name reason) only the first is told"},
    {"secret", "text", "goes in and never comes out; without one the one before is kept"},
};

constexpr SchemaField kSubscription[] = {
    {"id", "number", "", kAlways},
    {"source", "config|api", "who made it; the configuration's are changed there", kAlways},
    {"name", "text", "", kAlways},
    {"enabled", "flag", "", kAlways},
    {"paused", "flag", "by an operator, or by lookout", kAlways},
    {"paused_reason", "text", "why lookout did: its receiver is gone (410), or every attempt has failed "
     "for its disable_after"},
    {"sink", "text", "", kAlways},
    {"options", "object", "what is secret in them masked: paths of URLs, headers, keys", kAlways},
    {"order_by", kOrders, "", kAlways},
    {"types", "texts", "", kAlways},
    {"regions", "texts", "", kAlways},
    {"environments", "texts", "", kAlways},
    {"namespaces", "texts", "", kAlways},
    {"kinds", "texts", "", kAlways},
    {"reasons", "texts", "", kAlways},
    {"reason_patterns", "texts", "", kAlways},
    {"releases", "texts", "", kAlways},
    {"scopes", "texts", "", kAlways},
    {"labels", "map", "", kAlways},
    {"selector", "text", ""},
    {"min_severity", "info|warning|error", "", kAlways},
    {"whom", "texts", "", kAlways},
    {"fall_back", kFallBacks, "", kAlways},
    {"retry", "texts", "the schedule that holds", kAlways},
    {"give_up", "text", "", kAlways},
    {"disable_after", "text", ""},
    {"quiet", "text", "", kAlways},
    {"quiet_but", "info|warning|error", "", kAlways},
    {"digest", "text", "", kAlways},
    {"once_per", "texts", "", kAlways},
};

constexpr SchemaField kPersonInput[] = {
    {"name", "text", "letters, digits, '-', '_' and '.'"},
    {"aliases", "texts", "as clusters and labels call them"},
    {"mail", "text", "contacts: what is shown masked and comes back so is kept"},
    {"dingtalk", "text", "mobile number"},
    {"feishu", "text", "open_id"},
    {"wecom", "text", "userid, or mobile number"},
    {"slack", "text", "member id"},
};

constexpr SchemaField kOwnersInput[] = {
    {"name", "text", "of the row"},
    {"types", "texts", "of events; empty: all, as with all that follow"},
    {"regions", "texts", ""},
    {"namespaces", "texts", ""},
    {"releases", "texts", ""},
    {"kinds", "texts", ""},
    {"labels", "map", "all must be equal"},
    {"selector", "text", "of labels"},
    {"people", "texts", "names, or contacts"},
    {"channel", "text", "of Slack"},
};

constexpr SchemaField kDutyInput[] = {
    {"name", "text", "of the row"},
    {"duty", "text", "what it is for; without it the name"},
    {"people", "texts", "names, or contacts"},
    {"since", "text", "when the first one's turn began, as RFC 3339"},
    {"turn", "text", "how long each has it, one after the other: 7d; without it all have it"},
    {"from", "text", "in force from then; a row with from or to stands in for others of the duty"},
    {"to", "text", "and until then"},
};

constexpr SchemaField kMadeBy[] = {
    {"source", "config|api", "who made it; the configuration's are changed there", kAlways},
};

constexpr SchemaField kCloudEventInput[] = {
    {"specversion", "text", "1.0", kAlways},
    {"id", "text", "with its source: one that was taken before is not stored again", kAlways},
    {"source", "text", "", kAlways},
    {"type", "text", "the event's reason", kAlways},
    {"subject", "text", "the event's name, unless its data holds an object of Kubernetes"},
    {"time", "text", "as RFC 3339; without it now"},
    {"severity", "info|warning|error", "without it error where a word of the type is \"failed\""},
    {"data", "any", ""},
};

constexpr SchemaField kTaken[] = {
    {"stored", "number", "events that were new", kAlways},
    {"known", "number", "events that had been taken before", kAlways},
};

constexpr SchemaField kRotation[] = {
    {"secret", "text", "the new one; without it one is made, where the sink signs with its own"},
    {"grace", "text", "how long the old one is valid beside it, as \"24h\", which it is without"},
};

constexpr SchemaField kPreview[] = {
    {"id", "number", "of one that there is: what is left out is as it was"},
    {"event", "number", "its sequence; without it an event that says it is a test"},
};

constexpr SchemaField kPreviewed[] = {
    {"matches", "flag", "whether it would be told of this event", kAlways},
    {"body", "text", "what it would say; \"\": nothing", kAlways},
    {"curl", "text", "lines of a shell that send it by hand; \"\": it is no HTTP", kAlways},
};

constexpr SchemaField kRotated[] = {
    {"secret", "text", "the new one; it is never shown again", kAlways},
    {"old_until_ms", "time", "what is sent until then is signed with the old one, too"},
};

constexpr SchemaField kDelivery[] = {
    {"id", "number", "", kAlways},
    {"event", "number", "its sequence", kAlways},
    {"subscription", "number", "", kAlways},
    {"generation", "number", "more than 1: it was sent again", kAlways},
    {"state", "pending|leased|succeeded|retry|dead|cancelled", "", kAlways},
    {"order_key", "text", "those of one key are told one after the other"},
    {"due_ms", "time", ""},
    {"attempts", "number", ""},
    {"first_attempt_ms", "time", ""},
    {"dead_reason", "text", "why it was given up"},
};

constexpr SchemaField kAttempt[] = {
    {"n", "number", "", kAlways},
    {"started_ms", "time", ""},
    {"took_ms", "number", ""},
    {"status", "number", "of HTTP or SMTP"},
    {"result", "ok|retry|dead|gone|unknown",
     "taken; worth another try; refused for good; likewise, for there is no receiver any more; its process ended "
     "before it was known"},
    {"error", "text", "nothing: it was taken"},
    {"tls", "text", "the version and cipher it went by; nothing: in clear, not answered or not known"},
    {"peer", "text", "the address that answered, else those it was sent to"},
    {"response", "text", "the answer's head, for admins"},
    {"told", "text", "whom `whom` found, and whom not; for operators"},
};

constexpr SchemaField kDeliveryDetail[] = {
    {"delivery", "Delivery", "", kAlways},
    {"items", "[Attempt]", "its attempts, oldest first", kAlways},
    {"curl", "text", "a shell's lines that send the same, without secrets; nothing: it is no HTTP", kAlways},
};

constexpr SchemaField kResend[] = {
    {"subscription", "number", "of this one only"},
    {"state", "dead|succeeded|cancelled", "as it is now; dead without it"},
    {"from", "time", "events stored not before"},
    {"to", "time", "and before"},
    {"limit", "number", "at most so many, 1 to 1000"},
};

constexpr SchemaField kResent[] = {
    {"resent", "number", "", kAlways},
    {"more", "flag", "there are others: ask again", kAlways},
};

constexpr SchemaField kWatch[] = {
    {"resource", "text", "", kAlways},
    {"state", "text", "live, syncing, absent, denied, waiting", kAlways},
    {"version", "text", "the newest seen"},
    {"error", "text", ""},
    {"heard_ms", "time", "when anything was last heard"},
    {"lists", "number", "since the start"},
    {"expired", "number", "how often its history was gone"},
    {"skipped", "number", "what came and was not heard: of another kind, too long, or not to be read"},
    {"objects", "number", ""},
    {"list_ms", "number", "that its lists took in all"},
};

constexpr SchemaField kRegionInput[] = {
    {"name", "text", "letters, digits, '-', '_' and '.'"},
    {"environment", "text", ""},
    {"kubeconfig", "text", "the text of one, which never comes out, or \"in-cluster\""},
    {"context", "text", "of the kubeconfig; its current one otherwise"},
    {"namespaces", "texts", "empty: all"},
    {"enabled", "flag", "false: it is not watched, and what is stored of it stays"},
    {"event_ttl", "text", "of its API server, as \"1h\""},
    {"memory_mb", "number", "that it may hold; above it pods, then Jobs are no longer watched until they fit again. 0: no limit"},
};

constexpr SchemaField kRegion[] = {
    {"name", "text", "", kAlways},
    {"environment", "text", ""},
    {"source", "config|api", "who made it; the configuration's are changed there", kAlways},
    {"context", "text", ""},
    {"namespaces", "texts", "", kAlways},
    {"enabled", "flag", "", kAlways},
    {"event_ttl_ms", "number", "how long its API server keeps Events", kAlways},
    {"memory_mb", "number", "that it may hold; 0: no limit"},
    {"held_bytes", "number", "that it holds, roughly"},
    {"cluster_uid", "text", "uid of its namespace kube-system"},
    {"server", "text", ""},
    {"state", "text",
     "live; partial: some kinds are refused; connecting, syncing; unreachable, auth failed, denied, stale, memory; "
     "elsewhere; disabled",
     kAlways},
    {"error", "text", ""},
    {"since_ms", "time", "in this state"},
    {"last_event_ms", "time", ""},
    {"heard", "number", "changes"},
    {"broken", "number", "objects that could not be read"},
    {"gaps", "number", "since the start"},
    {"tracked", "number", "releases and workloads"},
    {"watches", "[Watch]", "", kAlways},
};

constexpr SchemaField kRegionHealth[] = {
    {"name", "text", "", kAlways},
    {"healthy", "flag", "it is live, or partial", kAlways},
    {"state", "text", "", kAlways},
    {"error", "text", ""},
    {"since_ms", "time", "in this state"},
    {"last_event_ms", "time", ""},
    {"checkpoint_age_ms", "number", "of what was heard longest ago"},
    {"lists", "number", "of all watches, since the start"},
    {"expired", "number", "how often a history was gone"},
    {"broken", "number", "objects that could not be read"},
    {"gaps", "number", "since the start"},
    {"held_bytes", "number", "that it holds, roughly"},
    {"watches", "[Watch]", "", kAlways},
};

constexpr SchemaField kSubscriptionDetail[] = {
    {"statistics", "SubscriptionStatistics", "how it fares", kAlways},
};
constexpr SchemaField kStatistics[] = {
    {"delivered", "number", "of the deliveries that are still stored", kAlways},
    {"waiting", "number", "for their first try, or on their way", kAlways},
    {"failed", "number", "that wait for another try", kAlways},
    {"dead", "number", "given up", kAlways},
    {"last_success_ms", "time", "true to the minute, as the next two"},
    {"last_failure_ms", "time", ""},
    {"failing_since_ms", "time", "the first failure since the last success; absent: it is not failing"},
    {"last_error", "text", "of the last failure"},
};
constexpr SchemaField kAudit[] = {
    {"id", "number", "", kAlways},
    {"at_ms", "time", "", kAlways},
    {"who", "text", "a token's name; \"file\": a file that was read anew; \"lookout\": it itself", kAlways},
    {"role", "text", "the token's"},
    {"kind", "text", "subscription, region, rule, cleaning, person, owners, oncall, token, configuration", kAlways},
    {"name", "text", "", kAlways},
    {"verb", "added|changed|removed", "", kAlways},
    {"fields", "[AuditField]", "", kAlways},
};
constexpr SchemaField kAuditField[] = {
    {"field", "text", "", kAlways},
    {"before", "any", "\"***\": a secret"},
    {"after", "any", "\"***\": a secret, the same or another"},
};
constexpr SchemaField kGap[] = {
    {"id", "number", "", kAlways}, {"region", "text", ""}, {"resource", "text", "", kAlways},
    {"from_ms", "time", ""},       {"to_ms", "time", ""},  {"from_version", "text", ""},
    {"cause", "text", ""},
};

constexpr SchemaField kRuleInput[] = {
    {"name", "text", "a default rule's changes it"},
    {"group", "text", "of the involved object"},
    {"version", "text", "\"\" or *: any"},
    {"kind", "text", ""},
    {"reasons", "texts", "empty: any, as with all lists"},
    {"messages", "texts", "RE2, found anywhere in the text"},
    {"anchored", "flag", "they must fit the whole text"},
    {"event_type", "text", "Warning, Normal"},
    {"namespaces", "texts", ""},
    {"components", "texts", ""},
    {"regions", "texts", ""},
    {"labels", "map", "of the involved object"},
    {"min_count", "number", ""},
    {"type", "text", "what it means"},
    {"severity", "info|warning|error", ""},
    {"dedup", "text", "key of one event among repeats, with {cluster} {uid} {match1} and others"},
    {"off", "flag", ""},
};

constexpr SchemaField kRule[] = {
    {"source", "default|config|api", "who made or changed it last", kAlways},
};

constexpr SchemaField kRuleTrial[] = {
    {"rule", "any", "a rule, or TOML of some", kAlways},
    {"from", "time", "of the stored Events"},
    {"to", "time", ""},
    {"after", "number", "of those behind this sequence only"},
};

constexpr SchemaField kRuleHit[] = {
    {"sequence", "number", "of the raw Event", kAlways},
    {"rule", "text", "", kAlways},
    {"type", "text", "", kAlways},
    {"message", "text", ""},
    {"dedup_key", "text", ""},
};

constexpr SchemaField kRuleTried[] = {
    {"seen", "number", "Events looked at, 100,000 at most"},
    {"matched", "number", ""},
    {"items", "[RuleHit]", "the first hundred", kAlways},
    {"more", "flag", "there are more Events than were looked at", kAlways},
    {"next", "number", "what `after` is for those; without more nothing"},
};

constexpr SchemaField kReadiness[] = {
    {"ready", "flag", "", kAlways},
    {"reasons", "texts", "why it is not", kAlways},
    {"database", "text", "ok, or what reading says", kAlways},
    {"leader", "known|unknown", "whether it is known which regions are this process's", kAlways},
    {"writing", "text", "ok, or why nothing can be stored now", kAlways},
    {"trouble_since_ms", "time", "since when nothing can be stored"},
    {"regions", "number", "", kAlways},
    {"regions_live", "number", "here or in another process", kAlways},
};

constexpr SchemaField kPolicyInput[] = {
    {"name", "text", "its type when there is none"},
    {"type", "text",
     "of events; pod.* for all below; * for what has no other policy, of the other tables too; or "
     "one of them: dead, delivery, attempt, observation, gap"},
    {"kinds", "texts", "of the objects it happened to; all when empty"},
    {"reasons", "texts", "all when empty"},
    {"namespaces", "texts", "all when empty"},
    {"keep", "text", "as \"14d\""},
    {"keep_rows", "number", "only so many, the newest"},
    {"archive", "flag", "what goes is written to a file first"},
};

constexpr SchemaField kPolicy[] = {
    {"name", "text", "", kAlways},
    {"type", "text", "", kAlways},
    {"kinds", "texts", "", kAlways},
    {"reasons", "texts", "", kAlways},
    {"namespaces", "texts", "", kAlways},
    {"keep", "text", ""},
    {"keep_rows", "number", ""},
    {"archive", "flag", "", kAlways},
    {"source", "config|api", "", kAlways},
};

constexpr SchemaField kPolicyTried[] = {
    {"name", "text", "", kAlways},
    {"type", "text", "", kAlways},
    {"keep", "text", ""},
    {"keep_rows", "number", ""},
    {"would_go", "number", "rows in all", kAlways},
    {"events", "number", "", kAlways},
    {"deliveries", "number", "", kAlways},
    {"attempts", "number", "", kAlways},
    {"observations", "number", "states", kAlways},
    {"gaps", "number", "", kAlways},
    {"audit", "number", "", kAlways},
    {"more", "flag", "100,000 of a table were found and counting ended", kAlways},
};

constexpr SchemaField kHorizonWebhookInput[] = {
    {"url", "text", "http:// or https://"},
    {"enabled", "flag", "one that is not is due nothing new, and holds what it has waiting"},
    {"sslVerifyEnabled", "flag", "certificates are always verified; on wants https://"},
    {"description", "text", ""},
    {"secret", "text", "goes in and never comes out"},
    {"triggers", "texts", "of /supportevents, or *; none keep those before"},
};

constexpr SchemaField kHorizonWebhook[] = {
    {"id", "number", "", kAlways},
    {"enabled", "flag", "", kAlways},
    {"url", "text", "", kAlways},
    {"sslVerifyEnabled", "flag", "the url is https://", kAlways},
    {"description", "text", "", kAlways},
    {"secret", "text", "always empty", kAlways},
    {"triggers", "texts", "", kAlways},
};

constexpr SchemaField kHorizonLog[] = {
    {"id", "number", "", kAlways},
    {"webhookID", "number", "", kAlways},
    {"eventID", "number", "", kAlways},
    {"url", "text", "", kAlways},
    {"status", "waiting|success|failed", "", kAlways},
    {"resourceType", "clusters|groups", "", kAlways},
    {"resourceName", "text", "", kAlways},
    {"resourceID", "number", "", kAlways},
    {"eventType", "text", "", kAlways},
    {"extra", "text", "JSON", kAlways},
    {"errorMessage", "text", "", kAlways},
    {"createdAt", "text", "", kAlways},
    {"updatedAt", "text", "its last attempt"},
    {"requestHeaders", "text", "without secrets"},
    {"requestData", "text", "JSON"},
    {"responseHeaders", "text", ""},
    {"responseBody", "text", "for admins"},
};

constexpr SchemaField kHorizonWebhookPage[] = {
    {"items", "[HorizonWebhook]", "", kAlways}, {"total", "number", "", kAlways}};
constexpr SchemaField kHorizonLogPage[] = {
    {"items", "[HorizonLog]", "", kAlways}, {"total", "number", "of the newest 5,000", kAlways}};
constexpr SchemaField kHorizonAnswer[] = {{"data", "any", ""}};
constexpr SchemaField kHorizonWebhooks[] = {{"data", "HorizonWebhookPage", "", kAlways}};
constexpr SchemaField kHorizonWebhookAnswer[] = {{"data", "HorizonWebhook", "", kAlways}};
constexpr SchemaField kHorizonLogs[] = {{"data", "HorizonLogPage", "", kAlways}};
constexpr SchemaField kHorizonLogAnswer[] = {{"data", "HorizonLog", "", kAlways}};
constexpr SchemaField kHorizonError[] = {
    {"errorCode", "text", "", kAlways}, {"errorMessage", "text", "what is wrong", kAlways}};

constexpr Schema kSchemas[] = {
    {"Attempt", "one try of a delivery", kAttempt},
    {"Audit", "a change of the configuration", kAudit},
    {"AuditField", "what has changed of it", kAuditField},
    {"CloudEvent", "CloudEvents 1.0, as another system sends it", kCloudEventInput},
    {"Delivery", "an event that one subscription is due", kDelivery},
    {"DeliveryDetail", "a delivery with its attempts", kDeliveryDetail},
    {"Done", "nothing to say", {}},
    {"Duty", "who is on duty when", kMadeBy, "DutyInput"},
    {"DutyInput", "who is on duty when", kDutyInput},
    {"Error", "why a request was refused", kError},
    {"Event", "something that happened", kEvent},
    {"EventDetail", "an event with what is known around it", kEventDetail, "Event"},
    {"EventType", "a type of events", kEventType},
    {"Gap", "a span whose states may have been lost", kGap},
    {"HorizonAnswer", "an answer as Horizon gives it", kHorizonAnswer},
    {"HorizonError", "why a request was refused, as Horizon says it", kHorizonError},
    {"HorizonLog", "a delivery, as Horizon shows it", kHorizonLog},
    {"HorizonLogAnswer", "one of them", kHorizonLogAnswer},
    {"HorizonLogPage", "some of them", kHorizonLogPage},
    {"HorizonLogs", "some of them", kHorizonLogs},
    {"HorizonWebhook", "a subscription, as Horizon shows it", kHorizonWebhook},
    {"HorizonWebhookAnswer", "one of them", kHorizonWebhookAnswer},
    {"HorizonWebhookInput", "a subscription, as Horizon's clients make it", kHorizonWebhookInput},
    {"HorizonWebhookPage", "all of them", kHorizonWebhookPage},
    {"HorizonWebhooks", "all of them", kHorizonWebhooks},
    {"Observation", "one state of one object", kObservation},
    {"Owners", "who owns what", kMadeBy, "OwnersInput"},
    {"OwnersInput", "who owns what", kOwnersInput},
    {"Person", "somebody messages may call", kMadeBy, "PersonInput"},
    {"PersonInput", "somebody messages may call", kPersonInput},
    {"Policy", "how long rows are kept, and how many", kPolicy},
    {"PolicyInput", "how long rows are kept, and how many", kPolicyInput},
    {"PolicyTried", "what a policy would remove now", kPolicyTried},
    {"Readiness", "whether the process is ready, and why not", kReadiness},
    {"Region", "a watched cluster", kRegion},
    {"RegionHealth", "how well a cluster is watched", kRegionHealth},
    {"RegionInput", "a cluster to watch", kRegionInput},
    {"Release", "a release, Rollout, Application or workload as it is now", kRelease},
    {"Resend", "which deliveries are to be sent again", kResend},
    {"Resent", "how many are", kResent},
    {"Previewed", "what a subscription would say of an event", kPreviewed},
    {"Rotated", "a fresh secret", kRotated},
    {"Rotation", "how a secret is changed", kRotation},
    {"Rule", "which Events mean what", kRule, "RuleInput"},
    {"RuleHit", "what a rule makes of a stored Event", kRuleHit},
    {"RuleInput", "which Events mean what", kRuleInput},
    {"RuleTrial", "a rule to try on what is stored", kRuleTrial},
    {"RuleTried", "what a rule would have made of what is stored", kRuleTried},
    {"Subject", "the object something happened to", kSubject},
    {"Subscription", "who is told what, and where", kSubscription},
    {"SubscriptionDetail", "one of them, and how it fares", kSubscriptionDetail, "Subscription"},
    {"SubscriptionInput", "who is to be told what, and where", kSubscriptionInput},
    {"SubscriptionPreview", "a subscription to try on an event", kPreview, "SubscriptionInput"},
    {"SubscriptionStatistics", "how a subscription fares", kStatistics},
    {"Taken", "what became of CloudEvents", kTaken},
    {"Watch", "one resource of a cluster that is watched", kWatch},
};

constexpr struct {
  std::string_view type, json;
} kPlainTypes[] = {
    {"any", "{}"},
    {"flag", R"({"type":"boolean"})"},
    {"map", R"({"type":"object","additionalProperties":{"type":"string"}})"},
    {"number", R"({"type":"integer"})"},
    {"object", R"({"type":"object"})"},
    {"text", R"({"type":"string"})"},
    {"texts", R"({"type":"array","items":{"type":"string"}})"},
    {"time", R"({"type":"integer","description":"milliseconds since 1970, UTC"})"},
};

// With what it means beside it.
std::string field_json(const SchemaField& field) {
  std::string out = type_json(field.type);
  if (field.meaning.empty() || field.type == "time") return out;
  out.pop_back();
  return cat(out, out.size() > 1 ? "," : "", "\"description\":", json::quoted(field.meaning), "}");
}

}  // namespace

std::span<const Schema> schemas() { return kSchemas; }
std::span<const SchemaField> query_parameters() { return kQuery; }

const SchemaField* find_query_parameter(std::string_view name) {
  const auto* it = std::find_if(std::begin(kQuery), std::end(kQuery),
                                [&](const SchemaField& f) { return f.name == name; });
  return it == std::end(kQuery) ? nullptr : it;
}

std::string type_json(std::string_view type) {
  for (const auto& [name, json] : kPlainTypes) {
    if (name == type) return std::string(json);
  }
  if (type.find('|') != std::string_view::npos) {
    std::vector<std::string> words;
    for (const std::string_view word : split(type, "|")) words.emplace_back(word);
    return cat("{\"type\":\"string\",\"enum\":", json_list(words), "}");
  }
  if (type.starts_with('[')) {
    return cat("{\"type\":\"array\",\"items\":", type_json(type.substr(1, type.size() - 2)), "}");
  }
  return cat("{\"$ref\":", json::quoted(cat("#/components/schemas/", type)), "}");
}

std::string schema_json(const Schema& schema) {
  Data properties;
  std::vector<std::string> always;
  const auto add = [&](std::span<const SchemaField> fields) {
    for (const SchemaField& f : fields) {
      properties.raw(f.name, field_json(f));
      if (f.always) always.emplace_back(f.name);
    }
  };
  for (const Schema& other : kSchemas) {
    if (other.name == schema.base) add(other.fields);
  }
  add(schema.fields);
  Data out;
  out.text("type", "object").text("description", schema.meaning);
  if (!always.empty()) out.raw("required", json_list(always));
  return out.raw("properties", properties.take()).take();
}

}  // namespace pintle::lookout
