#include "flags.h"

#include <functional>
#include <optional>

#include "base/strings.h"

namespace pintle::pintled {

const std::string_view kDrydockHelp =
    R"(Run an embedded Kubernetes API server with simulated controllers.

It listens on loopback, keeps its objects in memory (or in one file) and writes a kubeconfig that
kubectl, helm and pintle work with. Ctrl-C stops it.

Usage:
  pintled drydock [flags]

Flags:
      --admin-token TOKEN     bearer token of the admin endpoint /drydock/ (default: random, printed)
      --allow-remote          allow --listen on an address that is not loopback
      --data FILE             keep the objects in this SQLite file
      --event-ttl DURATION    how long Events are kept (default 1h)
      --kubeconfig FILE       write the kubeconfig here (default: a temporary file)
      --listen HOST:PORT      address; port 0 is any free one (default 127.0.0.1:0)
      --no-controllers        run no controllers: objects stay as they were written
      --pod-start DURATION    time from scheduling a pod to its being ready (default 300ms)
      --token TOKEN=USER:ROLE a client's token; role is admin, edit or view; may be repeated
                              (default: one random admin)
  -h, --help                  show this help
)";

namespace {

Error usage(std::string text) { return Error(std::move(text), Code::kInvalidArgument); }

// Go's durations without fractions: "1h30m", "300ms".
std::optional<int64_t> milliseconds(std::string_view text) {
  static constexpr std::pair<std::string_view, int64_t> kUnits[] = {
      {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}};
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  int64_t total = 0;
  while (!text.empty()) {
    int64_t number = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0 || number > 1'000'000'000) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(at - text.data()));
    const std::string_view unit = text.substr(0, text.find_first_of("0123456789"));
    int64_t scale = 0;
    for (const auto& [name, ms] : kUnits) {
      if (name == unit) scale = ms;
    }
    if (scale == 0) return std::nullopt;
    total += number * scale;
    text.remove_prefix(unit.size());
  }
  return total;
}

Status set_listen(drydock::Options& options, const std::string& value) {
  const size_t colon = value.rfind(':');
  if (colon == std::string::npos) return usage(cat("--listen ", value, ": want HOST:PORT"));
  std::string_view host = std::string_view(value).substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const char* end = value.data() + value.size();
  uint16_t port = 0;
  const auto [at, error] = std::from_chars(value.data() + colon + 1, end, port);
  if (error != std::errc() || at != end) return usage(cat("--listen ", value, ": bad port"));
  options.address = host.empty() ? "0.0.0.0" : std::string(host);
  options.port = port;
  return ok();
}

Status add_token(drydock::Options& options, const std::string& value) {
  const size_t equals = value.find('='), colon = value.rfind(':');
  if (equals == std::string::npos || equals == 0 || colon == std::string::npos ||
      colon <= equals + 1) {
    return usage("--token: want TOKEN=USER:ROLE");
  }
  drydock::Token token{value.substr(0, equals), value.substr(equals + 1, colon - equals - 1)};
  const std::string role = value.substr(colon + 1);
  if (role == "admin") {
    token.role = drydock::Token::Role::kAdmin;
  } else if (role == "edit") {
    token.role = drydock::Token::Role::kEdit;
  } else if (role == "view") {
    token.role = drydock::Token::Role::kView;
  } else {
    return usage(cat("--token: unknown role ", role, ": want admin, edit or view"));
  }
  options.tokens.push_back(std::move(token));
  return ok();
}

Status set_duration(std::string_view flag, const std::string& value, int64_t& ms) {
  const auto parsed = milliseconds(value);
  if (!parsed) return usage(cat(flag, ' ', value, ": want a duration, as 300ms or 1h30m"));
  ms = *parsed;
  return ok();
}

bool is_loopback(std::string_view address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

}  // namespace

Result<DrydockCommand> parse_drydock(const std::vector<std::string>& args) {
  DrydockCommand command;
  drydock::Options& options = command.options;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string name = args[i].substr(0, args[i].find('='));
    if (name == "--help" || name == "-h") {
      command.help = true;
      return command;
    }
    if (!name.starts_with("-")) {
      return usage(cat("\"pintled drydock\" takes no argument: ", args[i]));
    }
    if (args[i] == "--no-controllers") {
      options.controllers = false;
      continue;
    }
    if (args[i] == "--allow-remote") {
      options.allow_remote = true;
      continue;
    }
    const bool known = name == "--listen" || name == "--data" || name == "--kubeconfig" ||
                       name == "--token" || name == "--admin-token" || name == "--pod-start" ||
                       name == "--event-ttl";
    if (!known) return usage(cat("unknown flag: ", name));
    std::string value;
    if (name.size() < args[i].size()) {
      value = args[i].substr(name.size() + 1);
    } else if (++i < args.size()) {
      value = args[i];
    } else {
      return usage(cat("flag needs an argument: ", name));
    }
    if (name == "--listen") TRY(set_listen(options, value));
    if (name == "--data") options.data_file = value;
    if (name == "--kubeconfig") command.kubeconfig = value;
    if (name == "--token") TRY(add_token(options, value));
    if (name == "--admin-token") options.admin_token = value;
    if (name == "--pod-start") TRY(set_duration(name, value, options.pod_start_ms));
    if (name == "--event-ttl") {
      int64_t ms = 0;
      TRY(set_duration(name, value, ms));
      if (ms / 1000 > 1'000'000'000) return usage("--event-ttl: too long");
      options.event_ttl_seconds = static_cast<int>(ms / 1000);
    }
  }
  if (!options.allow_remote && !is_loopback(options.address)) {
    return usage(cat("--listen ", options.address,
                     " is reachable from other machines; say --allow-remote if that is meant"));
  }
  return command;
}

}  // namespace pintle::pintled
