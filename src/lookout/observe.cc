#include "lookout/observe.h"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "lookout/sinks/body.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kHoldMs = 10'000;
constexpr size_t kMostHeld = 10'000;

bool is_events(std::string_view resource) {
  return resource == "events" || resource == "events.events.k8s.io";
}

Change change_of(informer::Change::Kind kind) {
  return kind == informer::Change::Kind::kAdd      ? Change::kAdded
         : kind == informer::Change::Kind::kUpdate ? Change::kModified
                                                   : Change::kDeleted;
}

Observation observed(std::string_view resource, const informer::Change& change, int64_t now_ms) {
  const informer::Object& o = *change.object;
  Observation out;
  out.resource = resource;
  out.uid = clean_text(o.uid(), 253);
  out.version = clean_text(o.resource_version(), 253);
  out.change = change_of(change.kind);
  out.digest = crypt::hex(crypt::sha256(o.text()));
  out.received_ms = now_ms;
  out.subject.name_space = clean_text(o.name_space(), 253);
  out.subject.name = clean_text(o.name(), 253);
  out.subject.uid = out.uid;
  return out;
}

// For a delete whose last state is not known: the heads.
std::string heads_json(const informer::Object& o) {
  return cat("{\"metadata\":{\"name\":", json::quoted(o.name()),
             ",\"namespace\":", json::quoted(o.name_space()), ",\"uid\":", json::quoted(o.uid()),
             "}}");
}

std::string when(int64_t ms) { return ms == 0 ? "" : time_text(ms); }

size_t hash_of(std::string_view uid) { return std::hash<std::string_view>()(uid); }

// "spec.containers{web}" -> "web"
std::string container_of(std::string_view field_path) {
  const size_t open = field_path.find('{'), close = field_path.rfind('}');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return "";
  return std::string(field_path.substr(open + 1, close - open - 1));
}

}  // namespace

Observer::Observer(std::string region, std::string cluster_uid, const Rules& rules,
                   TrackerOptions options)
    : region_(std::move(region)),
      cluster_uid_(std::move(cluster_uid)),
      rules_(&rules),
      tracker_(cluster_uid_, options),
      groups_(options.group_ms) {}

void Observer::add(Event event, int64_t now_ms, Batch& batch) {
  if (!groups_.take(event, now_ms)) batch.events.push_back(std::move(event));
}

void Observer::know_counts(const std::vector<std::pair<std::string, int64_t>>& counts) {
  counts_.reserve(counts.size());
  for (const auto& [uid, count] : counts) counts_.emplace(hash_of(uid), count);
}

Status Observer::hear(std::string_view resource, const informer::Change& change, int64_t now_ms,
                      Batch& batch) {
  if (change.kind == informer::Change::Kind::kBookmark && is_release_record(resource)) {
    for (Event& e : tracker_.list_over(resource, now_ms)) add(std::move(e), now_ms, batch);
  }
  if (change.kind == informer::Change::Kind::kBookmark || change.resync || !change.object)
    return ok();
  if (is_events(resource)) return hear_event(resource, change, now_ms, batch);

  // Made anew under the same name: one life ended, another began.
  if (change.recreated()) {
    informer::Change gone;
    gone.kind = informer::Change::Kind::kDelete;
    gone.object = change.before;
    (void)hear(resource, gone, now_ms, batch);
  }
  const bool deleted = change.kind == informer::Change::Kind::kDelete;
  const std::string text =
      deleted ? heads_json(*change.object) : std::string(change.object->text());
  auto events = tracker_.observe(resource, change_of(change.kind), text, change.initial, now_ms,
                                 change.final_state_unknown);
  for (std::string& key : tracker_.take_told()) batch.told.push_back(std::move(key));
  const bool kept = is_release_record(resource) || !events || !events->empty();
  int place = -1;
  if (kept) {
    place = static_cast<int>(batch.observations.size());
    batch.observations.push_back(observed(resource, change, now_ms));
    // A release's word may come with another object's state.
    Observation& o = batch.observations.back();
    for (const Event& e : events ? *events : std::vector<Event>()) {
      if (e.subject.uid == o.uid) o.subject = e.subject;
    }
  }
  if (!events) return events.error();
  for (Event& e : *events) {
    e.observation = place;
    add(std::move(e), now_ms, batch);
  }
  return ok();
}

Status Observer::hear_event(std::string_view resource, const informer::Change& change,
                            int64_t now_ms, Batch& batch) {
  const size_t uid = hash_of(change.object->uid());
  if (change.recreated()) counts_.erase(hash_of(change.before->uid()));
  if (change.kind == informer::Change::Kind::kDelete) {  // its time was over
    counts_.erase(uid);
    return ok();
  }
  batch.observations.push_back(observed(resource, change, now_ms));
  Observation& o = batch.observations.back();
  const auto parsed = parse_kube_event(change.object->text());
  if (!parsed) return parsed.error();
  const KubeEvent& e = *parsed;
  int64_t& count = counts_[uid];
  o.subject = e.involved;
  o.count = e.count;
  o.count_delta = std::max<int64_t>(0, e.count - count);
  count = e.count;

  Event event;
  event.type = "kubernetes.event";
  event.severity = e.type == "Warning" ? Severity::kWarning : Severity::kInfo;
  event.subject = e.involved;
  Owner owner = tracker_.owner_of(e.involved);
  event.release = std::move(owner.release);
  event.release_namespace = std::move(owner.name_space);
  event.labels = std::move(owner.labels);
  event.reason = e.reason;
  event.message = e.message;
  event.time_ms = e.time_ms() != 0 ? e.time_ms() : now_ms;
  event.observation = static_cast<int>(batch.observations.size()) - 1;
  event.data = Data()
                   .text("type", e.type)
                   .number("count", e.count)
                   .number("count_delta", o.count_delta)
                   .text("component", e.component)
                   .text("host", e.host)
                   .text("field_path", e.field_path)
                   .text("event_name", e.name)
                   .text("event_namespace", e.name_space)
                   .text("event_uid", e.uid)
                   .text("series_time", when(e.series_ms))
                   .text("last_time", when(e.last_ms))
                   .text("event_time", when(e.event_ms))
                   .text("created_time", when(e.created_ms))
                   .take();
  const auto hit =
      rules_->match(e, cluster_uid_, region_, event.labels, tracker_.generation_of(e.involved));
  if (raw_events_) batch.events.push_back(event);
  if (hit.rule != nullptr) tell(e, hit, change.initial, now_ms, std::move(event), batch);
  return ok();
}

void Observer::tell(const KubeEvent& e, const Rules::Hit& hit, bool initial, int64_t now_ms,
                    Event event, Batch& batch) {
  event.type = hit.rule->type;
  event.severity = hit.rule->severity;
  auto hint = tracker_.hint(e.involved, event.type, hit.detail, hit.dedup_key, e.time_ms(), initial,
                            now_ms);
  if (!hint.tell) return;
  event.dedup_key = std::move(hint.dedup_key);
  if (!hint.type.empty()) event.type = std::move(hint.type);
  Data data;
  data.text("rule", hit.rule->name).number("count", e.count).text("event_uid", e.uid);
  if (event.type == "release.step") data.number("step", atoll(hit.detail.c_str()));
  if (event.type != "image.pulled") {
    event.data = data.take();
    add(std::move(event), now_ms, batch);
    return;
  }
  event.revision = tracker_.revision_of({event.release, event.release_namespace, {}});
  // An Event need not say of which container it is.
  std::string container = container_of(e.field_path);
  if (container.empty()) container = tracker_.only_container(e.involved);
  data.text("container", container).text("image", hit.detail);
  const std::string image = tracker_.image_of(e.involved, container);
  if (const size_t at = image.find("sha256:"); at != std::string::npos) {
    data.text("digest", image.substr(at)).text("image_id", image);
    event.dedup_key =
        cat(cluster_uid_, '/', e.involved.uid, "/pulled/", container, '/', image.substr(at));
  }
  event.data = data.take();
  // The pod's status will tell it with the digest.
  if (image.empty() && tracker_.knows(e.involved) && held_.size() < kMostHeld) {
    event.observation = -1;
    held_.push_back({now_ms + kHoldMs, container, std::move(event)});
    return;
  }
  batch.events.push_back(std::move(event));
}

int64_t Observer::next_tick_ms() const {
  int64_t next = 0;
  for (const int64_t due : {tracker_.next_tick_ms(), groups_.next_tick_ms(),
                            held_.empty() ? 0 : held_.front().due_ms}) {
    if (due != 0) next = next == 0 ? due : std::min(next, due);
  }
  return next;
}

void Observer::tick(int64_t now_ms, Batch& batch) {
  for (; !held_.empty() && held_.front().due_ms <= now_ms; held_.pop_front()) {
    Held& h = held_.front();
    const Subject& pod = h.event.subject;
    const std::string container = h.container.empty() ? tracker_.only_container(pod) : h.container;
    if (tracker_.image_of(pod, container).empty()) {
      batch.events.push_back(std::move(h.event));
    }
  }
  for (Event& e : tracker_.tick(now_ms)) add(std::move(e), now_ms, batch);
  groups_.tick(now_ms, false, batch.events);
}

void Observer::flush(Batch& batch) { groups_.tick(0, true, batch.events); }

}  // namespace pintle::lookout
