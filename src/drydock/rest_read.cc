// get, list and watch: the rules of resourceVersion, resourceVersionMatch, limit and continue
// (apimachinery's ListOptions validation, apiserver's cacher and etcd3 store).

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "drydock/custom_schema.h"
#include "drydock/kinds.h"
#include "drydock/rest.h"
#include "json/json.h"
#include "yaml/yaml.h"

namespace pintle::drydock {
namespace {

struct ListQuery {
  LabelSelector labels;
  FieldSelector fields;
  int64_t limit = 0, timeout_seconds = 0;
  std::string version_text, match, next;
  uint64_t version = 0;  // of version_text
  bool bookmarks = false;
  std::optional<bool> initial_events;
};

Error too_large(uint64_t asked, uint64_t current) {
  ApiError d;
  d.code = 504;
  d.reason = "Timeout";
  d.causes = {{"ResourceVersionTooLarge", "Too large resource version", ""}};
  d.retry_after_seconds = 1;
  return api_error(cat("Timeout: Too large resource version: ", asked, ", current: ", current), std::move(d));
}

Error expired(std::string_view message) { return status_error(410, "Expired", std::string(message)); }

Result<int64_t> number_parameter(std::string_view text) {
  if (text.empty()) return 0;
  ParseError error;
  int64_t n = parse_int(text, 10, 64, &error);
  if (error == ParseError::kNone) return n;
  return bad_request(cat("strconv.ParseInt: parsing ", quote(text), ": ",
                         error == ParseError::kRange ? "value out of range" : "invalid syntax"));
}

std::string version_error(std::string_view text) {
  return cat("resourceVersion: Invalid value: ", quote(text), ": strconv.ParseUint: parsing ", quote(text),
             ": invalid syntax");
}

Status check_fields_known(const Resource& resource, const FieldSelector& fields) {
  std::vector<std::string_view> known = {"metadata.name"};
  if (resource.namespaced) known.push_back("metadata.namespace");
  const KindRules* rules = resource.custom() ? nullptr : rules_of(resource.group, resource.kind);
  if (resource.custom()) {
    for (const std::string& path : resource.custom_version->selectable) known.push_back(std::string_view(path).substr(1));
  }
  bool special = rules && rules->selectable;
  if (special) {
    for (std::string_view f : rules->selectable()) known.push_back(f);
  }
  for (const FieldRequirement& r : fields.all) {
    if (std::find(known.begin(), known.end(), r.field) != known.end()) continue;
    if (special) return bad_request(cat("field label not supported: ", r.field));
    return bad_request(cat(quote(r.field), " is not a known field selector: only \"metadata.name\", \"metadata.namespace\""));
  }
  return ok();
}

Result<ListQuery> read_query(const ApiRequest& r, const Resource& resource, bool watch) {
  ListQuery q;
  q.limit = TRY(number_parameter(r.parameter("limit")));
  q.timeout_seconds = TRY(number_parameter(r.parameter("timeoutSeconds")));
  auto labels = parse_label_selector(r.parameter("labelSelector"));
  if (!labels) return bad_request(labels.error().text());
  q.labels = std::move(*labels);
  auto fields = parse_field_selector(r.parameter("fieldSelector"));
  if (!fields) return bad_request(fields.error().text());
  q.fields = std::move(*fields);
  TRY(check_fields_known(resource, q.fields));
  if (!r.name.empty()) q.fields.all.push_back({"metadata.name", r.name, true});
  q.version_text = r.parameter("resourceVersion");
  q.match = r.parameter("resourceVersionMatch");
  q.next = r.parameter("continue");
  q.bookmarks = r.flag("allowWatchBookmarks");
  if (httpd::find(r.query, "sendInitialEvents")) q.initial_events = r.flag("sendInitialEvents");

  std::vector<Cause> causes;
  auto forbid = [&](std::string_view field, std::string_view why) {
    causes.push_back({"FieldValueForbidden", cat("Forbidden: ", why), std::string(field)});
  };
  auto unsupported = [&](std::string_view supported) {
    causes.push_back({"FieldValueNotSupported", cat("Unsupported value: ", quote(q.match), ": supported values: ", supported),
                      "resourceVersionMatch"});
  };
  if (watch) {
    if (q.initial_events) {
      if (q.match != "NotOlderThan") {
        forbid("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
      }
    } else if (!q.match.empty()) {
      forbid("resourceVersionMatch", "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    }
  } else {
    if (q.initial_events) forbid("sendInitialEvents", "sendInitialEvents is forbidden for list");
    if (!q.match.empty()) {
      if (!q.next.empty()) forbid("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
      if (q.version_text.empty()) {
        forbid("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided");
      } else if (q.match == "Exact" && q.version_text == "0") {
        forbid("resourceVersionMatch", "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
      } else if (q.match != "Exact" && q.match != "NotOlderThan") {
        unsupported("\"Exact\", \"NotOlderThan\", \"\"");
      }
    }
  }
  if (!causes.empty()) return invalid("meta.k8s.io", "ListOptions", "", std::move(causes));
  if (!q.version_text.empty()) {
    ParseError error;
    q.version = parse_uint(q.version_text, 10, 64, &error);
    if (error != ParseError::kNone) {
      if (watch) return status_error(500, "", version_error(q.version_text));
      return bad_request(cat("invalid resource version: ", version_error(q.version_text)));
    }
  }
  return q;
}

struct Continue {
  uint64_t version = 0;
  std::string start;  // the last key given
};

std::string continue_token(const Continue& c) {
  std::string key;
  json::append_string(key, c.start);
  std::string out = crypt::base64_encode(cat("{\"v\":\"meta.k8s.io/v1\",\"rv\":", c.version, ",\"start\":", key, "}"));
  while (!out.empty() && out.back() == '=') out.pop_back();
  std::replace(out.begin(), out.end(), '+', '-');
  std::replace(out.begin(), out.end(), '/', '_');
  return out;
}

Result<Continue> read_continue(std::string_view token) {
  std::string padded(token);
  std::replace(padded.begin(), padded.end(), '-', '+');
  std::replace(padded.begin(), padded.end(), '_', '/');
  while (padded.size() % 4) padded += '=';
  auto refuse = [](std::string_view why) { return bad_request(cat("invalid continue token: continue key is not valid: ", why)); };
  auto text = crypt::base64_decode(padded);
  if (!text) return refuse(text.error().text());
  auto v = json::read(*text, {.numbers = json::Numbers::kExact});
  if (!v) return refuse(v.error().text());
  if (drydock::text(*v, "v") != "meta.k8s.io/v1") {
    return bad_request(cat("invalid continue token: server does not recognize this encoded version ", quote(drydock::text(*v, "v"))));
  }
  Continue c{static_cast<uint64_t>(number(*v, "rv")), std::string(drydock::text(*v, "start"))};
  if (c.version == 0) return bad_request("invalid continue token: incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (c.start.empty()) return bad_request("invalid continue token: encoded start key empty (version meta.k8s.io/v1)");
  return c;
}

}  // namespace

Result<httpd::Response> serve_get(Rest& rest, const ApiRequest& r, const ResourcePtr& resource) {
  Place place = place_of(*resource);
  std::lock_guard held(rest.machine.lock());
  Store& store = rest.machine.store();
  if (std::string_view text = r.parameter("resourceVersion"); !text.empty()) {
    ParseError error;
    uint64_t asked = parse_uint(text, 10, 64, &error);
    if (error != ParseError::kNone) return bad_request(cat("invalid resource version: ", version_error(text)));
    if (asked > store.version()) return too_large(asked, store.version());
  }
  ObjectPtr found = store.find(place.group, place.plural, r.ns, r.name);
  if (!found) return not_found(resource->group, resource->plural, r.name);
  return object_response(rest, r, resource, *found, 200);
}

Result<httpd::Response> serve_list(Rest& rest, const ApiRequest& r, const ResourcePtr& resource) {
  ListQuery q = TRY(read_query(r, *resource, false));
  View view = TRY(choose_view(r, resource));
  Place place = place_of(*resource);
  std::vector<ObjectPtr> chosen;
  ListMeta meta;
  std::unique_lock held(rest.machine.lock());
  Store& store = rest.machine.store();
  Continue from{store.version(), ""};
  if (!q.next.empty()) {
    from = TRY(read_continue(q.next));
    if (from.version < store.compacted()) {
      return expired("The provided continue parameter is too old to display a consistent list result. You can start a new "
                     "list without the continue parameter, or use the continue token in this response to retrieve the "
                     "remainder of the results. Continuing with the provided token results in an inconsistent list - "
                     "objects that were created, modified, or deleted between the time the first chunk was returned and "
                     "now may show up in the list.");
    }
  } else if (q.version > store.version()) {
    return too_large(q.version, store.version());
  } else if (q.match == "Exact" && q.version < store.compacted()) {
    return expired("The resourceVersion for the provided list is too old.");
  }
  meta.version = from.version;
  size_t left = 0;
  store.each(place.group, place.plural, r.ns, from.start, [&](const ObjectPtr& o) {
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
  ListQuery q = TRY(read_query(r, *resource, true));
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

  std::unique_lock held(rest.machine.lock());
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
