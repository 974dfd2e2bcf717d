#include "drydock/admin.h"

#include <cmath>
#include <limits>
#include <optional>

#include "base/strings.h"
#include "httpd/query.h"
#include "json/json.h"
#include "value/value.h"

namespace pintle::drydock {
namespace {

using value::Value;

constexpr size_t kLogBytes = 8 << 20;  // of one answer; the reader comes back for more
constexpr int64_t kMaxLatencyMs = 600'000;

// An answer of the endpoint: a code and a value, or text.
struct Reply {
  int code = 200;
  std::string body;
  std::string_view type = "application/json";
};

Reply reply(int code, const Value& v) { return {code, *json::write(v) + "\n"}; }

Reply refusal(int code, std::string_view why) {
  auto map = value::make_map();
  map->set(value::Str("error"), value::str(why));
  return reply(code, Value::map(map));
}

Value object(std::initializer_list<std::pair<std::string_view, Value>> members) {
  auto map = value::make_map();
  for (const auto& [name, v] : members) map->set(value::Str(name), v);
  return Value::map(map);
}

constexpr std::pair<Fault::Effect, std::string_view> kEffects[] = {
    {Fault::Effect::kNone, "none"}, {Fault::Effect::kStatus, "status"},
    {Fault::Effect::kCut, "cut"},   {Fault::Effect::kLost, "lost"},
    {Fault::Effect::kHang, "hang"}, {Fault::Effect::kSilent, "silent"},
    {Fault::Effect::kHalfOpen, "halfOpen"},
};
constexpr std::pair<WatchFault, std::string_view> kWatchFaults[] = {
    {WatchFault::kCut, "cut"},
    {WatchFault::kSilence, "silence"},
    {WatchFault::kHalfOpen, "halfOpen"},
};

// Reads the members of a JSON object; the first that is wrong or unknown is the error.
class Members {
 public:
  explicit Members(const Value& v) : map_(v) {}

  void read(std::string_view name, std::string& out) {
    const Value* v = take(name);
    if (v == nullptr) return;
    if (!v->is_string()) return fail(name, "a string");
    out = v->as_string();
  }
  void read(std::string_view name, std::optional<bool>& out) {
    const Value* v = take(name);
    if (v == nullptr) return;
    if (!v->is(value::Type::kBool)) return fail(name, "true or false");
    out = v->as_bool();
  }
  template <typename I>
  void read(std::string_view name, I& out, int64_t least, int64_t most) {
    const Value* v = take(name);
    if (v == nullptr) return;
    if (!v->is_int() || v->as_int() < least || v->as_int() > most) {
      return fail(name, cat("an integer from ", least, " to ", most));
    }
    out = static_cast<I>(v->as_int());
  }
  void read(std::string_view name, double& out) {
    const Value* v = take(name);
    if (v == nullptr) return;
    const double d = v->is_int() ? static_cast<double>(v->as_int())
                     : v->is(value::Type::kFloat64) ? v->as_double()
                                                    : -1;
    if (!(d >= 0 && d <= 1)) return fail(name, "a number from 0 to 1");
    out = d;
  }
  template <typename E, size_t n>
  void read(std::string_view name, E& out, const std::pair<E, std::string_view> (&names)[n]) {
    std::string text;
    read(name, text);
    if (text.empty()) return;
    std::string known;
    for (const auto& [e, word] : names) {
      if (word == text) {
        out = e;
        return;
      }
      append(known, {known.empty() ? "" : ", ", word});
    }
    fail(name, cat("one of ", known));
  }
  // Call last.
  const std::optional<std::string>& error() {
    if (!error_ && seen_ != map_.length()) error_ = "unknown or null field";
    return error_;
  }

 private:
  const Value* take(std::string_view name) {
    const Value* v = map_.get(name);
    if (v == nullptr || v->is_nil()) return nullptr;
    ++seen_;
    return v;
  }
  void fail(std::string_view name, std::string_view wanted) {
    if (!error_) error_ = cat(name, " must be ", wanted);
  }

  const Value& map_;
  size_t seen_ = 0;
  std::optional<std::string> error_;
};

Value described(const Fault& fault) {
  Value v = object({{"id", Value::int64(static_cast<int64_t>(fault.id))},
                    {"fired", Value::int64(static_cast<int64_t>(fault.fired))},
                    {"method", value::str(fault.method)},
                    {"pathPrefix", value::str(fault.path_prefix)},
                    {"userAgent", value::str(fault.user_agent)},
                    {"probability", Value::number(fault.probability)},
                    {"latencyMilliseconds", Value::int64(fault.latency_ms)}});
  for (const auto& [effect, word] : kEffects) {
    if (effect == fault.effect) v.as_map()->set(value::Str("effect"), value::str(word));
  }
  if (fault.watch) v.as_map()->set(value::Str("watch"), Value::boolean(*fault.watch));
  if (fault.count) {
    v.as_map()->set(value::Str("count"), Value::int64(static_cast<int64_t>(*fault.count)));
  }
  if (fault.effect == Fault::Effect::kStatus) {
    v.as_map()->set(value::Str("status"), Value::int64(fault.status));
    v.as_map()->set(value::Str("retryAfterSeconds"), Value::int64(fault.retry_after_seconds));
    v.as_map()->set(value::Str("message"), value::str(fault.message));
  }
  return v;
}

Reply add_fault(const Value& body, const Admin& admin) {
  Fault fault;
  int64_t count = -1;
  Members members(body);
  members.read("method", fault.method);
  members.read("pathPrefix", fault.path_prefix);
  members.read("userAgent", fault.user_agent);
  members.read("watch", fault.watch);
  members.read("probability", fault.probability);
  members.read("count", count, 1, std::numeric_limits<int64_t>::max());
  members.read("effect", fault.effect, kEffects);
  members.read("latencyMilliseconds", fault.latency_ms, 0, kMaxLatencyMs);
  members.read("status", fault.status, 400, 599);
  members.read("retryAfterSeconds", fault.retry_after_seconds, 0, 86400);
  members.read("message", fault.message);
  if (members.error()) return refusal(400, *members.error());
  if (count > 0) fault.count = static_cast<uint64_t>(count);
  if (fault.status != 0 && fault.effect == Fault::Effect::kNone) {
    fault.effect = Fault::Effect::kStatus;
  }
  if (fault.effect == Fault::Effect::kStatus && fault.status == 0) {
    return refusal(400, "effect status needs a status");
  }
  fault.id = admin.faults.add(fault);
  return reply(201, described(fault));
}

Reply fault_watches(const Value& body, const Admin& admin) {
  WatchFilter filter;
  WatchFault fault = WatchFault::kCut;
  Members members(body);
  members.read("resource", filter.resource);
  members.read("namespace", filter.ns);
  members.read("userAgent", filter.user_agent);
  members.read("effect", fault, kWatchFaults);
  if (members.error()) return refusal(400, *members.error());
  const size_t count = admin.target.fault_watches(filter, fault);
  return reply(200, object({{"watches", Value::int64(static_cast<int64_t>(count))}}));
}

Reply step_clock(const Value& body, const Admin& admin) {
  int64_t ms = 0;
  Members members(body);
  members.read("stepMilliseconds", ms, 0, 100LL * 365 * 86400 * 1000);
  if (members.error()) return refusal(400, *members.error());
  if (const Status stepped = admin.target.step_clock(ms * 1'000'000); !stepped) {
    return refusal(400, stepped.error().text());
  }
  return reply(200, object({{"now", value::str(admin.target.now())}}));
}

Reply read_log(std::string_view query, const Admin& admin) {
  const httpd::Query pairs = httpd::parse_query(query);
  uint64_t since = 0;
  if (const std::string* text = httpd::find(pairs, "since")) {
    const char* end = text->data() + text->size();
    const auto [at, error] = std::from_chars(text->data(), end, since);
    if (error != std::errc() || at != end) return refusal(400, "since must be a resourceVersion");
  }
  auto lines = admin.truth.read(since, kLogBytes);
  if (!lines) return refusal(410, lines.error().text());
  return {200, std::move(*lines), "application/x-ndjson"};
}

Reply facts(const Admin& admin) {
  auto map = value::make_map();
  for (const auto& [name, number] : admin.target.facts()) {
    map->set(value::Str(name), Value::int64(number));
  }
  return reply(200, Value::map(map));
}

Reply one_fault(std::string_view method, std::string_view id, const Admin& admin) {
  if (method != "DELETE") return refusal(405, "only DELETE");
  uint64_t number = 0;
  const auto [at, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (error != std::errc() || at != id.data() + id.size() || !admin.faults.remove(number)) {
    return refusal(404, "no such fault");
  }
  return reply(200, object({}));
}

Reply faults(std::string_view method, const Value& body, const Admin& admin) {
  if (method == "POST") return add_fault(body, admin);
  if (method == "DELETE") {
    admin.faults.clear();
    return reply(200, object({}));
  }
  if (method != "GET") return refusal(405, "only GET, POST and DELETE");
  std::vector<Value> all;
  for (const Fault& fault : admin.faults.all()) all.push_back(described(fault));
  return reply(200, object({{"faults", Value::list_of(std::move(all))}}));
}

Reply serve(const httpd::Request& request, const Admin& admin) {
  const std::string_view rest = std::string_view(request.path).substr(sizeof "/drydock/" - 1);
  Value body = object({});
  if (!request.body.empty()) {
    auto parsed = json::read(request.body, {.numbers = json::Numbers::kExact});
    if (!parsed) return refusal(400, parsed.error().text());
    if (!parsed->is_map()) return refusal(400, "the body must be a JSON object");
    body = std::move(*parsed);
  }
  if (rest == "faults") return faults(request.method, body, admin);
  if (rest.starts_with("faults/")) {
    return one_fault(request.method, rest.substr(sizeof "faults/" - 1), admin);
  }
  const bool get = request.method == "GET", post = request.method == "POST";
  if (rest == "log") return get ? read_log(request.query, admin) : refusal(405, "only GET");
  if (rest == "facts") return get ? facts(admin) : refusal(405, "only GET");
  if (rest == "watches") return post ? fault_watches(body, admin) : refusal(405, "only POST");
  if (rest == "clock") {
    if (get) return reply(200, object({{"now", value::str(admin.target.now())}}));
    return post ? step_clock(body, admin) : refusal(405, "only GET and POST");
  }
  if (rest == "compact") {
    if (!post) return refusal(405, "only POST");
    const auto oldest = static_cast<int64_t>(admin.target.compact());
    return reply(200, object({{"resourceVersion", Value::int64(oldest)}}));
  }
  if (rest == "restart") {
    if (!post) return refusal(405, "only POST");
    return reply(202, object({}));
  }
  return refusal(404, "no such path under /drydock/");
}

// Takes as long for every wrong token of the right length.
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char differs = 0;
  for (size_t i = 0; i < a.size(); ++i) differs |= static_cast<unsigned char>(a[i] ^ b[i]);
  return differs == 0;
}

}  // namespace

void serve_admin(const std::shared_ptr<httpd::Exchange>& exchange, const Admin& admin) {
  const httpd::Request& request = exchange->request();
  const std::string_view given = request.header("Authorization");
  const bool allowed = !admin.token.empty() && given.starts_with("Bearer ") &&
                       same(given.substr(sizeof "Bearer " - 1), admin.token);
  Reply r = allowed ? serve(request, admin) : refusal(401, "the admin token is needed");
  const bool restart = allowed && r.code == 202;
  exchange->respond({.status = r.code,
                     .headers = {{"Content-Type", std::string(r.type)}},
                     .body = {std::make_shared<const std::string>(std::move(r.body))}});
  // The answer first, as far as the socket takes it: the connection goes with all the others.
  if (restart) exchange->on_close([&target = admin.target] { target.restart(); });
}

}  // namespace pintle::drydock
