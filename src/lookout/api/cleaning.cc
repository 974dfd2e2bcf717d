// How long things are kept. The policies of the configuration's file are changed there.
#include <algorithm>

#include "base/strings.h"
#include "lookout/api/handlers.h"
#include "lookout/api/json.h"
#include "lookout/config/pieces.h"
#include "lookout/config/settings.h"

namespace pintle::lookout {
namespace {

constexpr int kMostCounted = 100'000;

std::string policy_json(const CleaningPolicy& p) {
  return Data()
      .text("type", p.type)
      .text("keep", duration_text(p.keep_ms))
      .text("source", p.of_api ? "api" : "config")
      .take();
}

}  // namespace

Result<Answer> list_policies(Backend& b, const Call&) {
  return Answer{items_json(b.hooks.config()->cleaning, policy_json)};
}

Result<Answer> put_policy(Backend& b, const Call& c) {
  return put_setting(b, TRY(policy_setting(c.body, *b.hooks.config())), &Config::cleaning,
                     &CleaningPolicy::type,
                     [](const Config&, const CleaningPolicy& p) { return policy_json(p); });
}

Result<Answer> remove_policy(Backend& b, const Call& c) {
  return remove_setting(b, kPolicySetting, c.names[0]);
}

Result<Answer> try_policy(Backend& b, const Call& c) {
  const SectionText text = TRY(SectionText::json(c.body));
  Section top = text.top();
  CleaningPolicy p;
  TRY(read_policy(top, b.hooks.config()->rules, p));
  const int64_t count = TRY(b.store.count_old(p.type, b.now_ms() - p.keep_ms, kMostCounted));
  return Answer{Data()
                    .text("type", p.type)
                    .text("keep", duration_text(p.keep_ms))
                    .raw("would_go", cat(count))
                    .take()};
}

}  // namespace pintle::lookout
