// Slack: an incoming webhook (the secret or `url` is its URL), or chat.postMessage (`channel` is
// set, the secret is the bot's token). About one message a second.
#include "base/gotext.h"
#include "base/strings.h"
#include "json/json.h"
#include "lookout/sinks/body.h"
#include "lookout/sinks/kinds.h"
#include "lookout/sinks/robot.h"

namespace pintle::lookout {
namespace {

constexpr ContactKind kMember = {"id of Slack", &Person::slack, "mention", is_slack_id, true};
constexpr size_t kTextLimit = 30'000;
constexpr size_t kMerge = 60;
constexpr std::string_view kPostMessage = "https://slack.com/api/chat.postMessage";

struct Settings {
  SinkOptions options;
  std::string url, token;
};

Result<Settings> read(const Subscription& s) {
  Settings out;
  out.options =
      TRY(read_options(s, {"url", "template", "title", "mention", "channel",
                                       "timeout_ms", "ca", "certificate", "key"}));
  auto [url, keys] = url_and_keys(out.options, s.secret);
  out.url = std::move(url);
  if (!keys.empty()) out.token = std::move(keys[0]);
  if (out.url.empty() && !out.options.channel.empty()) out.url = kPostMessage;
  return out;
}

Status check(const Subscription& s) {
  const Settings it = TRY(read(s));
  if (!it.options.body.empty()) TRY(check_template(it.options.body));
  TRY(check_tls_options(it.options));
  return it.url.empty() && s.secret.empty() ? ok() : check_url_option(it.url);
}

Result<Route> route(const Subscription& s) {
  const Settings it = TRY(read(s));
  Route route = TRY(route_to(kSlack.name, it.url, it.options, kMerge));
  append(route.key, {" ", it.token, " ", it.options.channel});
  return route;
}

std::string escape(std::string_view text) {
  return replace_all(replace_all(replace_all(text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;");
}

Result<http::Request> request(std::span<const Claimed> events, int64_t) {
  const Settings it = TRY(read(events[0].subscription));
  std::string text = TRY(message_text(events, it.options, kTextLimit, escape));
  for (const std::string& id : it.options.mention) append(text, {" <@", escape(id), ">"});
  std::string body = "{";
  if (!it.options.channel.empty())
    append(body, {"\"channel\":", json::quoted(it.options.channel), ","});
  append(body, {"\"text\":", json::quoted(text), "}"});
  http::Request r = post_json(it.url, std::move(body));
  if (!it.token.empty()) r.headers.emplace_back("Authorization", cat("Bearer ", it.token));
  return r;
}

Verdict judge(const http::Response& r) {
  Verdict v = judge_status(r);
  if (v.outcome != Outcome::kSucceeded || trim_space(r.body) == "ok") return v;
  const auto body = json::read(r.body);
  const value::Value* good = body ? body->get("ok") : nullptr;
  if (good && good->is(value::Type::kBool) && good->as_bool()) return v;
  const value::Value* error = body ? body->get("error") : nullptr;
  v.outcome = Outcome::kRetry;
  const std::string_view what = error && error->is_string() ? error->as_string() : "";
  v.why = what.empty() ? "the answer is not \"ok\"" : cat("Slack answered ", what);
  if (what == "ratelimited" || what == "rate_limited") v.retry_after_ms = 30'000;
  v.alive = !what.empty();
  return v;
}

}  // namespace

const SinkKind kSlack = {.name = "slack",
                         .check = check,
                         .route = route,
                         .request = request,
                         .judge = judge,
                         .limits = {Limit{1, 1'100}},
                            .contacts = &kMember};

}  // namespace pintle::lookout
