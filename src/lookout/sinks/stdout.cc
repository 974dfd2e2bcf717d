// Lines on standard output, for pipes and container logs.
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/strings.h"
#include "lookout/sinks/body.h"
#include "lookout/sinks/kinds.h"

namespace pintle::lookout {
namespace {

Result<SinkOptions> read(const Subscription& s) {
  SinkOptions o = TRY(read_options(s, {"format", "template"}));
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
  for (std::string_view rest = *lines; !rest.empty();) {
    const ssize_t n = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      return {.outcome = Outcome::kRetry,
              .why = cat("standard output: ", strerrordesc_np(errno)),
              .alive = false};
    }
    rest.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

}  // namespace

const SinkKind kStdout = {.name = "stdout", .check = check, .route = route, .send = send};

}  // namespace pintle::lookout
