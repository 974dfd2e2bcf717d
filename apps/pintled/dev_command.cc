#include "dev_command.h"

#include "base/log.h"
#include "base/strings.h"
#include "drydock/drydock.h"
#include "lookout/config/config.h"
#include "lookout/lookout.h"
#include "output.h"
#include "signals.h"
#include "sys/disk.h"
#include "sys/environ.h"

namespace pintle::pintled {

const std::string_view kDevHelp =
    R"(Run a cluster to try things on, and lookout watching it, in one process.

Both listen on loopback. Without --dir everything lies in a temporary directory and is gone when it
stops. Ctrl-C stops it.

Usage:
  pintled dev [flags]

Flags:
      --dir DIRECTORY     keep the cluster's objects, lookout's database and the kubeconfig here
      --listen HOST:PORT  of lookout's API and page (default 127.0.0.1:0: any free port)
  -h, --help              show this help
)";

namespace {

constexpr int64_t kGraceMs = 1000;

struct Flags {
  std::string directory, listen = "127.0.0.1:0";
  bool help = false;
};

Result<Flags> parse(const std::vector<std::string>& args) {
  Flags out;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    const size_t equals = arg.find('=');
    const std::string name = arg.substr(0, equals);
    if (arg == "--help" || arg == "-h") {
      out.help = true;
      continue;
    }
    std::string* value = name == "--dir" ? &out.directory : name == "--listen" ? &out.listen : nullptr;
    if (value == nullptr) {
      return Error(Code::kInvalidArgument, cat(arg.starts_with("-") ? "unknown flag: " : "unexpected argument: ", arg));
    }
    if (equals != std::string::npos) {
      *value = arg.substr(equals + 1);
    } else if (++i < args.size()) {
      *value = args[i];
    } else {
      return Error(Code::kInvalidArgument, cat("flag needs an argument: ", name));
    }
  }
  return out;
}

lookout::Config lookout_config(const std::string& directory, const std::string& listen) {
  lookout::Config config;
  config.listen = listen;
  config.database = cat("sqlite:", directory, "/lookout.db");
  config.secret_key_file = directory + "/lookout.key";
  config.regions = {{.name = "dev", .environment = "dev", .kubeconfig = directory + "/kubeconfig",
                     .context = "", .namespaces = {}}};
  config.rules = lookout::Rules::defaults();
  return config;
}

int serve(const Flags& flags, const std::string& directory, const sigset_t& signals) {
  auto& disk = sys::real_disk();
  drydock::Options options;
  if (!flags.directory.empty()) options.data_file = directory + "/drydock.db";
  auto cluster = drydock::Drydock::start(options);
  if (!cluster) return fail(1, cluster.error().text());
  const std::string kubeconfig = directory + "/kubeconfig";
  if (auto written = disk.write_file(kubeconfig, (*cluster)->kubeconfig(), 0600); !written) {
    return fail(1, written.error().text());
  }
  const Log log = [](std::string_view level, std::string_view message, const LogAttrs& attrs) {
    if (level == "ERROR" || level == "WARN") warn(slog_line(level, message, attrs) + "\n");
  };
  auto service = lookout::Lookout::start({lookout_config(directory, flags.listen), log}, disk,
                                         sys::real_environ());
  if (!service) return fail(1, service.error().text());
  say(cat("drydock is ready at ", (*cluster)->url(), "\nlookout is ready at ", (*service)->url(),
          "\nkubeconfig: ", kubeconfig, "\n\nTry:\n  export KUBECONFIG=", kubeconfig,
          "\n  pintle create hello && pintle install hello ./hello --wait\nand look at ",
          (*service)->url(), "/\n"));
  next_signal(signals);
  (*service)->stop(kGraceMs);
  (*cluster)->stop(kGraceMs);
  return 0;
}

}  // namespace

int dev_command(const std::vector<std::string>& args) {
  const auto flags = parse(args);
  if (!flags) return fail(kUsage, cat(flags.error().text(), "\nRun 'pintled dev --help' for usage."));
  if (flags->help) {
    say(kDevHelp);
    return 0;
  }
  raise_descriptor_limit();
  const sigset_t signals = block_signals({SIGINT, SIGTERM});
  auto& disk = sys::real_disk();
  if (!flags->directory.empty()) {
    if (auto made = disk.make_dirs(flags->directory); !made) return fail(1, made.error().text());
    const auto directory = sys::absolute(disk, flags->directory);
    return directory ? serve(*flags, *directory, signals) : fail(1, directory.error().text());
  }
  const auto directory = disk.make_temp_dir("pintle-dev-");
  if (!directory) return fail(1, directory.error().text());
  const int code = serve(*flags, *directory, signals);
  (void)disk.remove_all(*directory);
  return code;
}

}  // namespace pintle::pintled
