// DingTalk's robot: markdown or text; signed by &timestamp and &sign in the URL when the secret has
// a key ("SEC..."). 20 messages a minute, beyond which the robot is blocked for ten.
#include "base/strings.h"
#include "base/url.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "lookout/sinks/body.h"
#include "lookout/sinks/kinds.h"
#include "lookout/sinks/robot.h"

namespace pintle::lookout {
namespace {

constexpr ContactKind kMobile = {"mobile number of DingTalk", &Person::dingtalk, "mention", is_mobile};
constexpr size_t kTextLimit = 18'000;
constexpr size_t kMerge = 60;

Result<Robot> read(const Subscription& s) { return read_robot(s, {"markdown", "text"}); }

Status check(const Subscription& s) { return check_robot(read(s), s); }

Result<Route> route(const Subscription& s) {
  const Robot robot = TRY(read(s));
  return route_to(kDingtalk.name, robot.url, robot.options, kMerge);
}

Result<http::Request> request(std::span<const Claimed> events, int64_t now_ms) {
  const Robot robot = TRY(read(events[0].subscription));
  const SinkOptions& o = robot.options;
  std::string text = TRY(message_text(events, o, kTextLimit, escape_angles));
  // Whom it is to call must stand in the text as well.
  if (!o.mention.empty()) append(text, {"\n@", escape_angles(join(o.mention, " @"))});
  const std::string title =
      events.size() == 1 ? headline(events[0].event) : cat(events.size(), " events");
  const std::string at = cat("\"at\":{\"atMobiles\":", json_list(o.mention), ",\"isAtAll\":false}");
  std::string body;
  if (o.format == "text") {
    body = cat("{\"msgtype\":\"text\",\"text\":{\"content\":", json::quoted(text), "},", at, "}");
  } else {
    body = cat("{\"msgtype\":\"markdown\",\"markdown\":{\"title\":",
               json::quoted(o.title.empty() ? title : cat(o.title, " ", title)),
               ",\"text\":", json::quoted(replace_all(text, "\n", "\n\n")), "},", at, "}");
  }
  std::string url = robot.url;
  if (!robot.key.empty()) {
    const std::string stamp = std::to_string(now_ms);
    const std::string sign =
        crypt::base64_encode(crypt::hmac_sha256(robot.key, cat(stamp, "\n", robot.key)));
    append(url, {url.find('?') == url.npos ? "?" : "&", "timestamp=", stamp,
                 "&sign=", query_escape(sign)});
  }
  return post_json(std::move(url), std::move(body));
}

Verdict judge(const http::Response& r) {
  return judge_code(r, "errcode", "errmsg", {130101, 410100, 660026}, 600'000);
}

}  // namespace

const SinkKind kDingtalk = {.name = "dingtalk",
                            .check = check,
                            .route = route,
                            .request = request,
                            .judge = judge,
                            .limits = {Limit{20, 62'000}},
                            .contacts = &kMobile};

}  // namespace pintle::lookout
