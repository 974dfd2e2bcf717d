#include "lookout/sinks/line_out.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>

#include "base/strings.h"

namespace pintle::lookout {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kAgainMs = 10;

// A pipe that has room has it for so much, so that not even one that blocks does.
constexpr size_t kAtOnce = PIPE_BUF;

int left_ms(Clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, INT_MAX));
}

// Takes from `text` what was written.
Status write_until(int fd, std::string_view& text, Clock::time_point until) {
  while (!text.empty()) {
    pollfd waits{fd, POLLOUT, 0};
    const int ready = ::poll(&waits, 1, left_ms(until));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return Error("nobody reads it", Code::kDeadlineExceeded);
    const ssize_t n = ready < 0 ? -1 : ::write(fd, text.data(), std::min(text.size(), kAtOnce));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {  // others write there, too
      (void)::poll(nullptr, 0, std::min(kAgainMs, left_ms(until)));
      continue;
    }
    if (n < 0) return Error(strerrordesc_np(errno), Code::kUnavailable);
    text.remove_prefix(static_cast<size_t>(n));
  }
  return ok();
}

}  // namespace

Status LineOut::write(std::string_view lines, int64_t timeout_ms) {
  const Clock::time_point until = Clock::now() + std::chrono::milliseconds(timeout_ms);
  std::string text;
  {
    Lock held(mutex_);
    const Deadline waits{until - Clock::now()};
    while (busy_) {
      if (!free_.wait_until(mutex_, waits) && busy_) {
        return Error("nobody reads it", Code::kDeadlineExceeded);
      }
    }
    busy_ = true;
    text = cat(rest_, lines);
  }
  std::string_view left = text;
  Status done = write_until(fd_, left, until);
  Lock held(mutex_);
  const size_t at = text.size() - left.size();
  if (at > 0) {
    const bool whole = text[at - 1] == '\n';
    rest_ = whole ? "" : std::string(left.substr(0, std::min(left.find('\n'), left.size() - 1) + 1));
  }
  busy_ = false;
  free_.notify_one();
  return done;
}

}  // namespace pintle::lookout
