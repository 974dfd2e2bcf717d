#include "sys/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "base/gotext.h"
#include "base/path.h"
#include "sys/clock.h"

extern char** environ;

namespace pintle::sys {
namespace {

constexpr int kAskMs = 100;
constexpr int kGraceMs = 100;  // for output still in the pipes after a kill

struct Pipe {
  int fds[2] = {-1, -1};
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(0);
    close(1);
  }
  bool open() { return ::pipe2(fds, O_CLOEXEC) == 0; }
  void close(int end) {
    if (fds[end] >= 0) ::close(fds[end]);
    fds[end] = -1;
  }
};

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& s : strings) out.push_back(s.data());
  out.push_back(nullptr);
  return out;
}

bool is_executable(const std::string& file) {
  struct stat st{};
  return ::stat(file.c_str(), &st) == 0 && S_ISREG(st.st_mode) && ::access(file.c_str(), X_OK) == 0;
}

Error exec_error(const std::string& file, int code) {
  std::string why = strerrordesc_np(code) ? strerrordesc_np(code) : "unknown error";
  why[0] = static_cast<char>(tolower(why[0]));
  return Error("fork/exec " + file + ": " + why);
}

// Feeds input and collects both outputs until they close, or until time or patience is over.
void pump(const Command& command, pid_t pid, Pipe& in, Pipe& out, Pipe& err, Finished& finished) {
  const std::string_view input = command.input ? std::string_view(*command.input) : "";
  size_t fed = 0;
  if (input.empty()) in.close(1);
  if (in.fds[1] >= 0) ::fcntl(in.fds[1], F_SETFL, O_NONBLOCK);
  int64_t deadline = command.timeout_ms > 0
                         ? real_clock().monotonic_ns() + command.timeout_ms * 1'000'000
                         : INT64_MAX;
  const auto stop = [&] {
    ::kill(command.with_terminal ? pid : -pid, SIGKILL);
    deadline = real_clock().monotonic_ns() + kGraceMs * 1'000'000;
  };
  bool stopped = false;
  std::array<char, 1 << 16> chunk;
  while (out.fds[0] >= 0 || err.fds[0] >= 0 || in.fds[1] >= 0) {
    std::array<pollfd, 3> polls{pollfd{out.fds[0], POLLIN, 0}, pollfd{err.fds[0], POLLIN, 0},
                                pollfd{in.fds[1], POLLOUT, 0}};
    int wait = -1;
    if (deadline != INT64_MAX) {
      const int64_t left = deadline - real_clock().monotonic_ns();
      wait = static_cast<int>(std::clamp<int64_t>(left / 1'000'000, 0, INT32_MAX));
    }
    const bool asks = command.stop && !stopped;
    if (asks && (wait < 0 || wait > kAskMs)) wait = kAskMs;
    const int ready = ::poll(polls.data(), polls.size(), wait);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && asks && !command.stop() && real_clock().monotonic_ns() < deadline) continue;
    if (ready <= 0) {
      if (stopped) return;
      finished.timed_out = true;
      stopped = true;
      stop();
      continue;
    }
    if (polls[2].revents) {
      const ssize_t n = ::write(in.fds[1], input.data() + fed, input.size() - fed);
      if (n > 0) fed += static_cast<size_t>(n);
      if (n < 0 ? errno != EAGAIN : fed == input.size()) in.close(1);
    }
    const auto collect = [&](Pipe& pipe, std::string& text) {
      const ssize_t n = ::read(pipe.fds[0], chunk.data(), chunk.size());
      if (n <= 0) return pipe.close(0);
      if (text.size() + static_cast<size_t>(n) <= command.max_output) {
        text.append(chunk.data(), static_cast<size_t>(n));
        return;
      }
      finished.too_much = true;
      if (!stopped) stop();
      stopped = true;
    };
    if (polls[0].revents) collect(out, finished.out);
    if (polls[1].revents) {
      collect(err, finished.err);
      if (command.on_err) {
        command.on_err(finished.err);
        finished.err.clear();
      }
    }
  }
}

}  // namespace

int process_id() { return static_cast<int>(::getpid()); }

Result<std::string> look_path(const std::string& name, std::string_view path_variable) {
  const auto not_found = [&](std::string_view why) {
    return Error(Code::kNotFound, "exec: " + quote(name) + ": " + std::string(why));
  };
  if (name.find('/') != name.npos) {
    if (is_executable(name)) return name;
    return not_found(::access(name.c_str(), F_OK) == 0 ? "permission denied"
                                                       : "no such file or directory");
  }
  for (size_t start = 0; start <= path_variable.size();) {
    const size_t end = std::min(path_variable.find(':', start), path_variable.size());
    const std::string_view directory = path_variable.substr(start, end - start);
    start = end + 1;
    const std::string file = path::join({directory.empty() ? "." : directory, name});
    if (is_executable(file)) return file;
  }
  return not_found("executable file not found in $PATH");
}

size_t resident_memory() {
  const int fd = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[128];
  const ssize_t n = ::read(fd, text, sizeof text);
  ::close(fd);
  if (n <= 0) return 0;
  const std::string_view pages(text, static_cast<size_t>(n));  // "size resident shared ..."
  const size_t at = pages.find(' ');
  size_t resident = 0;
  for (size_t i = at + 1; i < pages.size() && pages[i] >= '0' && pages[i] <= '9'; ++i) {
    resident = resident * 10 + static_cast<size_t>(pages[i] - '0');
  }
  return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

Result<Finished> run(const Command& command) {
  CHECK(!command.argv.empty());
  std::string file = command.argv[0];
  if (file.find('/') == file.npos) {
    const char* path_variable = ::getenv("PATH");
    file = TRY(look_path(file, path_variable ? path_variable : ""));
  }

  Pipe in, out, err;
  const bool piped =
      (!command.input || in.open()) && (!command.capture || (out.open() && err.open()));
  if (!piped) return exec_error(file, errno);

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  if (command.input) posix_spawn_file_actions_adddup2(&actions, in.fds[0], 0);
  if (command.capture) {
    posix_spawn_file_actions_adddup2(&actions, out.fds[1], 1);
    posix_spawn_file_actions_adddup2(&actions, err.fds[1], 2);
  }
  if (command.capture && !command.with_terminal) {
    // A group of its own is what a kill can reach whole. Others stay in ours, which the terminal
    // listens to.
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  }
  if (!command.working_dir.empty()) {
    posix_spawn_file_actions_addchdir_np(&actions, command.working_dir.c_str());
  }

  std::vector<std::string> argv = command.argv, variables;
  if (command.environ) {
    for (const auto& [name, value] : *command.environ) variables.push_back(name + "=" + value);
  }
  std::vector<char*> argv_pointers = pointers(argv), variable_pointers = pointers(variables);
  pid_t pid = 0;
  const int failed = ::posix_spawn(&pid, file.c_str(), &actions, &attributes, argv_pointers.data(),
                                   command.environ ? variable_pointers.data() : ::environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed) return exec_error(file, failed);

  in.close(0);
  out.close(1);
  err.close(1);
  Finished finished;
  struct sigaction ignore{}, before{};
  ignore.sa_handler = SIG_IGN;  // a program that does not read its input is no reason to die
  ::sigaction(SIGPIPE, &ignore, &before);
  pump(command, pid, in, out, err, finished);
  ::sigaction(SIGPIPE, &before, nullptr);

  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  finished.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return finished;
}

}  // namespace pintle::sys
