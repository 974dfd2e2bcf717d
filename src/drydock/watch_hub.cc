#include "drydock/watch_hub.h"

#include <algorithm>

#include "base/strings.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

constexpr int64_t kBookmarkEvery = 60'000'000'000;

std::string list_key(std::string_view shelf, std::string_view ns, std::string_view name) {
  return cat(shelf, '\n', ns, '\n', name);
}

std::string_view type_text(ChangeType type) {
  switch (type) {
    case ChangeType::kAdded: return "ADDED";
    case ChangeType::kModified: return "MODIFIED";
    case ChangeType::kDeleted: return "DELETED";
  }
  return "";
}

// What this watch sees of the change: its type, and which state. False: nothing.
bool seen_by(const Watch& watch, const StoredChange& change, ChangeType* type, const Object** shown) {
  bool is = change.type != ChangeType::kDeleted && watch.wants(*change.object);
  bool was = change.before && watch.wants(*change.before);
  if (!is && !was) return false;
  *type = !is ? ChangeType::kDeleted : was ? ChangeType::kModified : ChangeType::kAdded;
  *shown = is ? change.object.get() : change.before.get();
  return true;
}

}  // namespace

httpd::Frame bookmark(const View& view, uint64_t version, bool initial_end) {
  std::string meta = cat("{\"resourceVersion\":\"", version, "\"");
  if (initial_end) meta += ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}";
  meta += "}";
  std::string object;
  switch (view.form) {
    case Form::kObject:
      object = cat("{\"kind\":\"", view.resource->kind, "\",\"apiVersion\":\"", view.resource->api_version(),
                   "\",\"metadata\":", meta, "}");
      break;
    case Form::kPartial:
      object = cat("{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/", view.meta_version,
                   "\",\"metadata\":", meta, "}");
      break;
    case Form::kTable:
      object = cat("{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/", view.meta_version,
                   "\",\"metadata\":{\"resourceVersion\":\"", version,
                   "\"},\"columnDefinitions\":null,\"rows\":[{\"cells\":[],\"object\":{\"kind\":"
                   "\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/",
                   view.meta_version, "\",\"metadata\":", meta, "}}]}");
      break;
  }
  return std::make_shared<const std::string>(cat("{\"type\":\"BOOKMARK\",\"object\":", object, "}\n"));
}

void WatchHub::add(std::shared_ptr<Watch> watch) {
  const std::string* name = watch->fields.wanted("metadata.name");
  x_lists[list_key(watch->shelf, watch->ns, name ? *name : "")].push_back(std::move(watch));
  ++x_size;
}

httpd::Frame WatchHub::encoded(World& world, Watch& watch, const StoredChange& change,
                               std::vector<Encoded>& cache) {
  ChangeType type;
  const Object* shown;
  if (!seen_by(watch, change, &type, &shown)) return nullptr;
  const View& view = watch.view;
  std::string shape = cat(static_cast<int>(type), view.resource->api_version(), static_cast<int>(view.form),
                          static_cast<int>(view.included), view.meta_version);
  for (const Encoded& e : cache) {
    if (e.shape == shape) return e.frame;
  }
  // Only what is no longer there (or no longer selected) is shown with a version not its own.
  uint64_t version = type == ChangeType::kDeleted ? change.version : 0;
  auto frame = std::make_shared<const std::string>(
      cat("{\"type\":\"", type_text(type), "\",\"object\":", show(world, view, *shown, version), "}\n"));
  cache.push_back({std::move(shape), frame});
  return frame;
}

bool WatchHub::send(Watch& watch, httpd::Frame frame) {
  if (watch.closed) return false;
  if (watch.silent) return true;
  if (watch.exchange->queued_bytes() > watch.allowance + kMaxQueued) {
    watch.closed = true;
    watch.exchange->abort();
    return false;
  }
  if (!watch.exchange->send(std::move(frame))) watch.closed = true;
  return !watch.closed;
}

bool WatchHub::send(World& world, Watch& watch, const StoredChange& change) {
  std::vector<Encoded> cache;
  httpd::Frame frame = encoded(world, watch, change, cache);
  return !frame || send(watch, std::move(frame));
}

void WatchHub::publish(World& world, const StoredChange& change) {
  std::vector<Encoded> cache;
  const Object& o = *change.object;
  std::string keys[] = {list_key(change.shelf, "", ""), list_key(change.shelf, o.ns, ""),
                        list_key(change.shelf, o.ns, o.name), list_key(change.shelf, "", o.name)};
  size_t n = o.ns.empty() ? 3 : 4;  // without a namespace the second is the first
  for (size_t i = 0; i < n; ++i) {
    if (o.ns.empty() && i == 1) continue;
    auto it = x_lists.find(keys[i]);
    if (it == x_lists.end()) continue;
    for (auto& watch : it->second) {
      if (httpd::Frame frame = encoded(world, *watch, change, cache)) send(*watch, std::move(frame));
    }
  }
}

void WatchHub::tick(int64_t now, uint64_t version) {
  for (auto it = x_lists.begin(); it != x_lists.end();) {
    List& list = it->second;
    for (auto& w : list) {
      if (w->closed || w->half_open) continue;
      if (now >= w->ends_at) {
        if (w->bookmarks) send(*w, bookmark(w->view, version, false));
        w->closed = true;
        w->exchange->finish();
      } else if (w->bookmarks && now >= w->next_bookmark) {
        w->next_bookmark = now + kBookmarkEvery;
        send(*w, bookmark(w->view, version, false));
      }
    }
    x_size -= std::erase_if(list, [](const std::shared_ptr<Watch>& w) { return w->closed.load(); });
    it = list.empty() ? x_lists.erase(it) : std::next(it);
  }
}

void WatchHub::end_all() {
  for (auto& [key, list] : x_lists) {
    for (auto& w : list) {
      w->closed = true;
      w->exchange->abort();
    }
  }
  x_lists.clear();
  x_size = 0;
}

void WatchHub::end_shelf(std::string_view shelf) {
  each([&](Watch& w) {
    if (w.shelf != shelf || w.closed) return;
    w.closed = true;  // tick() forgets it
    w.exchange->finish();
  });
}

void WatchHub::each(const std::function<void(Watch&)>& visit) {
  for (auto& [key, list] : x_lists) {
    for (auto& w : list) visit(*w);
  }
}

}  // namespace pintle::drydock
