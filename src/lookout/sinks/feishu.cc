// Feishu's and Lark's robot: text, or a card; signed by timestamp and sign in the body when the
// secret has a key. 100 messages a minute and 5 a second.
#include "base/strings.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "lookout/sinks/body.h"
#include "lookout/sinks/kinds.h"
#include "lookout/sinks/robot.h"

namespace pintle::lookout {
namespace {

constexpr ContactKind kOpenId = {"open_id of Feishu", &Person::feishu, "mention", is_feishu_id};
constexpr size_t kTextLimit = 16'000;
constexpr size_t kMerge = 60;

Result<Robot> read(const Subscription& s) { return read_robot(s, {"text", "card"}); }

Status check(const Subscription& s) { return check_robot(read(s), s); }

Result<Route> route(const Subscription& s) {
  const Robot robot = TRY(read(s));
  return route_to(kFeishu.name, robot.url, robot.options, kMerge);
}

std::string_view colour(std::span<const Claimed> events) {
  auto worst = Severity::kInfo;
  for (const Claimed& c : events) worst = std::max(worst, c.event.event.severity);
  return worst == Severity::kError ? "red" : worst == Severity::kWarning ? "orange" : "blue";
}

Result<http::Request> request(std::span<const Claimed> events, int64_t now_ms) {
  const Robot robot = TRY(read(events[0].subscription));
  const SinkOptions& o = robot.options;
  std::string text = TRY(message_text(events, o, kTextLimit, escape_angles));
  for (const std::string& id : o.mention)
    append(text, {"\n<at user_id=\"", escape_angles(id), "\"></at>"});
  std::string body = "{";
  if (!robot.key.empty()) {
    const std::string stamp = std::to_string(now_ms / 1000);
    const std::string sign =
        crypt::base64_encode(crypt::hmac_sha256(cat(stamp, "\n", robot.key), ""));
    body += cat("\"timestamp\":\"", stamp, "\",\"sign\":\"", sign, "\",");
  }
  if (o.format == "card") {
    const std::string title =
        events.size() == 1 ? headline(events[0].event) : cat(events.size(), " events");
    body +=
        cat("\"msg_type\":\"interactive\",\"card\":{\"header\":{\"template\":\"", colour(events),
            "\",\"title\":{\"tag\":\"plain_text\",\"content\":", json::quoted(title),
            "}},\"elements\":[{\"tag\":\"div\",\"text\":{\"tag\":\"lark_md\",\"content\":",
            json::quoted(text), "}}]}}");
  } else {
    body += cat("\"msg_type\":\"text\",\"content\":{\"text\":", json::quoted(text), "}}");
  }
  return post_json(robot.url, std::move(body));
}

Verdict judge(const http::Response& r) {
  // Older robots answer {"StatusCode":0} beside or instead of {"code":0}.
  const auto body = json::read(r.body, {json::Numbers::kExact});
  const bool old = body && body->get("code") == nullptr && body->get("StatusCode") != nullptr;
  return judge_code(r, old ? "StatusCode" : "code", old ? "StatusMessage" : "msg",
                    {9499, 11232, 99991400}, 60'000);
}

}  // namespace

const SinkKind kFeishu = {.name = "feishu",
                          .check = check,
                          .route = route,
                          .request = request,
                          .judge = judge,
                          .limits = {Limit{100, 62'000}, Limit{5, 1'200}},
                            .contacts = &kOpenId};

}  // namespace pintle::lookout
