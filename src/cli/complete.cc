// `__complete` and `__completeNoDesc`: what the shells' completion scripts ask (cobra
// completions.go). The candidates go to stdout, then ":<directive>"; a last line on stderr is for
// people. Candidates are mostly not filtered by the typed word: shells do that.
#include "cli/complete.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "cli/run.h"
#include "cli/tree.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kActiveHelp = "_activeHelp_ ";

std::string directive_text(int directive) {
  if (directive >= 64) {
    return "ERROR: unexpected ShellCompDirective value: " + std::to_string(directive);
  }
  std::string out;
  constexpr std::string_view kNames[] = {"Error",         "NoSpace",    "NoFileComp",
                                         "FilterFileExt", "FilterDirs", "KeepOrder"};
  for (int bit = 0; bit < 6; ++bit) {
    if ((directive & (1 << bit)) == 0) continue;
    if (!out.empty()) out += ", ";
    out += "ShellCompDirective" + std::string(kNames[bit]);
  }
  return out.empty() ? "ShellCompDirectiveDefault" : out;
}

bool is_flag(std::string_view arg) {
  return (arg.size() >= 3 && arg.starts_with("--")) ||
         (arg.size() >= 2 && arg[0] == '-' && arg[1] != '-');
}

Flag* find_flag(Flags& flags, std::string_view name) {
  return name.size() == 1 ? flags.find_shorthand(name[0]) : flags.find(name);
}

// %v of []string.
std::string listed(std::span<const std::string> items) { return "[" + join(items, " ") + "]"; }

bool repeatable(const Flag& flag) {
  return flag.kind == Flag::Kind::kList || flag.type.find("Slice") != std::string_view::npos ||
         flag.type.starts_with("stringTo");
}

void flag_names(const Flag& flag, std::string_view word, Strings& out) {
  if (flag.hidden || !flag.deprecated.empty()) return;
  const std::string name = "--" + std::string(flag.name);
  const std::string usage = "\t" + std::string(flag.usage);
  if (name.starts_with(word)) out.push_back(name + usage);
  const std::string shorthand = std::string("-") + flag.shorthand;
  if (flag.shorthand != 0 && shorthand.starts_with(word)) out.push_back(shorthand + usage);
}

// What is being completed: the value of a flag, or something else.
struct Target {
  Flag* flag = nullptr;
  Strings args;      // without a flag that still lacks its value
  std::string word;  // without "--flag="
  std::string error;
};

Target find_target(Flags& flags, const Node& node, const Strings& args, const std::string& last) {
  Target plain{nullptr, args, last, ""};
  if (node.command->raw_args) return plain;
  Target target = plain;
  std::string name;
  bool with_equals = false;
  if (last.starts_with('-')) {
    const size_t eq = last.find('=');
    if (eq == std::string::npos) return plain;
    name = last.starts_with("--") ? last.substr(2, eq < 2 ? 0 : eq - 2) : last.substr(eq - 1, 1);
    target.word = last.substr(eq + 1);
    with_equals = true;
  }
  if (name.empty() && !args.empty() && is_flag(args.back()) &&
      args.back().find('=') == std::string::npos) {
    const std::string& previous = args.back();
    name = previous.starts_with("--") ? previous.substr(2) : previous.substr(previous.size() - 1);
    target.args.pop_back();
  }
  if (name.empty()) return target;
  target.flag = find_flag(flags, name);
  if (!target.flag) {
    plain.error = "Subcommand '" +
                  std::string(node.command->name().empty() ? kProgramName : node.command->name()) +
                  "' does not support flag '" + name + "'";
    return plain;
  }
  if (!with_equals && !target.flag->bare.empty()) {  // a boolean: what follows is not its value
    target.args = args;
    target.flag = nullptr;
  }
  return target;
}

// Parses flags as execute() would. Deprecation notes go to stderr; cobra keeps them all and prints
// what it has kept each time, so the second of two readings repeats the first's.
Result<Flags::Parsed> parse_flags(Session& session, std::span<const std::string> args,
                                  std::string& notes) {
  auto parsed = TRY(session.flags.parse(args));
  notes += parsed.deprecations;
  if (!parsed.deprecations.empty()) session.env.err.write(notes);
  return parsed;
}

struct Answer {
  Candidates found;
  std::string error;
};

void complete_subcommands(const CommandTree& tree, const Node& node, std::string_view word,
                          Candidates& out) {
  for (const Node* child : tree.children(node)) {
    if (!available(tree, *child) && child->path != "help") continue;
    const std::string_view name = child->command->name();
    if (name.starts_with(word)) {
      out.items.push_back(cat(name, "\t", tree.brief(*child)));
    }
    out.directive = kNoFiles;
  }
}

Answer answer(Session& session, const Strings& line) {
  const std::string last = line.back();
  const Strings typed(line.begin(), line.end() - 1);
  const auto found = session.tree.resolve(typed, session.flags);
  if (!found) {
    return {{{}, kDefault}, "unable to find a command for arguments: " + listed(typed)};
  }
  const Node& node = *found->node;
  const Command& command = *node.command;
  session.node = &node;
  const void* options = bind_command(session, node);
  Flags& flags = session.flags;

  Target target = find_target(flags, node, found->args, last);
  Strings args = target.args;
  bool flags_allowed = true;
  if (!command.raw_args) {
    Strings dashed = target.args;
    dashed.push_back("--");
    std::string notes;
    const auto with_dash = parse_flags(session, dashed, notes);
    const auto parsed = parse_flags(session, target.args, notes);
    if (!parsed) {
      return {{{}, kDefault},
              "Error while parsing flags from args " + listed(target.args) + ": " +
                  parsed.error().text()};
    }
    args = parsed->args;
    // After a "--", one more "--" is an argument: no flags from there on.
    if (with_dash && with_dash->args.size() > args.size()) flags_allowed = false;
    if (!target.error.empty() && flags_allowed) return {{{}, kDefault}, target.error};
    if (flags.find("help")->changed) return {{{}, kNoFiles}, ""};
  }

  Answer out;
  if (!command.raw_args) flags.hide_excluded();
  const std::string& word = target.word;
  if (!target.flag && word.starts_with('-') && word.find('=') == std::string::npos &&
      flags_allowed) {
    for (bool global : {true, false}) {
      for (const Flag* flag : flags.sorted()) {
        // The root's persistent flags are local to the root.
        const bool inherited = flag->global && !node.path.empty();
        if (inherited == global && (!flag->changed || repeatable(*flag))) {
          flag_names(*flag, word, out.found.items);
        }
      }
    }
    out.found.directive = kNoFiles;
    if (!command.raw_args) return out;
  } else if (!target.flag) {
    const auto all = flags.sorted();
    const bool local_set =
        std::ranges::any_of(all, [](const Flag* flag) { return flag->changed && !flag->global; });
    if (args.empty() && !local_set) {
      complete_subcommands(session.tree, node, word, out.found);
    }
    if (!command.valid_args.empty()) {
      if (args.empty()) {
        for (const std::string& arg : command.valid_args) {
          if (arg.starts_with(word)) out.found.items.push_back(arg);
        }
        out.found.directive = kNoFiles;
      }
      return out;
    }
  }

  const Completer completer =
      target.flag && flags_allowed ? target.flag->completer : command.complete;
  if (completer) {
    Candidates more = completer(session, options, args, word);
    out.found.directive = more.directive;
    for (std::string& item : more.items) out.found.items.push_back(std::move(item));
  }
  return out;
}

// $HELM_<suffix>, else $COBRA_<suffix>.
std::string setting(const Env& env, const std::string& suffix) {
  std::string own = env.get("HELM_" + suffix);
  return own.empty() ? env.get("COBRA_" + suffix) : own;
}

}  // namespace

Candidates no_more_args() {
  return {{std::string(kActiveHelp) +
           "This command does not take any more arguments (but may accept flags)."},
          kNoFiles};
}

Status run_complete(Session& session) {
  const bool bare_names = session.called_as == "__completeNoDesc";
  Answer reply = answer(session, session.args);
  if (!reply.error.empty()) session.env.log.write("[Debug] [Error] " + reply.error + "\n");

  const auto wanted = parse_bool(setting(session.env, "COMPLETION_DESCRIPTIONS"));
  const bool names_only = bare_names || (wanted && !*wanted);
  const bool no_help =
      session.env.get("COBRA_ACTIVE_HELP") == "0" || session.env.get("HELM_ACTIVE_HELP") == "0";
  std::string out;
  for (std::string_view item : reply.found.items) {
    if (no_help && item.starts_with(kActiveHelp)) continue;
    if (names_only) item = item.substr(0, item.find('\t'));
    item = item.substr(0, item.find('\n'));
    append(out, {trim_space(item), "\n"});
  }
  out += ":" + std::to_string(reply.found.directive) + "\n";
  session.print(out);
  session.env.err.write(
      "Completion ended with directive: " + directive_text(reply.found.directive) + "\n");
  return ok();
}

}  // namespace pintle::cli
