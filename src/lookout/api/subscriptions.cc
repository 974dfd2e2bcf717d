// Who is told what. Those of the configuration's file are changed there: what the API did to them
// would be undone when it is read again. Pausing is for the moment, and allowed.
#include <algorithm>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "lookout/api/handlers.h"
#include "lookout/api/json.h"
#include "lookout/config/pieces.h"
#include "lookout/deliver/recipients.h"
#include "lookout/deliver/request_text.h"
#include "lookout/sinks/sink.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kUsualGraceMs = 24 * 3'600'000LL;
constexpr size_t kKeyBytes = 32;

bool of_file(Backend& b, std::string_view name) {
  const auto config = b.hooks.config();
  return std::any_of(config->subscriptions.begin(), config->subscriptions.end(),
                     [&](const Subscription& s) { return s.name == name; });
}

std::string shown(Backend& b, const Subscription& s) {
  return subscription_json(s, of_file(b, s.name) ? "config" : "api");
}

Status read_given(Backend& b, Section& top, Subscription& s) {
  for (const char* given : {"id", "source", "paused", "paused_reason", "statistics"})
    top.skip(given);  // what was asked for can be put
  return read_subscription(top, b.hooks.config()->rules, s);
}

Status read_body(Backend& b, const Call& c, Subscription& s) {
  const SectionText text = TRY(SectionText::json(c.body));
  Section top = text.top();
  return read_given(b, top, s);
}

// Whether something at this place, REGION/NAMESPACE/RELEASE or the first of them, may be told.
bool concerns(const Filter& f, std::string_view place) {
  const auto parts = split(place, "/");
  const std::vector<std::string>* const lists[] = {&f.regions, &f.namespaces, &f.releases};
  for (size_t i = 0; i < std::min(parts.size(), std::size(lists)); ++i) {
    const auto& list = *lists[i];
    if (!list.empty() && std::find(list.begin(), list.end(), parts[i]) == list.end()) return false;
  }
  return f.scopes.empty() || std::any_of(f.scopes.begin(), f.scopes.end(), [&](const auto& scope) {
           return scope_covers(scope, place);
         });
}

Result<Answer> pause(Backend& b, const Call& c, bool paused) {
  Subscription s = TRY(subscription_of(b, c));
  TRY(b.store.pause_subscription(s.id, paused, "", c.by));
  s.paused = paused;
  s.paused_why.clear();
  b.hooks.wake();
  return Answer{shown(b, s)};
}

}  // namespace

Result<Subscription> subscription_of(Backend& b, const Call& c, size_t n) {
  const int64_t id = TRY(id_of(c, n));
  for (Subscription& s : TRY(b.store.subscriptions())) {
    if (s.id == id) return std::move(s);
  }
  return Error(cat("there is no subscription ", id), Code::kNotFound);
}

Result<Subscription> own_subscription(Backend& b, const Call& c, size_t n) {
  Subscription s = TRY(subscription_of(b, c, n));
  if (!of_file(b, s.name)) return s;
  return Error(
      cat("the configuration's file has the subscription \"", s.name, "\": change it there"),
      Code::kFailedPrecondition);
}

Result<Answer> list_subscriptions(Backend& b, const Call& c) {
  auto all = TRY(b.store.subscriptions());
  if (const std::string place = c.text("scope"); !place.empty()) {
    std::erase_if(all, [&](const Subscription& s) { return !concerns(s.filter, place); });
  }
  std::erase_if(all, [after = c.number("after")](const Subscription& s) { return s.id <= after; });
  const bool more = all.size() > static_cast<size_t>(c.limit());
  if (more) all.resize(static_cast<size_t>(c.limit()));
  return Answer{items_json(all, [&](const Subscription& s) { return shown(b, s); },
                           more ? all.back().id : 0)};
}

Result<Answer> add_subscription(Backend& b, const Call& c) {
  Subscription s;
  TRY(read_body(b, c, s));
  return Answer{shown(b, TRY(b.store.add_subscription(s, c.by)))};
}

Result<Answer> show_subscription(Backend& b, const Call& c) {
  const Subscription s = TRY(subscription_of(b, c));
  std::string out = shown(b, s);
  out.pop_back();
  return Answer{cat(out, ",\"statistics\":", statistics_json(TRY(b.store.statistics(s.id))), "}")};
}

Result<Answer> change_subscription(Backend& b, const Call& c) {
  // With its secrets: what the body leaves out, or has masked, is taken from them.
  Subscription s = TRY(b.store.whole_subscription(TRY(own_subscription(b, c)).id));
  TRY(read_body(b, c, s));
  TRY(b.store.update_subscription(s, c.by));
  b.hooks.wake();
  return Answer{shown(b, s)};
}

Result<Answer> remove_subscription(Backend& b, const Call& c) {
  const Subscription s = TRY(own_subscription(b, c));
  TRY(b.store.remove_subscription(s.id, c.by));
  return Answer{};
}

Result<Answer> pause_subscription(Backend& b, const Call& c) { return pause(b, c, true); }
Result<Answer> resume_subscription(Backend& b, const Call& c) { return pause(b, c, false); }

Result<Answer> try_subscription(Backend& b, const Call& c) {
  const Subscription s = TRY(subscription_of(b, c));
  const Attempt a = b.hooks.attempt(trial_of(TRY(b.store.whole_subscription(s.id)), b.now_ms()));
  return Answer{attempt_json(a, c.role)};
}

// Of the subscription as it is given; where its id is, what is left out or masked is as it was.
Result<Answer> preview_subscription(Backend& b, const Call& c) {
  const SectionText text = TRY(SectionText::json(c.body));
  Section top = text.top();
  int64_t id = 0, event = 0;
  top.number("id", id, 1, INT64_MAX);
  top.number("event", event, 1, INT64_MAX);
  Subscription s;
  if (id != 0) s = TRY(b.store.whole_subscription(id));
  TRY(read_given(b, top, s));
  Claimed it = trial_of(std::move(s), b.now_ms());
  if (event != 0) it.event = TRY(b.store.event(event));
  const StoredEvent& e = it.event;
  const bool matching = matches(it.subscription.filter, e.event, e.region, e.environment);
  find_recipients(it, b.hooks.config()->directory, b.now_ms());
  it = addressed({&it, 1})[0];
  const auto body = body_text(it, b.now_ms());
  if (!body) return Error(body.error().text(), Code::kInvalidArgument);
  return Answer{Data()
                    .raw("matches", matching ? "true" : "false")
                    .raw("body", json::quoted(*body))
                    .raw("curl", json::quoted(curl_text(it, b.now_ms())))
                    .take()};
}

Result<Answer> rotate_secret(Backend& b, const Call& c) {
  Subscription s = TRY(own_subscription(b, c));
  const SinkKind* sink = find_sink(s.sink_kind);
  if (sink == nullptr) return Error(cat("no sink ", s.sink_kind), Code::kFailedPrecondition);
  std::string fresh;
  int64_t grace_ms = kUsualGraceMs;
  const SectionText text = TRY(SectionText::json(c.body.empty() ? "{}" : c.body));
  Section top = text.top();
  top.text("secret", fresh);
  top.duration("grace", grace_ms);
  TRY(top.end());
  const bool ours = sink->rotated != nullptr;
  if (fresh.empty() && !ours) {
    return top.error("secret", cat("its receiver makes the secret of the sink ", sink->name));
  }
  if (fresh.empty()) {
    fresh = cat("whsec_", crypt::base64_encode(crypt::random_bytes(kKeyBytes)));
  }
  const int64_t until_ms = ours && grace_ms > 0 ? b.now_ms() + grace_ms : 0;
  s = TRY(b.store.whole_subscription(s.id));
  const bool had_one = !s.secret.empty();
  s.secret = ours ? sink->rotated(s, fresh, until_ms, b.now_ms()) : fresh;
  TRY(sink->check(s));
  TRY(b.store.update_subscription(s, c.by));
  return Answer{Data().text("secret", fresh).number("old_until_ms", had_one ? until_ms : 0).take()};
}

}  // namespace pintle::lookout
