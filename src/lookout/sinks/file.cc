// Lines in a file: one JSON object (or what the template makes) for each event. The path is
// relative to where lookout runs and stays below it, so that who may subscribe may not write
// anywhere. What is delivered is on the disk, also after a power cut: where that fails, so does the
// delivery. A pipe's or a device's file keeps nothing, and whoever reads it has it.
#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "lookout/sinks/body.h"
#include "lookout/sinks/kinds.h"
#include "sys/sync.h"

namespace pintle::lookout {
namespace {

Result<SinkOptions> read(const Subscription& s) {
  SinkOptions o = TRY(read_options(s, {"path", "format", "template"}));
  TRY(check_format(o.format, {"plain", "cloudevents"}));
  const auto bad = [&](std::string_view why) {
    return Error(Code::kInvalidArgument, cat("path: ", quote(o.path), " ", why));
  };
  if (o.path.empty() || o.path.ends_with('/')) return bad("is no file");
  if (o.path.starts_with('/')) return bad("is not relative");
  for (const std::string_view part : split(o.path, "/")) {
    if (part == "..") return bad("leads upward");
  }
  return o;
}

Status check(const Subscription& s) {
  const SinkOptions o = TRY(read(s));
  return o.body.empty() ? ok() : check_template(o.body);
}

Result<Route> route(const Subscription& s) {
  const SinkOptions o = TRY(read(s));
  return Route{.key = cat("file ", o.path), .merge = kLinesAtOnce};
}

Status append(sys::Disk& disk, const std::string& path, std::string_view lines) {
  const bool there = disk.stat(path).has_value();
  TRY(disk.append_file(path, lines, 0600));
  if (TRY(disk.stat(path)).type != sys::FileType::kRegular) return ok();
  TRY(sys::sync_path(path));
  return there ? ok() : sys::sync_path(path::dir(path));
}

Verdict send(std::span<const Claimed> events, const Sending& sending) {
  const auto o = read(events[0].subscription);
  const auto lines = o ? event_lines(events, *o) : Result<std::string>(o.error());
  if (!lines) return {.outcome = Outcome::kDead, .why = lines.error().text()};
  if (Status s = append(sending.disk, o->path, *lines); !s) {
    return {.outcome = Outcome::kRetry, .why = s.error().text(), .alive = false};
  }
  return {};
}

Result<std::string> text(const Claimed& c) { return event_lines({&c, 1}, TRY(read(c.subscription))); }

}  // namespace

const SinkKind kFile = {.name = "file", .check = check, .route = route, .send = send, .text = text};

}  // namespace pintle::lookout
