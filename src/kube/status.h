// How far an object has come, by kstatus' rules (fluxcd cli-utils, kstatus/status): what Helm's
// watcher strategy waits by. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "value/value.h"

namespace pintle::kube {

enum class State : uint8_t { kCurrent, kInProgress, kFailed, kTerminating, kNotFound, kUnknown };
std::string_view state_name(State state);  // "InProgress"

struct Progress {
  State state = State::kUnknown;
  std::string message;
};

// `now_ns`: unix; pods have 15 s to be scheduled.
Progress object_status(const value::Value& object, std::string_view group, int64_t now_ns);
// A Job that must be complete (--wait-for-jobs, hooks), and a hook's Pod that must have ended.
Progress job_done(const value::Value& job);
Progress pod_done(const value::Value& pod);
// The same by Helm 3's rule, with its words for a failure: "job NAME failed: REASON".
Progress legacy_job_done(const value::Value& job);

}  // namespace pintle::kube
