// CloudEvents of other systems (a build, a scanner), read into events of ours: once each, by source
// and id. The type is the event's reason, so that a sender can never tell a release's end or an
// image's pull. Inside the API only. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lookout/model.h"

namespace pintle::lookout {

inline constexpr std::string_view kCloudEvent = "cloudevent.received";

// `headers`: Content-Type and those of a CloudEvent (ce-...), names in small letters. By them the body
// is one event (structured), a list of them (batch, at most 1000), or one's data (binary). What it is
// about is the object of Kubernetes that the data is or holds first, as Tekton's do: its release is
// that of its labels or annotations; else a "CloudEvent" of the event's subject or id.
// Severity: the attribute `severity` (info, warning, error), else error where a word of the type is
// "failed". Errors name the event's place in a list and the attribute.
Result<std::vector<Event>> read_cloud_events(const std::map<std::string, std::string>& headers,
                                             std::string_view body, int64_t now_ms);

}  // namespace pintle::lookout
