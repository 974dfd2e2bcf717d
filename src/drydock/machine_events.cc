// The Events that controllers record, and their end after their time to live (an etcd lease in a real
// server, renewed by every write of the Event).
#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "base/strings.h"
#include "drydock/controllers/common.h"
#include "drydock/machine.h"

namespace pintle::drydock {
namespace {

// It alone records by events.k8s.io, where repeats are a series and sources are elsewhere.
constexpr std::string_view kScheduler = "default-scheduler";

}  // namespace

void Machine::event(const Value& about, std::string_view type, std::string_view reason, std::string_view message,
                    std::string_view component) {
  std::string ns(namespace_of(about));
  if (ns.empty()) ns = "default";
  EventMemory::Said said =
      x_event_memory.say(uid_of(about), type, reason, component, message, now_ns());
  std::string time = now();
  bool by_series = component == kScheduler;
  if (!said.name.empty()) {
    if (auto old = get({"", "events", ns, said.name})) {
      if (by_series) {
        Value& series = ensure(*old, "series");
        put(series, "count", number_or(1, series, "count") + 1);
        put(series, "lastObservedTime", time_text(now_ns(), true));
      } else {
        put(*old, "count", number(*old, "count") + 1);
        put(*old, "lastTimestamp", time);
      }
      put(*old, "message", said.message);
      // An event that cannot be written is lost, as with any recorder.
      (void)update("", "events", std::move(*old), "");
      return;
    }
  }
  char suffix[32];
  snprintf(suffix, sizeof suffix, ".%" PRIx64, static_cast<uint64_t>(now_ns()) + x_store.version());
  Value e = empty_map();
  std::string name = cat(name_of(about), suffix);
  put(ensure(e, "metadata"), "name", name);
  put(ensure(e, "metadata"), "namespace", ns);
  Value& object = ensure(e, "involvedObject");
  put(object, "kind", text(about, "kind"));
  put(object, "apiVersion", text(about, "apiVersion"));
  put(object, "name", name_of(about));
  if (!namespace_of(about).empty()) put(object, "namespace", namespace_of(about));
  put(object, "uid", uid_of(about));
  put(object, "resourceVersion", text(about, "metadata", "resourceVersion"));
  put(e, "reason", reason);
  put(e, "message", said.message);
  put(e, "type", type);
  put(e, "reportingComponent", component);
  Value& source = ensure(e, "source");
  if (by_series) {
    put(e, "eventTime", time_text(now_ns(), true));
    put(e, "firstTimestamp", Value());
    put(e, "lastTimestamp", Value());
    put(e, "action", reason == "Scheduled" ? "Binding" : "Scheduling");
    put(e, "reportingInstance", cat(component, "-drydock"));
  } else {
    put(source, "component", component);
    put(e, "eventTime", Value());
    put(e, "firstTimestamp", time);
    put(e, "lastTimestamp", time);
    put(e, "reportingInstance", "");
    put(e, "count", 1);
  }
  if (create("", "events", std::move(e))) x_event_memory.named(said.key, name);
}

void Machine::note_stored_events() {
  std::vector<std::pair<int64_t, ObjectPtr>> stored;
  x_store.each("", "events", "", "", [&](const ObjectPtr& o) {
    Value v = parse_object(*o);
    stored.emplace_back(std::max(parse_time(text(v, "metadata", "creationTimestamp")),
                                 parse_time(text(v, "lastTimestamp"))), o);
    return true;
  });
  std::sort(stored.begin(), stored.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [written, o] : stored) x_event_ages.written(written, o->ns, o->name, o->version);
}

size_t Machine::expire_events(size_t limit) {
  int64_t oldest = now_ns() - static_cast<int64_t>(x_options.event_ttl_seconds) * kSecond;
  ResourcePtr events;
  size_t i = 0;
  for (; i < limit; ++i) {
    auto due = x_event_ages.take(oldest);
    if (!due) break;
    ObjectPtr found = x_store.find("", "events", due->ns, due->name);
    if (!found || found->version != due->version) continue;  // gone, or written again since
    if (!events) events = resource("", "events");
    (void)remove_object(events, due->ns, due->name, {});  // what stays is tried again with its next write
  }
  return i;
}

}  // namespace pintle::drydock
