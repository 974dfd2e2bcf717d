// WeCom's robot: markdown or text; its key is in the URL. 20 messages a minute.
#include "base/strings.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "lookout/sinks/body.h"
#include "lookout/sinks/kinds.h"
#include "lookout/sinks/robot.h"

namespace pintle::lookout {
namespace {

constexpr ContactKind kUser = {"userid of WeCom", &Person::wecom, "mention", is_mobile};
constexpr size_t kMarkdownLimit = 4096, kTextLimit = 2048;
constexpr size_t kMarkdownMerge = 20, kTextMerge = 10;

Result<Robot> read(const Subscription& s) { return read_robot(s, {"markdown", "text"}); }

Status check(const Subscription& s) { return check_robot(read(s), s); }

Result<Route> route(const Subscription& s) {
  const Robot robot = TRY(read(s));
  return route_to(kWecom.name, robot.url, robot.options,
                  robot.options.format == "text" ? kTextMerge : kMarkdownMerge);
}

Result<http::Request> request(std::span<const Claimed> events, int64_t) {
  const Robot robot = TRY(read(events[0].subscription));
  const SinkOptions& o = robot.options;
  const bool plain = o.format == "text";
  std::string mentions;
  if (!plain) {
    for (const std::string& id : o.mention) append(mentions, {"\n<@", escape_angles(id), ">"});
  }
  const size_t limit =
      plain ? kTextLimit : kMarkdownLimit - std::min(kMarkdownLimit / 2, mentions.size());
  const std::string text = TRY(message_text(events, o, limit, escape_angles)) + mentions;
  if (plain) {
    std::vector<std::string> users, mobiles;
    for (const std::string& id : o.mention) (is_mobile(id) ? mobiles : users).push_back(id);
    return post_json(robot.url,
                     cat("{\"msgtype\":\"text\",\"text\":{\"content\":", json::quoted(text),
                         ",\"mentioned_list\":", json_list(users),
                         ",\"mentioned_mobile_list\":", json_list(mobiles), "}}"));
  }
  return post_json(
      robot.url,
      cat("{\"msgtype\":\"markdown\",\"markdown\":{\"content\":", json::quoted(text), "}}"));
}

Verdict judge(const http::Response& r) {
  return judge_code(r, "errcode", "errmsg", {45009, 45033}, 60'000);
}

}  // namespace

const SinkKind kWecom = {.name = "wecom",
                         .check = check,
                         .route = route,
                         .request = request,
                         .judge = judge,
                         .limits = {Limit{20, 62'000}},
                            .contacts = &kUser};

}  // namespace pintle::lookout
