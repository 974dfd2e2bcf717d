// The rules in force, those the API makes, and trying one on what is stored.
#include <algorithm>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/api/handlers.h"
#include "lookout/api/json.h"
#include "lookout/config/rules_toml.h"
#include "lookout/config/settings.h"

namespace pintle::lookout {
namespace {

constexpr int kRowsAtOnce = 1000;
constexpr int kDryRunEvents = 100'000;
constexpr size_t kDryRunShown = 100;

std::string shown(const Config& config, const Rule& r) {
  return rule_json(r, config.rules_of_file.contains(r.name)  ? "config"
                      : config.rules_of_api.contains(r.name) ? "api"
                                                             : "default");
}

// TOML with some, or one as an object.
Result<std::vector<Rule>> rules_of(const value::Value& given) {
  if (given.is_string()) return read_rules(given.as_string(), "rule");
  if (!given.is_map()) return Error("rule: want a rule, or TOML of some", Code::kInvalidArgument);
  const std::string json = TRY(json::write(given));
  const SectionText text = TRY(SectionText::json(json));
  Section top = text.top();
  Rule rule;
  TRY(read_rule(top, rule));
  return std::vector<Rule>{std::move(rule)};
}

KubeEvent raw_event(const StoredEvent& e) {
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
  return k;
}

}  // namespace

Result<Answer> list_rules(Backend& b, const Call& c) {
  const auto config = b.hooks.config();
  return named_page(c, config->rules, [](const Rule& r) { return r.name; },
                    [&](const Rule& r) { return shown(*config, r); });
}

Result<Answer> put_rule(Backend& b, const Call& c) {
  return put_setting(b, c, TRY(rule_setting(c.body, *b.hooks.config())), &Config::rules, shown);
}

Result<Answer> remove_rule(Backend& b, const Call& c) {
  return remove_setting(b, c, kRuleSetting, c.names[0]);
}

Result<Answer> try_rule(Backend& b, const Call& c) {
  const SectionText text = TRY(SectionText::json(c.body));
  Section top = text.top();
  EventQuery query;
  query.type = "kubernetes.event";
  query.limit = kRowsAtOnce;
  const auto body = TRY(json::read(c.body, {json::Numbers::kExact}));
  top.skip("rule");
  top.number("from", query.from_ms, 0, INT64_MAX);
  top.number("to", query.to_ms, 0, INT64_MAX);
  top.number("after", query.after, 0, INT64_MAX);
  TRY(top.end());
  const value::Value* rule = body.get("rule");
  if (rule == nullptr) return top.error("rule", "is missing");
  const auto rules = TRY(Rules::compile(TRY(rules_of(*rule))));
  int64_t seen = 0, matched = 0;
  bool more = true;
  std::vector<std::string> hits;
  while (more && seen < kDryRunEvents && !b.stopped()) {
    const EventPage page = TRY(b.store.look(query, kRowsAtOnce));
    more = page.more;
    query.after = page.looked;
    for (const StoredEvent& e : page.events) {
      ++seen;
      const auto hit = rules.match(raw_event(e), e.cluster_uid, e.region, e.event.labels);
      if (hit.rule == nullptr || ++matched > static_cast<int64_t>(kDryRunShown)) continue;
      hits.push_back(Data()
                         .number("sequence", e.sequence)
                         .text("rule", hit.rule->name)
                         .text("type", hit.rule->type)
                         .text("message", e.event.message)
                         .text("dedup_key", hit.dedup_key)
                         .take());
    }
  }
  return Answer{Data()
                    .number("seen", seen)
                    .number("matched", matched)
                    .raw("items", cat("[", join(hits, ","), "]"))
                    .raw("more", more ? "true" : "false")
                    .number("next", more ? query.after : 0)
                    .take()};
}

}  // namespace pintle::lookout
