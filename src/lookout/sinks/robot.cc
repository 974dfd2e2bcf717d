#include "lookout/sinks/robot.h"

#include <algorithm>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/sinks/body.h"

namespace pintle::lookout {

http::Request post_json(std::string url, std::string body) {
  http::Request r;
  r.method = "POST";
  r.url = std::move(url);
  r.headers = {{"Content-Type", "application/json; charset=utf-8"}};
  r.body = std::move(body);
  return r;
}

Verdict judge_code(const http::Response& r, std::string_view code, std::string_view message,
                   std::initializer_list<int64_t> limited, int64_t wait_ms) {
  Verdict v = judge_status(r);
  if (v.outcome != Outcome::kSucceeded) return v;
  v.outcome = Outcome::kRetry;
  const auto body = json::read(r.body, {json::Numbers::kExact});
  const value::Value* n = body ? body->get(code) : nullptr;
  if (n == nullptr || !n->is_int()) {
    v.why = cat("the robot's answer has no ", code);
    v.alive = false;
    return v;
  }
  if (n->as_int() == 0) {
    v.outcome = Outcome::kSucceeded;
    return v;
  }
  const value::Value* text = body->get(message);
  v.why = cat("the robot answered ", code, " ", n->as_int(), text && text->is_string() ? ": " : "",
              text && text->is_string() ? text->as_string() : "");
  const bool too_fast = std::find(limited.begin(), limited.end(), n->as_int()) != limited.end();
  if (too_fast) v.retry_after_ms = wait_ms;
  v.alive = too_fast;
  return v;
}

Result<Robot> read_robot(const Subscription& s, std::initializer_list<std::string_view> formats) {
  Robot out;
  out.options =
      TRY(read_options(s, {"url", "format", "template", "title", "mention",
                                       "timeout_ms", "ca", "certificate", "key"}));
  TRY(check_format(out.options.format, formats));
  if (out.options.format.empty()) out.options.format = *formats.begin();
  auto [url, keys] = url_and_keys(out.options, s.secret);
  out.url = std::move(url);
  if (!keys.empty()) out.key = std::move(keys[0]);
  return out;
}

std::string escape_angles(std::string_view text) {
  return replace_all(replace_all(text, "<", "\xEF\xBC\x9C"), ">", "\xEF\xBC\x9E");  // full width
}

Status check_robot(const Result<Robot>& robot, const Subscription& s) {
  if (!robot) return robot.error();
  TRY(check_template(robot->options.body));
  TRY(check_tls_options(robot->options));
  return robot->url.empty() && s.secret.empty() ? ok() : check_url_option(robot->url);
}

}  // namespace pintle::lookout
