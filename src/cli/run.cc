#include "cli/run.h"

#include "action/hint.h"
#include "base/gotext.h"
#include "base/printable.h"
#include "base/strings.h"
#include "cli/cluster.h"
#include "cli/command.h"
#include "cli/completers.h"
#include "cli/helm3_log.h"
#include "cli/plugins.h"
#include "cli/repositories.h"
#include "cli/tree.h"
#include "kube/explain.h"

namespace pintle::cli {
namespace {

std::string plural(int n) { return n == 1 ? "argument" : "arguments"; }

Status check_args(const Node& node, size_t count, bool helm3) {
  const ArgsRule rule = node.command->args;
  if (helm3 && rule.helm4_only) return ok();
  const auto n = static_cast<size_t>(rule.n);
  const std::string number = std::to_string(rule.n) + " " + plural(rule.n);
  std::string text;
  switch (rule.kind) {
    case ArgsRule::Kind::kAny:
      return ok();
    case ArgsRule::Kind::kNone:
      if (count == 0) return ok();
      text = "accepts no arguments";
      break;
    case ArgsRule::Kind::kExactly:
      if (count == n) return ok();
      text = "requires " + number;
      break;
    case ArgsRule::Kind::kAtLeast:
      if (count >= n) return ok();
      text = "requires at least " + number;
      break;
    case ArgsRule::Kind::kAtMost:
      if (count <= n) return ok();
      text = "accepts at most " + number;
      break;
    case ArgsRule::Kind::kCobraAtLeast:
      if (count >= n) return ok();
      return Error(Code::kInvalidArgument, "requires at least " + std::to_string(rule.n) +
                                               " arg(s), only received " + std::to_string(count));
  }
  return Error(Code::kInvalidArgument,
               quote(command_path(node)) + " " + text + "\n\nUsage:  " + use_line(node));
}

int exit_code(const Error& error) {
  const ExitCode* code = error.find<ExitCode>();
  return code ? code->code : 1;
}

int fail(Session& session, const Error& error) {
  constexpr size_t kLongest = size_t{400} << 10;  // of what Helm would print in megabytes
  const std::string said = shortened(error.text(), kLongest);
  std::string text =
      cat("Error: ", printable(session.helm3() ? helm3_error_text(said) : said), "\n");
  if (const auto* causes = error.find<kube::Causes>()) text += printable(kube::text(*causes));
  // Where Helm's own tests read stderr the records are in memory.
  const auto* hint = error.find<action::Hint>();
  if (hint && session.env.get("HELM_DRIVER") != "memory" && !session.env.open_cluster) {
    text += printable(cat("Hint: ", hint->text, "\n"));
  }
  session.env.err.write(text);
  if (session.helm3()) session.log("DEBUG", "command failed", {{"error", error.text()}});
  return exit_code(error);
}

bool help_wanted(Flags& flags) { return *static_cast<const bool*>(flags.find("help")->target); }

int execute(Session& session) {
  const Node& node = *session.node;
  const Command& command = *node.command;
  const void* options = bind_command(session, node);
  if (!command.raw_args) {
    const auto parsed = session.flags.parse(session.args);
    if (!parsed) return fail(session, parsed.error());
    if (!parsed->deprecations.empty()) session.env.err.write(parsed->deprecations);
    session.args = parsed->args;
    if (help_wanted(session.flags) || !command.run) {
      session.print(help(session.tree, node, session.flags, session.helm3()));
      return 0;
    }
  }
  if (const Status driver = check_driver(session); !driver) {
    session.log("INFO", driver.error().text());
    return 1;
  }
  Status done = check_args(node, session.args.size(), session.helm3());
  if (done) done = session.flags.check_groups();
  if (done) done = command.run(session, options);
  return done ? 0 : fail(session, done.error());
}

}  // namespace

Build Build::helm3_22() {
  return {.version = "v3.22.0",
          .git_commit = "",
          .git_tree_state = "",
          .go_version = "go1.26.8",
          .kube_client_version = "v1.37",
          .kube_version = "v1.37.0",
          .helm3 = true};
}

const void* bind_command(Session& session, const Node& node) {
  const void* options = nullptr;
  if (node.command->bind) options = node.command->bind(session.flags, session);
  if (!node.command->raw_args) {
    std::string& usage = session.flags.own<std::string>();
    usage = "help for " +
            std::string(node.command->name().empty() ? kProgramName : node.command->name());
    session.flags.boolean("help", session.flags.own<bool>(), usage, 'h');
  }
  return options;
}

namespace {

template <typename Text>
std::string with_fresh_flags(Session& session, const Node& node, bool with_help, Text text) {
  Settings settings = Settings::from(session.env);
  Flags flags;
  settings.bind(flags, session.helm3());
  flags.end_of_globals();
  Session other{session.env, settings, session.tree, &node, flags, {}, {}, session.log};
  if (with_help) {
    bind_command(other, node);
  } else if (node.command->bind) {
    node.command->bind(flags, other);
  }
  return text(session.tree, node, flags);
}

}  // namespace

std::string help_of(Session& session, const Node& node) {
  return with_fresh_flags(session, node, true, [&](auto& tree, auto& n, auto& flags) {
    return help(tree, n, flags, session.helm3());
  });
}

std::string usage_of(Session& session, const Node& node) {
  return with_fresh_flags(session, node, false,
                          [](auto& tree, auto& n, auto& flags) { return usage(tree, n, flags); });
}

int run(Env& env, std::span<const std::string> args) {
  Settings settings = Settings::from(env);
  Flags flags;
  settings.bind(flags, env.build.helm3);
  flags.end_of_globals();
  complete_global_flags(flags);
  // Global flags act before a command is chosen (plugins, logging), so they are read twice: here
  // with everything unknown skipped, and with the command's own. Repeatable ones add up, as in
  // Helm.
  (void)flags.parse(args, /*unknown_ok=*/true);

  const Log log = [&env, debug = settings.debug](std::string_view level, std::string_view message,
                                                 const LogAttrs& attrs) {
    if (level == "DEBUG" && !debug) return;
    if (env.build.helm3) {
      const auto line = helm3_log_line(level, message, attrs, env.clock);
      if (line) env.log.write(*line + "\n");
    } else {
      env.log.write(slog_line(level, message, attrs) + "\n");
    }
  };
  if (settings.color != "never" && settings.color != "auto" && settings.color != "always") {
    log("WARN", "command failed",
        {{"error", "invalid color mode " + quote(settings.color) +
                       ": must be one of: never, auto, always"}});
    return 1;
  }

  CommandTree tree(env.build.helm3);
  Session session{env, settings, tree, nullptr, flags, {}, {}, log};
  Plugins plugins;
  const auto builtin = tree.resolve(args, flags);
  const bool completing = builtin && builtin->node->path == "__complete";
  load_cli_plugins(session, tree, completing, plugins);
  warn_of_expired_repositories(env, settings.repository_config);

  auto found = tree.resolve(args, flags);
  if (!found) {
    env.err.write("Error: " + found.error().text() + "\nRun '" + std::string(kProgramName) +
                  " --help' for usage.\n");
    return 1;
  }
  session.node = found->node;
  session.args = std::move(found->args);
  session.called_as = std::move(found->called_as);
  return execute(session);
}

}  // namespace pintle::cli
