// pintled: the servers. main() picks the command, waits for a signal and stops what it started.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "drydock/drydock.h"
#include "flags.h"
#include "sys/disk.h"

namespace {

using pintle::cat;

constexpr int kUsage = 2;
constexpr int kGraceMs = 1000;
constexpr std::string_view kHelp = R"(The pintle servers.

Usage:
  pintled COMMAND [flags]

Commands:
  drydock   an embedded Kubernetes API server for trial and tests
  help      show this help, or a command's
  version   print the version

Use "pintled COMMAND --help" for the flags of a command.
)";

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<size_t>(n));
  }
}

int fail(int code, std::string_view text) {
  write_all(STDERR_FILENO, cat("Error: ", text, "\n"));
  return code;
}

// Thousands of watches need as many descriptors.
void raise_descriptor_limit() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Before any thread starts, so that all inherit it and only wait_for_end sees the signals.
sigset_t block_end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

int drydock(const std::vector<std::string>& args) {
  auto command = pintle::pintled::parse_drydock(args);
  if (!command) {
    return fail(kUsage, cat(command.error().text(), "\nRun 'pintled drydock --help' for usage."));
  }
  if (command->help) {
    write_all(STDOUT_FILENO, pintle::pintled::kDrydockHelp);
    return 0;
  }
  raise_descriptor_limit();
  const sigset_t signals = block_end_signals();
  auto server = pintle::drydock::Drydock::start(command->options);
  if (!server) return fail(1, server.error().text());

  auto& disk = pintle::sys::real_disk();
  std::string file = command->kubeconfig, directory;
  if (file.empty()) {
    auto made = disk.make_temp_dir("drydock-");
    if (!made) return fail(1, made.error().text());
    directory = *made;
    file = directory + "/kubeconfig";
  }
  if (auto written = disk.write_file(file, (*server)->kubeconfig(), 0600); !written) {
    return fail(1, written.error().text());
  }
  const auto absolute = pintle::sys::absolute(disk, file);
  write_all(STDOUT_FILENO,
            cat("drydock is ready at ", (*server)->url(), "\nkubeconfig:  ",
                absolute ? *absolute : file, "\nadmin token: ", (*server)->admin_token(),
                "\n\nTry:\n  export KUBECONFIG=", absolute ? *absolute : file,
                "\n  kubectl get namespaces\n"));
  int signal = 0;
  sigwait(&signals, &signal);
  (*server)->stop(kGraceMs);
  server->reset();
  if (!directory.empty()) (void)disk.remove_all(directory);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  const std::string command = args.empty() ? "help" : args[0];
  if (!args.empty()) args.erase(args.begin());
  if (command == "drydock") return drydock(args);
  if (command == "help" && !args.empty() && args[0] == "drydock") return drydock({"--help"});
  if (command == "help" || command == "--help" || command == "-h") {
    write_all(STDOUT_FILENO, kHelp);
    return 0;
  }
  if (command == "version" || command == "--version") {
    write_all(STDOUT_FILENO, "pintled " PINTLE_VERSION "\n");
    return 0;
  }
  return fail(kUsage, cat("unknown command \"", command,
                          "\" for \"pintled\"\nRun 'pintled help' for usage."));
}
