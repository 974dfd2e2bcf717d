// Lines on standard output, for pipes and container logs. One that nobody reads is a failure, as with
// any other endpoint.
#include <unistd.h>

#include "base/strings.h"
#include "lookout/sinks/body.h"
#include "lookout/sinks/kinds.h"
#include "lookout/sinks/line_out.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kTimeoutMs = 10'000;

Result<SinkOptions> read(const Subscription& s) {
  SinkOptions o = TRY(read_options(s, {"format", "template", "timeout_ms"}));
  TRY(check_format(o.format, {"plain", "cloudevents"}));
  return o;
}

Status check(const Subscription& s) {
  const SinkOptions o = TRY(read(s));
  return o.body.empty() ? ok() : check_template(o.body);
}

Result<Route> route(const Subscription& s) {
  TRY(read(s));
  return Route{.key = "stdout", .merge = kLinesAtOnce};
}

Verdict send(std::span<const Claimed> events, const Sending&) {
  const auto o = read(events[0].subscription);
  const auto lines = o ? event_lines(events, *o) : Result<std::string>(o.error());
  if (!lines) return {.outcome = Outcome::kDead, .why = lines.error().text()};
  static LineOut& out = *new LineOut(STDOUT_FILENO);  // for good: a thread may be in it at the end
  if (Status s = out.write(*lines, o->timeout_ms > 0 ? o->timeout_ms : kTimeoutMs); !s) {
    return {.outcome = Outcome::kRetry,
            .why = cat("standard output: ", s.error().text()),
            .alive = false};
  }
  return {};
}

Result<std::string> text(const Claimed& c) { return event_lines({&c, 1}, TRY(read(c.subscription))); }

}  // namespace

const SinkKind kStdout = {.name = "stdout", .check = check, .route = route, .send = send, .text = text};

}  // namespace pintle::lookout
