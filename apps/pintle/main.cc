// pintle: makes the world (streams, disk, clock, environment) and hands it to cli::run.
#include <malloc.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstdint>
#include <csignal>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "cli/env.h"
#include "cli/run.h"
#include "cli/screen.h"
#include "http/http.h"
#include "sys/clock.h"
#include "sys/disk.h"
#include "sys/environ.h"
#include "sys/tty.h"

namespace {

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // a closed pipe ends us by SIGPIPE, as it ends Helm; a full disk like this
    text.remove_prefix(static_cast<size_t>(n));
  }
}

// Everything in one write at the end: a page of output costs one system call, and a failing command
// that printed nothing leaves nothing half-written. A large text, which is all a command prints, is
// not copied first.
class Buffered : public pintle::cli::Sink {
 public:
  explicit Buffered(int fd) : fd_(fd) {}
  ~Buffered() override { flush(); }
  void write(std::string_view text) override {
    if (text.size() < kLarge) {
      text_ += text;
      return;
    }
    flush();
    write_all(fd_, text);
  }
  void flush() override {
    write_all(fd_, text_);
    text_.clear();
  }

 private:
  static constexpr size_t kLarge = 64 << 10;
  int fd_;
  std::string text_;
};

// The picture at the bottom of stderr's terminal.
pintle::cli::Screen& screen() {
  static pintle::cli::Screen the_screen(
      [](std::string_view text) { write_all(STDERR_FILENO, text); },
      [] {
        winsize size{};
        if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
          return pintle::cli::ScreenSize{};
        }
        return pintle::cli::ScreenSize{size.ws_col, size.ws_row ? size.ws_row : 24u};
      });
  return the_screen;
}

// Written at once, after what was printed before it, and not into a picture.
class Unbuffered : public pintle::cli::Sink {
 public:
  Unbuffered(int fd, Buffered& before) : fd_(fd), before_(before) {}
  void write(std::string_view text) override {
    screen().hide();
    before_.flush();
    write_all(fd_, text);
  }

 private:
  int fd_;
  Buffered& before_;
};

std::function<void(std::string_view)> drawing(const pintle::sys::Environ& environ) {
  if (!pintle::sys::is_terminal(STDERR_FILENO) || environ.get("TERM") == "dumb") return {};
  return [](std::string_view picture) { screen().show(picture); };
}

bool is_pipe(int fd) {
  struct stat info;
  return ::fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode);
}

pintle::Result<std::string> read_stdin() {
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return pintle::Error("read /dev/stdin: input/output error");
    if (n == 0) return text;
    text.append(buffer, static_cast<size_t>(n));
  }
}

pintle::http::Interrupts interrupts;
constexpr unsigned kStoringSeconds = 5;  // CI systems kill some 7 s after they have asked

void interrupt(int) {
  if (!interrupts.asked.cancelled()) {
    interrupts.asked.cancel();
    ::alarm(kStoringSeconds);
    return;
  }
  // Wrappers pass on what the terminal has sent us too: less than half a second later it is no second wish.
  if (::alarm(kStoringSeconds) == kStoringSeconds) return;
  interrupts.overdue.cancel();
  interrupts.again.cancel();
}

// A release under way ends as failed, not as pending, unless the server does not answer in time or
// the user asks twice.
const pintle::http::Interrupts* catch_interrupts() {
  struct sigaction action{};
  action.sa_flags = SA_RESTART;
  action.sa_handler = interrupt;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = [](int) { interrupts.overdue.cancel(); };
  ::sigaction(SIGALRM, &action, nullptr);
  return &interrupts;
}

// A short life and fresh memory: what a large chart waits for is the kernel handing out its pages one
// by one. So the heap is one range taken at once, in huge pages where the kernel gives them (a third
// of a large chart's time), and freed buffers are kept for what comes next. Untouched pages cost
// nothing, and a small chart stays before the huge ones, for which a kernel with fragmented memory
// has to search.
void prepare_heap() {
  constexpr size_t kRange = 256 << 20, kHugePage = 2 << 20, kSmall = 1 << 20;
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
  ::mallopt(M_TOP_PAD, kRange);
  void* volatile more_than_it_has = ::malloc(127 << 10);  // grows the heap by the range
  ::free(more_than_it_has);
  ::mallopt(M_TOP_PAD, 1 << 20);
  const auto end = reinterpret_cast<uintptr_t>(::sbrk(0)) & ~(kHugePage - 1);
  ::madvise(reinterpret_cast<void*>(end - kRange + kSmall), kRange - kSmall, MADV_HUGEPAGE);
}

}  // namespace

int main(int argc, char** argv) {
  prepare_heap();
  const auto& environ = pintle::sys::real_environ();
  const std::string program = argc > 0 ? argv[0] : "pintle";
  const bool helm3 = environ.get("PINTLE_COMPAT") == "3" || pintle::path::base(program) == "helm3";
  auto build = helm3 ? pintle::cli::Build::helm3_22() : pintle::cli::Build::helm4();
  build.pintle = PINTLE_VERSION;

  Buffered out(STDOUT_FILENO);
  Unbuffered err(STDERR_FILENO, out);
  pintle::cli::Env env{.program = program,
                       .out = out,
                       .err = err,
                       .log = err,
                       .disk = pintle::sys::real_disk(),
                       .clock = pintle::sys::real_clock(),
                       .environ = environ,
                       .build = std::move(build),
                       .out_is_terminal = pintle::sys::is_terminal(STDOUT_FILENO),
                       .draw = drawing(environ),
                       .in_is_pipe = is_pipe(STDIN_FILENO),
                       .in_is_terminal = pintle::sys::is_terminal(STDIN_FILENO),
                       .children_share_output = true,
                       .read_stdin = read_stdin,
                       .catch_interrupts = catch_interrupts};
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return pintle::cli::run(env, args);
}
