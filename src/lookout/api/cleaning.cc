// How long things are kept. The policies of the configuration's file are changed there.
#include <algorithm>

#include "base/strings.h"
#include "lookout/api/handlers.h"
#include "lookout/api/json.h"
#include "lookout/config/pieces.h"
#include "lookout/config/section.h"
#include "lookout/config/settings.h"

namespace pintle::lookout {
namespace {

constexpr int kMostCounted = 100'000;

std::string policy_json(const CleaningPolicy& p) {
  return Data()
      .text("name", p.name)
      .text("type", p.type)
      .raw("kinds", json_list(p.kinds))
      .raw("reasons", json_list(p.reasons))
      .raw("namespaces", json_list(p.namespaces))
      .text("keep", p.keep_ms > 0 ? duration_text(p.keep_ms) : "")
      .number("keep_rows", p.keep_rows)
      .raw("archive", p.archive ? "true" : "false")
      .text("source", p.of_api ? "api" : "config")
      .take();
}

}  // namespace

Result<Answer> list_policies(Backend& b, const Call& c) {
  const auto config = b.hooks.config();
  return named_page(c, config->cleaning, [](const CleaningPolicy& p) { return p.name; },
                    policy_json);
}

Result<Answer> put_policy(Backend& b, const Call& c) {
  return put_setting(b, c, TRY(policy_setting(c.body, *b.hooks.config())), &Config::cleaning,
                     [](const Config&, const CleaningPolicy& p) { return policy_json(p); });
}

Result<Answer> remove_policy(Backend& b, const Call& c) {
  return remove_setting(b, c, kPolicySetting, c.names[0]);
}

// Among those in force: it stands in the place of the one of its name.
Result<Answer> try_policy(Backend& b, const Call& c) {
  const SectionText text = TRY(SectionText::json(c.body));
  Section top = text.top();
  CleaningPolicy p;
  TRY(read_policy(top, *b.hooks.config(), p));
  std::vector<CleaningPolicy> policies = b.hooks.config()->cleaning;
  std::erase_if(policies, [&](const CleaningPolicy& other) { return other.name == p.name; });
  policies.push_back(p);
  const Cleaned found = TRY(b.store.try_cleaning(policies, p.name, kMostCounted));
  return Answer{Data()
                    .text("name", p.name)
                    .text("type", p.type)
                    .text("keep", p.keep_ms > 0 ? duration_text(p.keep_ms) : "")
                    .number("keep_rows", p.keep_rows)
                    .raw("would_go", cat(found.rows.sum()))
                    .raw("events", cat(found.rows.events))
                    .raw("deliveries", cat(found.rows.deliveries))
                    .raw("attempts", cat(found.rows.attempts))
                    .raw("observations", cat(found.rows.observations))
                    .raw("gaps", cat(found.rows.gaps))
                    .raw("audit", cat(found.rows.audit))
                    .raw("more", found.more ? "true" : "false")
                    .take()};
}

}  // namespace pintle::lookout
