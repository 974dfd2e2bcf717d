// pintled: the servers. main() picks the command, waits for a signal and stops what it started.
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "dev_command.h"
#include "drydock/drydock.h"
#include "flags.h"
#include "lookout_command.h"
#include "output.h"
#include "signals.h"
#include "sys/disk.h"

namespace {

using pintle::cat;
using pintle::pintled::block_signals;
using pintle::pintled::fail;
using pintle::pintled::kUsage;
using pintle::pintled::next_signal;
using pintle::pintled::raise_descriptor_limit;
using pintle::pintled::say;

constexpr int kGraceMs = 1000;
constexpr std::string_view kHelp = R"(The pintle servers.

Usage:
  pintled COMMAND [flags]

Commands:
  dev       drydock and lookout together, to try things on
  drydock   an embedded Kubernetes API server for trial and tests
  lookout   watch clusters and tell what is released in them
  help      show this help, or a command's
  version   print the version

Use "pintled COMMAND --help" for the flags of a command.
)";

int drydock(const std::vector<std::string>& args) {
  auto command = pintle::pintled::parse_drydock(args);
  if (!command) {
    return fail(kUsage, cat(command.error().text(), "\nRun 'pintled drydock --help' for usage."));
  }
  if (command->help) {
    say(pintle::pintled::kDrydockHelp);
    return 0;
  }
  raise_descriptor_limit();
  const sigset_t signals = block_signals({SIGINT, SIGTERM});
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
  say(cat("drydock is ready at ", (*server)->url(), "\nkubeconfig:  ",
          absolute ? *absolute : file, "\nadmin token: ", (*server)->admin_token(),
          "\n\nTry:\n  export KUBECONFIG=", absolute ? *absolute : file,
          "\n  kubectl get namespaces\n"));
  next_signal(signals);
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
  if (command == "lookout") return pintle::pintled::lookout_command(args);
  if (command == "help" && !args.empty() && args[0] == "drydock") return drydock({"--help"});
  if (command == "dev") return pintle::pintled::dev_command(args);
  if (command == "help" && !args.empty() && args[0] == "lookout") {
    return pintle::pintled::lookout_command({"--help"});
  }
  if (command == "help" && !args.empty() && args[0] == "dev") return pintle::pintled::dev_command({"--help"});
  if (command == "help" || command == "--help" || command == "-h") {
    say(kHelp);
    return 0;
  }
  if (command == "version" || command == "--version") {
    say("pintled " PINTLE_VERSION "\n");
    return 0;
  }
  return fail(kUsage, cat("unknown command \"", command,
                          "\" for \"pintled\"\nRun 'pintled help' for usage."));
}
