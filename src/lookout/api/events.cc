// What has happened, what types of it there are, and the releases as they are.
#include <algorithm>
#include <iterator>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/api/cloud_events.h"
#include "lookout/api/handlers.h"
#include "lookout/api/json.h"
#include "lookout/api/schemas.h"
#include "lookout/rules/catalog.h"

namespace pintle::lookout {
namespace {

constexpr int kRowsAtOnce = 5'000, kMostLooks = 20;  // a reader of the store is held for some 20 ms

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

// Where few fit, it ends after so many rows with `more`, and `next` goes on behind them.
Result<Answer> list_events(Backend& b, const Call& c) {
  EventQuery query = event_query(c);
  const auto most = static_cast<size_t>(query.limit);
  std::vector<StoredEvent> found;
  bool more = true;
  for (int looks = 0; more && found.size() < most && looks < kMostLooks && !b.stopped(); ++looks) {
    query.limit = static_cast<int>(most - found.size());
    EventPage page = TRY(b.store.look(query, kRowsAtOnce));
    std::move(page.events.begin(), page.events.end(), std::back_inserter(found));
    query.after = page.looked;
    more = page.more;
  }
  const bool full = found.size() == most;
  std::string out = items_json(found, event_json, more           ? query.after
                                                  : found.empty() ? 0
                                                                  : found.back().sequence);
  if (more && !full) out.insert(out.size() - 1, ",\"more\":true");
  return Answer{std::move(out)};
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

Result<Answer> take_cloud_events(Backend& b, const Call& c) {
  const auto events = TRY(read_cloud_events(c.headers, c.body, b.now_ms()));
  const Committed done = TRY(b.store.tell(events));
  b.hooks.wake();
  b.committed();
  const auto known = std::count(done.sequences.begin(), done.sequences.end(), 0);
  return Answer{Data()
                    .raw("stored", cat(events.size() - static_cast<size_t>(known)))
                    .raw("known", cat(known))
                    .take()};
}

Result<Answer> list_event_types(Backend&, const Call& c) {
  return named_page(c, event_types(), [](const EventType& t) { return std::string(t.name); },
                    [](const EventType& t) {
                      return Data()
                          .text("type", t.name)
                          .text("meaning", t.meaning)
                          .raw("schema", data_schema(t.data))
                          .take();
                    });
}

// They come and go while somebody reads: `after` is a place in their order, whatever stands there.
Result<Answer> list_releases(Backend& b, const Call& c) {
  std::vector<std::pair<std::string, ApiHooks::NamedRelease>> all;
  const std::string after = c.text("after");
  for (ApiHooks::NamedRelease& r : b.hooks.releases()) {
    std::string place = cat(r.region, "/", r.release.name_space, "/", r.release.name, "/", r.release.kind);
    if (place > after) all.emplace_back(std::move(place), std::move(r));
  }
  const auto shown = std::min(all.size(), static_cast<size_t>(c.limit()));
  const auto by_place = [](const auto& x, const auto& y) { return x.first < y.first; };
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(shown);
  std::partial_sort(all.begin(), end, all.end(), by_place);
  const std::string next = shown < all.size() ? all[shown - 1].first : "";
  all.erase(end, all.end());
  std::string out = items_json(all, [](const auto& r) { return release_json(r.second); });
  if (!next.empty()) out.insert(out.size() - 1, cat(",\"next\":", json::quoted(next)));
  return Answer{std::move(out)};
}

}  // namespace pintle::lookout
