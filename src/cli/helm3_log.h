// What Helm 3.22 writes to stderr where Helm 4 has a structured log record: lines of Go's log
// package ("engine.go:227: [INFO] Fail: ..."), warnings as bare text, and few debug messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/log.h"
#include "sys/clock.h"

namespace pintle::cli {

// The line without its end; nothing for what Helm 3 keeps to itself. Records that are not known
// here are Helm 3's own text already. Debug lines carry the time.
std::optional<std::string> helm3_log_line(std::string_view level, std::string_view message,
                                          const LogAttrs& attrs, sys::Clock& clock);

// An error's text where Helm 3 starts it otherwise.
std::string helm3_error_text(const std::string& text);

}  // namespace pintle::cli
