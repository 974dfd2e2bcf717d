#include "lookout/api/api.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <mutex>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "httpd/httpd.h"
#include "httpd/query.h"
#include "json/json.h"
#include "lookout/api/json.h"
#include "lookout/api/page.h"
#include "lookout/api/streams.h"
#include "lookout/rules/catalog.h"
#include "lookout/fields.h"
#include "lookout/config/rules_toml.h"

namespace pintle::lookout {
namespace {

constexpr size_t kMaxBody = 1 << 20;
constexpr int kMostRows = 1000;
constexpr int kPageEvents = 50;
constexpr int kDryRunEvents = 100'000;
constexpr size_t kDryRunShown = 100;

enum class Role : uint8_t { kNone, kRead, kOperate, kAdmin };

Role role_of(std::string_view name) {
  return name == "admin" ? Role::kAdmin : name == "operate" ? Role::kOperate : Role::kRead;
}

int64_t number_of(const httpd::Query& q, std::string_view name, int64_t otherwise) {
  const std::string* text = httpd::find(q, name);
  int64_t out = otherwise;
  if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), out);
  return std::max<int64_t>(0, out);
}

std::string text_of(const httpd::Query& q, std::string_view name) {
  const std::string* text = httpd::find(q, name);
  return text == nullptr ? "" : *text;
}

int limit_of(const httpd::Query& q) {
  return static_cast<int>(std::clamp<int64_t>(number_of(q, "limit", 100), 1, kMostRows));
}

httpd::Response answer(int status, std::string body, std::string_view type = "application/json") {
  body += type == "application/json" ? "\n" : "";
  return {status,
          {{"Content-Type", std::string(type)},
           {"Cache-Control", "no-store"},
           {"X-Content-Type-Options", "nosniff"},
           {"X-Frame-Options", "DENY"},
           {"Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"}},
          {std::make_shared<const std::string>(std::move(body))}};
}

httpd::Response error(int status, std::string_view text) {
  return answer(status, Data().text("error", text).take());
}

httpd::Response error(const Error& e) {
  switch (e.code()) {
    case Code::kNotFound:
      return error(404, e.text());
    case Code::kAlreadyExists:
    case Code::kFailedPrecondition:
      return error(409, e.text());
    case Code::kUnavailable:
    case Code::kResourceExhausted:
      return error(503, e.text());
    case Code::kInternal:
      return error(500, e.text());
    default:
      return error(400, e.text());
  }
}

template <typename List, typename F>
std::string items_json(const List& list, F json, int64_t next = 0) {
  std::string items = "[";
  for (const auto& item : list) append(items, {items.size() > 1 ? "," : "", json(item)});
  return Data().raw("items", items + "]").number("next", next).take();
}

EventQuery query_of(const httpd::Query& q) {
  EventQuery out;
  out.after = number_of(q, "after", 0);
  out.newest_first = httpd::find(q, "newest") != nullptr;
  out.type = text_of(q, "type");
  out.region = text_of(q, "region");
  out.name_space = text_of(q, "ns");
  out.kind = text_of(q, "kind");
  out.name = text_of(q, "name");
  out.reason = text_of(q, "reason");
  out.release = text_of(q, "release");
  out.from_ms = number_of(q, "from", 0);
  out.to_ms = number_of(q, "to", 0);
  out.limit = limit_of(q);
  return out;
}

// "http://localhost:8090" in a Host header: what a page of another site cannot make a browser send.
bool loopback_host(std::string_view host) {
  if (host.starts_with("[::1]")) return true;
  host = host.substr(0, host.find(':'));
  return host == "localhost" || host.starts_with("127.");
}

class Server : public Api {
 public:
  Server(std::vector<TokenConfig> tokens, Store& store, sys::Clock& clock, ApiHooks hooks)
      : store_(store), clock_(clock), hooks_(std::move(hooks)), streams_(store) {
    set_tokens(std::move(tokens));
  }
  ~Server() override { stop(0); }

  Status begin(const std::string& listen) {
    httpd::Options options;
    const size_t colon = listen.rfind(':');
    std::string_view host = std::string_view(listen).substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    const std::string_view port = std::string_view(listen).substr(colon + 1);
    const auto [at, failed] = std::from_chars(port.data(), port.data() + port.size(), options.port);
    if (failed != std::errc() || at != port.data() + port.size()) {
      return Error(cat("listen: ", listen, ": bad port"), Code::kInvalidArgument);
    }
    options.address = host == "localhost" ? "127.0.0.1"
                      : host.empty()      ? "0.0.0.0"
                                          : std::string(host);
    options.max_body_bytes = kMaxBody;
    options.refuse = [](int status, std::string_view reason) { return error(status, reason); };
    server_ = TRY(httpd::Server::start(
        options, [this](std::shared_ptr<httpd::Exchange> e) { handle(std::move(e)); }));
    url_ = cat("http://", host, ":", server_->port());
    return ok();
  }

  std::string url() const override { return url_; }
  void set_tokens(std::vector<TokenConfig> tokens) override {
    std::lock_guard held(mutex_);
    tokens_ = std::move(tokens);
  }
  void committed() override { streams_.committed(); }
  void stop(int64_t grace_ms) override {
    streams_.stop();
    if (server_) server_->stop(static_cast<int>(grace_ms));
  }

 private:
  using Parts = std::vector<std::string>;

  Role caller(const httpd::Request& r) const;
  void handle(std::shared_ptr<httpd::Exchange> exchange);
  httpd::Response route(const httpd::Request& r, const Parts& path, const httpd::Query& q);
  httpd::Response events(const Parts& path, const httpd::Query& q);
  httpd::Response subscriptions(const httpd::Request& r, const Parts& path);
  httpd::Response deliveries(const httpd::Request& r, const Parts& path, const httpd::Query& q);
  httpd::Response dry_run(const httpd::Request& r);
  httpd::Response page();
  Result<Subscription> subscription(int64_t id);

  Store& store_;
  sys::Clock& clock_;
  const ApiHooks hooks_;
  Streams streams_;
  std::unique_ptr<httpd::Server> server_;
  std::string url_;
  mutable std::mutex mutex_;
  std::vector<TokenConfig> tokens_;  // guarded by mutex_
};

Role Server::caller(const httpd::Request& r) const {
  std::lock_guard held(mutex_);
  if (tokens_.empty()) return loopback_host(r.header("Host")) ? Role::kAdmin : Role::kNone;
  const std::string_view header = r.header("Authorization");
  std::string token;
  if (header.starts_with("Bearer ")) {
    token = header.substr(7);
  } else if (header.starts_with("Basic ")) {
    const auto pair = crypt::base64_decode(header.substr(6));
    if (pair && pair->find(':') != std::string::npos) token = pair->substr(pair->find(':') + 1);
  }
  if (token.empty()) return Role::kNone;
  // Digests are compared, so the time it takes says nothing about the token.
  const std::string digest = crypt::hex(crypt::sha256(token));
  for (const TokenConfig& t : tokens_) {
    if (t.sha256 == digest) return role_of(t.role);
  }
  return Role::kNone;
}

void Server::handle(std::shared_ptr<httpd::Exchange> exchange) {
  const httpd::Request& r = exchange->request();
  const auto path = httpd::decode_path(r.path);
  if (!path) return exchange->respond(error(400, path.error().text()));
  const httpd::Query q = httpd::parse_query(r.query);
  if (path->size() == 1 && r.method == "GET") {
    if (path->front() == "healthz") return exchange->respond(answer(200, "ok\n", "text/plain"));
    if (path->front() == "readyz") {
      const auto last = store_.last_sequence();
      if (!last) return exchange->respond(error(503, last.error().text()));
      return exchange->respond(answer(200, "ok\n", "text/plain"));
    }
  }
  const Role role = caller(r);
  if (role == Role::kNone) {
    httpd::Response refused = error(401, "a token is wanted");
    refused.headers.push_back({"WWW-Authenticate", "Basic realm=\"lookout\""});
    return exchange->respond(std::move(refused));
  }
  const bool reads = r.method == "GET" || (path->size() == 1 && path->front() == "rules:dryrun");
  const bool operates =
      r.method == "POST" && path->size() == 3 &&
      (path->front() == "deliveries" || (*path)[2] == "pause" || (*path)[2] == "resume");
  const Role needed = reads ? Role::kRead : operates ? Role::kOperate : Role::kAdmin;
  if (role < needed) return exchange->respond(error(403, "this token's role does not allow it"));
  if (r.method == "GET" && path->size() == 2 && (*path)[0] == "events" && (*path)[1] == "stream") {
    EventQuery query = query_of(q);
    query.newest_first = false;
    if (const std::string_view last = r.header("Last-Event-ID"); !last.empty()) {
      std::from_chars(last.data(), last.data() + last.size(), query.after);
    } else if (httpd::find(q, "after") == nullptr) {
      query.after = store_.last_sequence().value_or(0);
    }
    return streams_.add(std::move(exchange), std::move(query));
  }
  exchange->respond(route(r, *path, q));
}

httpd::Response Server::route(const httpd::Request& r, const Parts& path, const httpd::Query& q) {
  const std::string& first = path.empty() ? r.path : path[0];
  if (path.empty() && r.method == "GET") return page();
  if (first == "subscriptions") return subscriptions(r, path);
  if (first == "deliveries") return deliveries(r, path, q);
  if (first == "rules:dryrun" && path.size() == 1 && r.method == "POST") return dry_run(r);
  if (r.method != "GET") return error(405, "this method is not known here");
  if (first == "events") return events(path, q);
  if (path.size() != 1) return error(404, "there is nothing here");
  if (first == "regions") return answer(200, items_json(hooks_.regions(), region_json));
  if (first == "releases") return answer(200, items_json(hooks_.releases(), release_json));
  if (first == "rules") return answer(200, items_json(hooks_.rules()->rules(), rule_json));
  if (first == "gaps") {
    const auto gaps = store_.gaps(number_of(q, "after", 0), limit_of(q));
    if (!gaps) return error(gaps.error());
    return answer(200, items_json(*gaps, gap_json, gaps->empty() ? 0 : gaps->back().id));
  }
  if (first == "supportevents") {
    return answer(200, items_json(event_types(), [](const EventType& t) {
                    return Data().text("type", t.name).text("meaning", t.meaning).take();
                  }));
  }
  if (first == "metrics") {
    return answer(200,
                  metrics_text({hooks_.regions(), hooks_.written(), hooks_.delivered(),
                                store_.statements(), streams_.size()}),
                  "text/plain; version=0.0.4");
  }
  return error(404, "there is nothing here");
}

httpd::Response Server::events(const Parts& path, const httpd::Query& q) {
  if (path.size() == 1) {
    const auto found = store_.events(query_of(q));
    if (!found) return error(found.error());
    return answer(200, items_json(*found, event_json, found->empty() ? 0 : found->back().sequence));
  }
  int64_t sequence = 0;
  std::from_chars(path[1].data(), path[1].data() + path[1].size(), sequence);
  const auto found =
      path.size() == 2 ? store_.event(sequence) : Result<StoredEvent>(Error("", Code::kNotFound));
  return found ? answer(200, event_json(*found)) : error(found.error());
}

Result<Subscription> Server::subscription(int64_t id) {
  for (Subscription& s : TRY(store_.subscriptions())) {
    if (s.id == id) return std::move(s);
  }
  return Error(cat("there is no subscription ", id), Code::kNotFound);
}

httpd::Response Server::subscriptions(const httpd::Request& r, const Parts& path) {
  if (path.size() == 1 && r.method == "GET") {
    const auto all = store_.subscriptions();
    return all ? answer(200, items_json(*all, subscription_json)) : error(all.error());
  }
  if (path.size() == 1 && r.method == "POST") {
    Subscription s;
    if (const Status read = read_subscription_json(r.body, s); !read) return error(read.error());
    const auto added = store_.add_subscription(s);
    if (!added) return error(added.error());
    return answer(201, subscription_json(*added));
  }
  if (path.size() < 2 || path.size() > 3) return error(405, "this method is not known here");
  int64_t id = 0;
  std::from_chars(path[1].data(), path[1].data() + path[1].size(), id);
  auto s = subscription(id);
  if (!s) return error(s.error());
  if (path.size() == 3) {
    if (r.method != "POST" || (path[2] != "pause" && path[2] != "resume")) {
      return error(404, "there is nothing here");
    }
    s->enabled = path[2] == "resume";
  } else if (r.method == "GET") {
    return answer(200, subscription_json(*s));
  } else if (r.method == "DELETE") {
    const Status removed = store_.remove_subscription(id);
    return removed ? answer(200, "{}") : error(removed.error());
  } else if (r.method == "PUT") {
    if (const Status read = read_subscription_json(r.body, *s); !read) return error(read.error());
  } else {
    return error(405, "this method is not known here");
  }
  if (const Status updated = store_.update_subscription(*s); !updated)
    return error(updated.error());
  hooks_.wake();
  s->secret.clear();
  return answer(200, subscription_json(*s));
}

httpd::Response Server::deliveries(const httpd::Request& r, const Parts& path,
                                   const httpd::Query& q) {
  if (path.size() == 1 && r.method == "GET") {
    DeliveryQuery query;
    query.subscription_id = number_of(q, "subscription", 0);
    query.after = number_of(q, "after", 0);
    query.limit = limit_of(q);
    if (const std::string state = text_of(q, "state"); !state.empty()) {
      query.state = state_of(state);
      if (!query.state) return error(400, cat("state: there is no \"", state, "\""));
    }
    const auto found = store_.deliveries(query);
    if (!found) return error(found.error());
    return answer(200, items_json(*found, delivery_json, found->empty() ? 0 : found->back().id));
  }
  int64_t id = 0;
  if (path.size() >= 2) {
    std::from_chars(path[1].data(), path[1].data() + path[1].size(), id);
  }
  if (path.size() == 2 && r.method == "GET") {
    const auto attempts = store_.attempts(id);
    return attempts ? answer(200, items_json(*attempts, attempt_json)) : error(attempts.error());
  }
  if (path.size() == 3 && r.method == "POST" && (path[2] == "resend" || path[2] == "skip")) {
    const Status done = path[2] == "resend" ? store_.resend(id) : store_.skip(id);
    if (!done) return error(done.error());
    hooks_.wake();
    return answer(200, "{}");
  }
  return error(path.size() <= 2 ? 405 : 404, "there is nothing here");
}

// What a rule would have made of the raw Events that are stored.
httpd::Response Server::dry_run(const httpd::Request& r) {
  const auto body = json::read(r.body, {json::Numbers::kExact});
  if (!body) return error(400, body.error().text());
  const auto read = read_rules(text_at(*body, {"rule"}), "rule");
  if (!read) return error(read.error());
  const auto rules = Rules::compile(*read);
  if (!rules) return error(rules.error());
  EventQuery query;
  query.type = "kubernetes.event";
  query.from_ms = number_at(*body, {"from"});
  query.to_ms = number_at(*body, {"to"});
  query.limit = kMostRows;
  int64_t seen = 0, matched = 0;
  std::vector<std::string> shown;
  while (seen < kDryRunEvents) {
    const auto events = store_.events(query);
    if (!events) return error(events.error());
    for (const StoredEvent& e : *events) {
      ++seen;
      query.after = e.sequence;
      KubeEvent k;
      k.involved = e.event.subject;
      k.reason = e.event.reason;
      k.message = e.event.message;
      if (const auto data = json::read(e.event.data, {json::Numbers::kExact})) {
        k.type = text_at(*data, {"type"});
        k.component = text_at(*data, {"component"});
        k.uid = text_at(*data, {"event_uid"});
        k.count = std::max<int64_t>(1, number_at(*data, {"count"}));
      }
      const auto hit = rules->match(k, e.cluster_uid, e.region, e.event.labels);
      if (hit.rule == nullptr) continue;
      ++matched;
      if (shown.size() >= kDryRunShown) continue;
      shown.push_back(Data()
                          .number("sequence", e.sequence)
                          .text("rule", hit.rule->name)
                          .text("type", hit.rule->type)
                          .text("message", e.event.message)
                          .text("dedup_key", hit.dedup_key)
                          .take());
    }
    if (events->size() < static_cast<size_t>(kMostRows)) break;
  }
  return answer(200, Data()
                         .number("seen", seen)
                         .number("matched", matched)
                         .raw("items", cat("[", join(shown, ","), "]"))
                         .take());
}

httpd::Response Server::page() {
  PageData d;
  d.now_ms = clock_.now_ns() / 1'000'000;
  d.regions = hooks_.regions();
  d.releases = hooks_.releases();
  const auto take = [&](auto result, auto& to) {
    if (result) {
      to = std::move(*result);
    } else {
      d.error = result.error().text();
    }
  };
  EventQuery query;
  query.newest_first = true;
  query.limit = 10 * kPageEvents;
  take(store_.events(query), d.events);
  std::erase_if(d.events, [](const auto& e) { return e.event.type == "kubernetes.event"; });
  if (d.events.size() > kPageEvents) d.events.resize(kPageEvents);
  take(store_.subscriptions(), d.subscriptions);
  take(store_.deliveries({.state = DeliveryState::kDead, .limit = kPageEvents}), d.dead);
  take(store_.deliveries({.state = DeliveryState::kRetry, .limit = kPageEvents}), d.waiting);
  return answer(200, status_page(d), "text/html; charset=utf-8");
}

}  // namespace

Result<std::unique_ptr<Api>> Api::start(const std::string& listen, std::vector<TokenConfig> tokens,
                                        Store& store, sys::Clock& clock, ApiHooks hooks) {
  auto server = std::make_unique<Server>(std::move(tokens), store, clock, std::move(hooks));
  TRY(server->begin(listen));
  return server;
}

}  // namespace pintle::lookout
