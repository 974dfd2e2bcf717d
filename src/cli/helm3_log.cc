#include "cli/helm3_log.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "funcs/go_time.h"

namespace pintle::cli {
namespace {

// One record: where Helm 3's source writes it, and its words around an attribute's value.
struct Line {
  std::string_view message;
  std::string_view place;
  std::string_view before, attribute, after;
  bool quoted = false;
};

constexpr Line kLines[] = {
    {"missing required value", "engine.go:206", "[INFO] Missing required value: ", "message", ""},
    {"missing required values", "engine.go:214", "[INFO] Missing required value: ", "message", ""},
    {"funcMap fail", "engine.go:227", "[INFO] Fail: ", "message", ""},
    {"unresolved URN reference ignored; using permissive schema", "jsonschema.go:192",
     "WARNING: unresolved URN reference ignored; using permissive schema: ", "urn", ""},
};

constexpr Line kDebugLines[] = {
    {"Original chart version", "install.go:225", "Original chart version: ", "version", "", true},
    {"original chart version", "show.go:214", "Original chart version: ", "version", "", true},
    {"setting version to >0.0.0-0", "install.go:227", "setting version to >0.0.0-0", "", ""},
    {"Chart path", "install.go:242", "CHART PATH: ", "path", "\n"},
    {"This chart or one of its subcharts contains CRDs. Rendering may fail or contain inaccuracies.",
     "install.go:266",
     "WARNING: This chart or one of its subcharts contains CRDs. Rendering may fail or contain "
     "inaccuracies.",
     "", ""},
    {"command failed", "helm.go:92", "", "error", ""},
};

// What Helm 3 says to those who debug only.
constexpr std::string_view kUnsaid[] = {
    "resource exists on cluster but not in original release, using cluster state as baseline",
    "get the relation pod is failed",
};

std::string_view value_of(const LogAttrs& attrs, std::string_view key) {
  for (const LogAttr& a : attrs) {
    if (a.key == key) return a.value;
  }
  return "";
}

std::string words(const Line& line, const LogAttrs& attrs) {
  const std::string_view value = value_of(attrs, line.attribute);
  return cat(line.before, line.quoted ? quote(value) : std::string(value), line.after);
}

std::string now(sys::Clock& clock) {
  const int64_t ns = clock.now_ns();
  funcs::Time time;
  time.epoch = ns / 1'000'000'000;
  time.nanos = static_cast<int32_t>(ns % 1'000'000'000);
  time.zone = funcs::Zone::local();
  return time.text();
}

}  // namespace

std::string helm3_error_text(const std::string& text) {
  return text.starts_with("kubernetes cluster unreachable") ? cat('K', text.substr(1)) : text;
}

std::optional<std::string> helm3_log_line(std::string_view level, std::string_view message,
                                          const LogAttrs& attrs, sys::Clock& clock) {
  if (level == "DEBUG") {
    for (const Line& line : kDebugLines) {
      if (line.message != message) continue;
      return cat(line.place, ": ", now(clock), " [debug] ", words(line, attrs));
    }
    return std::nullopt;
  }
  if (std::ranges::find(kUnsaid, message) != std::end(kUnsaid)) return std::nullopt;
  for (const Line& line : kLines) {
    if (line.message == message) return cat(line.place, ": ", words(line, attrs));
  }
  return std::string(message);
}

}  // namespace pintle::cli
