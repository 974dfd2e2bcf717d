// Plugins: what stands in HELM_PLUGINS (plugin.yaml, format v1 and the older one), and the commands
// that CLI plugins add (helm internal/plugin, pkg/cmd/load_plugins.go). Subprocess plugins run as
// child processes; WebAssembly ones are listed but cannot be run.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace pintle::cli {

struct PlatformCommand {
  std::string os, arch, command;
  Strings args;
};

struct Plugin {
  std::string name = {}, version = {};
  std::string type = {};         // "cli/v1" "getter/v1" "postrenderer/v1"
  std::string api_version = {};  // "v1" or "legacy"
  std::string runtime = {};      // "subprocess" or "extism/v1"
  std::string source_url = {}, dir = {};
  std::string usage = {}, short_help = {}, long_help = {};  // of a CLI plugin
  bool ignore_flags = false;
  std::vector<PlatformCommand> commands = {};
};

// One directory's plugin. Error: Helm's text without the name of the file.
Result<Plugin> read_plugin(const Env& env, const std::string& dir);

// Plugins of a type ("": all) in every directory of HELM_PLUGINS, by path. Those that cannot be
// read are skipped with a warning. Error: "two plugins claim the name ...".
Result<std::vector<Plugin>> find_plugins(const Session& session, std::string_view type);

// The plugins behind the commands load_cli_plugins added, and the texts those commands borrow.
struct Plugins {
  std::deque<Plugin> loaded;
  std::deque<std::string> texts;
  std::deque<Strings> lists;
};
// `completing`: also what their completion.yaml says.
void load_cli_plugins(Session& session, CommandTree& tree, bool completing, Plugins& out);

// Runs a plugin's own command with `args`, its output going to ours. Error: carries ExitCode.
Status run_plugin(Session& session, const Plugin& plugin, const Strings& args);
// The same with text on stdin; what it prints is returned.
Result<std::string> filter_through_plugin(Session& session, const Plugin& plugin,
                                          const Strings& args, std::string_view input);

}  // namespace pintle::cli
