// What has happened, what types of it there are, and the releases as they are.
#include "base/strings.h"
#include "json/json.h"
#include "lookout/api/handlers.h"
#include "lookout/api/json.h"
#include "lookout/api/schemas.h"
#include "lookout/rules/catalog.h"

namespace pintle::lookout {
namespace {

// "step:number who:text" as the JSON Schema of an event's data.
std::string data_schema(std::string_view fields) {
  Data properties;
  for (const std::string_view field : split(fields, " ")) {
    const size_t colon = field.find(':');
    if (colon == std::string_view::npos) continue;
    properties.raw(field.substr(0, colon), type_json(field.substr(colon + 1)));
  }
  return Data().text("type", "object").raw("properties", properties.take()).take();
}

}  // namespace

EventQuery event_query(const Call& c) {
  EventQuery out;
  out.after = c.number("after");
  out.newest_first = c.flag("newest");
  out.type = c.text("type");
  out.region = c.text("region");
  out.name_space = c.text("ns");
  out.kind = c.text("kind");
  out.name = c.text("name");
  out.reason = c.text("reason");
  out.release = c.text("release");
  out.from_ms = c.number("from");
  out.to_ms = c.number("to");
  out.limit = c.limit();
  return out;
}

Result<Answer> list_events(Backend& b, const Call& c) {
  const auto found = TRY(b.store.events(event_query(c)));
  return Answer{items_json(found, event_json, found.empty() ? 0 : found.back().sequence)};
}

Result<Answer> show_event(Backend& b, const Call& c) {
  const StoredEvent event = TRY(b.store.event(TRY(id_of(c))));
  DeliveryQuery query;
  query.event_sequence = event.sequence;
  query.limit = 1000;
  std::vector<std::string> deliveries;
  for (const Delivery& d : TRY(b.store.deliveries(query))) deliveries.push_back(delivery_json(d));
  std::string out = event_json(event);
  out.pop_back();
  if (const auto o = b.store.observation(event.sequence)) {
    append(out, {",\"observation\":", observation_json(*o)});
  } else if (o.error().code() != Code::kNotFound) {
    return o.error();
  }
  return Answer{cat(out, ",\"deliveries\":[", join(deliveries, ","), "]}")};
}

Result<Answer> list_event_types(Backend&, const Call&) {
  return Answer{items_json(event_types(), [](const EventType& t) {
    return Data()
        .text("type", t.name)
        .text("meaning", t.meaning)
        .raw("schema", data_schema(t.data))
        .take();
  })};
}

Result<Answer> list_releases(Backend& b, const Call&) {
  return Answer{items_json(b.hooks.releases(), release_json)};
}

}  // namespace pintle::lookout
