// Log: where a room hands the diagnostics that Helm prints through slog. Data, not text: the cli
// decides what is shown (level, --debug) and writes `level=WARN msg="..." key=value` on stderr.
//
// An empty Log swallows everything. Calls are made from the thread that works.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace pintle {

struct LogAttr {
  std::string key, value;
};
using LogAttrs = std::vector<LogAttr>;

class Log {
 public:
  using Sink =
      std::function<void(std::string_view level, std::string_view message, const LogAttrs& attrs)>;
  Log() = default;
  Log(Sink sink) : sink_(std::move(sink)) {}  // NOLINT: a sink is a log
  template <typename F>
    requires std::is_invocable_v<F, std::string_view, std::string_view, const LogAttrs&>
  Log(F sink) : sink_(std::move(sink)) {}  // NOLINT: so is a lambda

  explicit operator bool() const { return static_cast<bool>(sink_); }
  // level: "DEBUG" "INFO" "WARN" "ERROR".
  void operator()(std::string_view level, std::string_view message,
                  const LogAttrs& attrs = {}) const {
    if (sink_) sink_(level, message, attrs);
  }

 private:
  Sink sink_;
};

// slog's text handler without time, no newline: level=INFO msg="two words" key=value. Values are
// quoted (strconv.Quote) when empty or holding a space, quote, '=' or anything not printable.
std::string slog_line(std::string_view level, std::string_view message, const LogAttrs& attrs = {});

}  // namespace pintle
