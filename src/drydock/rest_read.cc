// get, list and watch: the rules of resourceVersion, resourceVersionMatch, limit and continue
// (apimachinery's ListOptions validation, apiserver's cacher and etcd3 store).

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "drydock/list_query.h"
#include "drydock/rest.h"
#include "json/json.h"
#include "yaml/yaml.h"

namespace pintle::drydock {
namespace {

Error too_large(uint64_t asked, uint64_t current) {
  ApiError d;
  d.code = 504;
  d.reason = "Timeout";
  d.causes = {{"ResourceVersionTooLarge", "Too large resource version", ""}};
  d.retry_after_seconds = 1;
  return api_error(cat("Timeout: Too large resource version: ", asked, ", current: ", current), std::move(d));
}

Error expired(std::string_view message) { return status_error(410, "Expired", std::string(message)); }

std::string continue_token(const Continue& c) {
  std::string key;
  json::append_string(key, c.start);
  std::string out = crypt::base64_encode(cat("{\"v\":\"meta.k8s.io/v1\",\"rv\":", c.version, ",\"start\":", key, "}"));
  while (!out.empty() && out.back() == '=') out.pop_back();
  std::replace(out.begin(), out.end(), '+', '-');
  std::replace(out.begin(), out.end(), '/', '_');
  return out;
}

}  // namespace

Result<httpd::Response> serve_get(Rest& rest, const ApiRequest& r, const ResourcePtr& resource) {
  if (httpd::find(r.query, "export")) {
    return bad_request("the export parameter, deprecated since v1.14, is no longer supported");
  }
  TRY(choose_view(r, resource));
  Place place = place_of(*resource);
  Lock held(rest.machine.lock());
  Store& store = rest.machine.store();
  if (std::string_view text = r.parameter("resourceVersion"); !text.empty()) {
    ParseError error;
    uint64_t asked = parse_uint(text, 10, 64, &error);
    if (error != ParseError::kNone) return status_error(500, "", version_error(text, error));
    if (asked > store.version()) return too_large(asked, store.version());
  }
  ObjectPtr found = store.find(place.group, place.plural, r.ns, r.name);
  if (!found) return not_found(resource->group, resource->plural, r.name);
  return object_response(rest, r, resource, *found, 200);
}

Result<httpd::Response> serve_list(Rest& rest, const ApiRequest& r, const ResourcePtr& resource) {
  View view = TRY(choose_view(r, resource));
  ListQuery q = TRY(read_list_query(r, *resource, false));
  Place place = place_of(*resource);
  std::vector<ObjectPtr> chosen;
  ListMeta meta;
  Lock held(rest.machine.lock());
  Store& store = rest.machine.store();
  Continue from{store.version(), ""};
  if (!q.next.empty()) {
    from = TRY(read_continue(q.next));
    if (q.version != 0) return bad_request("specifying resource version is not allowed when using continue");
    if (from.version == 0) from.version = store.version();
    if (from.version < store.compacted()) {
      return expired("The provided continue parameter is too old to display a consistent list result. You can start a new "
                     "list without the continue parameter, or use the continue token in this response to retrieve the "
                     "remainder of the results. Continuing with the provided token results in an inconsistent list - "
                     "objects that were created, modified, or deleted between the time the first chunk was returned and "
                     "now may show up in the list.");
    }
  } else if (q.version > store.version()) {
    return too_large(q.version, store.version());
  } else if (q.version != 0 && (q.match == "Exact" || (q.match.empty() && q.limit > 0))) {
    if (q.version < store.compacted()) return expired("The resourceVersion for the provided list is too old.");
    from.version = q.version;
  }
  meta.version = from.version;
  size_t left = 0;
  store.each_at(from.version, place.group, place.plural, r.ns, from.start, [&](const ObjectPtr& o) {
    if (!q.labels.matches(o->labels) || !q.fields.matches(o->ns, o->name, o->fields)) return true;
    if (q.limit > 0 && chosen.size() == static_cast<size_t>(q.limit)) {
      ++left;
      return true;
    }
    chosen.push_back(o);
    return true;
  });
  if (left > 0) {
    meta.next = continue_token({from.version, key_of(chosen.back()->ns, chosen.back()->name)});
    if (q.labels.empty() && q.fields.empty()) meta.remaining = static_cast<int64_t>(left);
  }
  if (view.form == Form::kPartial && !view.of_list) {
    return status_error(406, "NotAcceptable",
                        cat("you requested PartialObjectMetadata, but the requested object is a list (*",
                            go_type_of(*resource), "List)"));
  }
  if (view.form != Form::kTable) held.unlock();  // only cells look at the world
  std::vector<std::string> pieces = show_list(rest.machine, view, chosen, meta);
  if (view.yaml) {
    std::string all;
    for (const std::string& p : pieces) all += p;
    auto tree = json::read(all, {.numbers = json::Numbers::kExact});
    if (!tree) return tree.error();
    return text_response(200, TRY(yaml::write(*tree)), "application/yaml");
  }
  httpd::Response out = text_response(200, "");
  out.body.clear();
  for (std::string& p : pieces) out.body.push_back(std::make_shared<const std::string>(std::move(p)));
  return out;
}

Status start_watch(Rest& rest, const ApiRequest& r, const ResourcePtr& resource, const ExchangePtr& exchange,
                   WatchFate fate) {
  ListQuery q = TRY(read_list_query(r, *resource, true));
  auto watch = std::make_shared<Watch>();
  watch->view = TRY(choose_view(r, resource));
  Place place = place_of(*resource);
  watch->shelf = cat(place.group, "/", place.plural);
  watch->ns = r.ns;
  watch->labels = std::move(q.labels);
  watch->fields = std::move(q.fields);
  watch->user_agent = r.http->header("User-Agent");
  watch->exchange = exchange;
  watch->bookmarks = q.bookmarks;
  watch->silent = fate == WatchFate::kSilent;
  int64_t seconds = q.timeout_seconds > 0 ? q.timeout_seconds : 1800 + static_cast<int64_t>(crypt::random_below(1800));
  int64_t now = rest.machine.monotonic_ns();
  watch->ends_at = now + std::min<int64_t>(seconds, 100'000'000) * 1'000'000'000;
  watch->next_bookmark = now + 60'000'000'000;

  Lock held(rest.machine.lock());
  Store& store = rest.machine.store();
  WatchHub& hub = rest.machine.hub();
  if (q.version > store.version()) {
    if (q.initial_events) return too_large(q.version, store.version());
  }
  exchange->start(200, {{"Content-Type", watch->view.form == Form::kObject ? "application/json" : "application/json;stream=watch"},
                        {"Cache-Control", "no-cache, private"}});
  bool state_first = q.initial_events.value_or(q.version == 0);
  if (state_first) {
    store.each(place.group, place.plural, watch->ns, "", [&](const ObjectPtr& o) {
      StoredChange change{o->version, ChangeType::kAdded, "", o, nullptr};
      watch->allowance += o->json.size() + 64;
      return hub.send(rest.machine, *watch, change);
    });
    if (q.initial_events && q.bookmarks) hub.send(*watch, bookmark(watch->view, store.version(), true));
  } else {
    bool complete = store.replay(place.group, place.plural, q.version, [&](const StoredChange& change) {
      watch->allowance += change.object->json.size() + 64;
      hub.send(rest.machine, *watch, change);
    });
    if (!complete) {
      Error gone = expired(cat("too old resource version: ", q.version, " (", store.compacted() + 1, ")"));
      std::string text = status_text(gone);
      text.pop_back();  // its newline
      hub.send(*watch, std::make_shared<const std::string>(cat("{\"type\":\"ERROR\",\"object\":", text, "}\n")));
      exchange->finish();
      return ok();
    }
  }
  if (fate == WatchFate::kHalfOpen) watch->silent = watch->half_open = true;
  hub.add(watch);
  held.unlock();
  exchange->on_close([watch] { watch->closed = true; });
  return ok();
}

}  // namespace pintle::drydock
