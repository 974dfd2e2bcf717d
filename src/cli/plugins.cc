#include "cli/plugins.h"

#include <algorithm>
#include <set>

#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "cli/tree.h"
#include "semver/semver.h"
#include "yaml/yaml.h"

namespace pintle::cli {
namespace {

std::string text_at(const value::Value& map, std::string_view key) {
  const value::Value* v = map.get(key);
  return v && v->is_string() ? std::string(v->as_string()) : std::string();
}

bool true_at(const value::Value& map, std::string_view key) {
  const value::Value* v = map.get(key);
  return v && v->is(value::Type::kBool) && v->as_bool();
}

bool valid_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

// Any blank becomes a space; what cannot be printed goes.
std::string sanitize(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Rune r = decode_rune(text);
    text.remove_prefix(static_cast<size_t>(r.size));
    if (is_space(r.value)) {
      out += ' ';
    } else if (is_print(r.value)) {
      append_rune(out, r.value);
    }
  }
  return out;
}

std::vector<PlatformCommand> read_commands(const value::Value* list) {
  std::vector<PlatformCommand> out;
  if (!list) return out;
  for (const value::Value& item : list->items()) {
    PlatformCommand& command = out.emplace_back(
        PlatformCommand{text_at(item, "os"), text_at(item, "arch"), text_at(item, "command"), {}});
    const value::Value* args = item.get("args");
    if (!args) continue;
    for (const value::Value& arg : args->items()) {
      if (arg.is_string()) command.args.emplace_back(arg.as_string());
    }
  }
  return out;
}

Result<Plugin> read_legacy(const value::Value& root) {
  Plugin p{.name = text_at(root, "name"),
           .version = text_at(root, "version"),
           .type = "cli/v1",
           .api_version = "legacy",
           .runtime = "subprocess"};
  if (!valid_name(p.name)) {
    return Error(
        cat("invalid plugin name ", quote(p.name), ": must contain only a-z, A-Z, 0-9, _ and -"));
  }
  if (!p.version.empty() && !semver::parse_strict(p.version)) {
    return Error(cat("invalid plugin version ", quote(p.version), ": must be valid semver"));
  }
  p.short_help = sanitize(text_at(root, "usage"));
  p.long_help = text_at(root, "description");
  p.ignore_flags = true_at(root, "ignoreFlags");
  p.commands = read_commands(root.get("platformCommand"));
  const std::string command = text_at(root, "command");
  if (!p.commands.empty() && !command.empty()) {
    return Error("both platformCommand and command are set");
  }
  if (!command.empty()) p.commands.push_back({"", "", command, {}});
  const auto filled = [&](std::string_view key) {
    const value::Value* v = root.get(key);
    return v && v->length() > 0;
  };
  if (filled("platformHooks") && filled("hooks")) {
    return Error("both platformHooks and hooks are set");
  }
  if (filled("downloaders")) p.type = "getter/v1";
  return p;
}

Result<Plugin> read_v1(const value::Value& root) {
  static constexpr std::string_view kKnown[] = {
      "apiVersion", "name", "type", "runtime", "version", "sourceURL", "config", "runtimeConfig"};
  for (const auto& [key, unused] : *root.as_map()) {
    if (std::ranges::find(kKnown, key.view()) == std::end(kKnown)) {
      return Error(cat("yaml: unmarshal errors:\n  field ", key.view(),
                       " not found in type plugin.MetadataV1"));
    }
  }
  Plugin p{.name = text_at(root, "name"),
           .version = text_at(root, "version"),
           .type = text_at(root, "type"),
           .api_version = "v1",
           .runtime = text_at(root, "runtime"),
           .source_url = text_at(root, "sourceURL")};
  if (!valid_name(p.name)) return Error("invalid plugin `name`");
  if (p.version.empty()) return Error("plugin `version` is required");
  if (!semver::parse_strict(p.version)) {
    return Error(cat("invalid plugin `version` ", quote(p.version), ": must be valid semver"));
  }
  if (p.type.empty()) return Error("`type` missing");
  if (p.runtime.empty()) return Error("`runtime` missing");
  if (p.type != "cli/v1" && p.type != "getter/v1" && p.type != "postrenderer/v1") {
    return Error(
        cat("failed to convert MetadataV1 to Metadata: unsupported plugin type: ", quote(p.type)));
  }
  if (p.runtime != "subprocess" && p.runtime != "extism/v1") {
    return Error(cat("failed to convert MetadataV1 to Metadata: unsupported plugin runtime type: ",
                     quote(p.runtime)));
  }
  if (const value::Value* config = root.get("config")) {
    p.usage = text_at(*config, "usage");
    p.short_help = text_at(*config, "shortHelp");
    p.long_help = text_at(*config, "longHelp");
    p.ignore_flags = true_at(*config, "ignoreFlags");
  }
  if (const value::Value* runtime = root.get("runtimeConfig")) {
    p.commands = read_commands(runtime->get("platformCommand"));
  }
  return p;
}

// --- commands a CLI plugin adds ---

constexpr std::string_view kTakenFlags[] = {"--kube-context",
                                            "--namespace",
                                            "-n",
                                            "--kubeconfig",
                                            "--kube-apiserver",
                                            "--kube-token",
                                            "--kube-as-user",
                                            "--kube-as-group",
                                            "--kube-ca-file",
                                            "--registry-config",
                                            "--repository-cache",
                                            "--repository-config",
                                            "--kube-insecure-skip-tls-verify",
                                            "--kube-tls-server-name"};

// Helm's own flags among a plugin's arguments, and the rest.
std::pair<Strings, Strings> part_args(std::span<const std::string> args) {
  Strings known, unknown;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    const std::string_view name = std::string_view(arg).substr(0, arg.find('='));
    const bool taken = std::ranges::find(kTakenFlags, name) != std::end(kTakenFlags);
    if (arg == "--debug" || (taken && name.size() < arg.size())) {
      known.push_back(arg);
    } else if (taken) {
      known.push_back(arg);
      if (++i < args.size()) known.push_back(args[i]);
    } else {
      unknown.push_back(arg);
    }
  }
  return {known, unknown};
}

// Applies Helm's flags to the settings; the rest is the plugin's.
Result<Strings> take_own_flags(Session& session, std::span<const std::string> args) {
  auto [known, unknown] = part_args(args);
  TRY(session.flags.parse(known));
  return unknown;
}

Status run_plugin_command(Session& session, const void*) {
  const auto& plugin = *static_cast<const Plugin*>(session.node->command->plugin);
  Strings rest = TRY(take_own_flags(session, session.args));
  if (plugin.ignore_flags) rest.clear();
  return run_plugin(session, plugin, rest);
}

Status run_nothing(Session&, const void*) { return ok(); }

// Asks the plugin's plugin.complete, if there is one.
Candidates ask_plugin(Session& session, const void*, std::span<const std::string> args,
                      std::string_view word) {
  const auto& plugin = *static_cast<const Plugin*>(session.node->command->plugin);
  const auto rest = take_own_flags(session, args);
  if (!rest) return {{}, kError};
  Plugin asked = plugin;
  asked.commands = {{"", "", path::join({plugin.dir, "plugin.complete"}), {}}};
  const auto words = split(session.node->path, " ");
  Strings argv(words.begin() + 1, words.end());
  if (!plugin.ignore_flags) {
    argv.insert(argv.end(), rest->begin(), rest->end());
    argv.emplace_back(word);
  }
  const auto printed = filter_through_plugin(session, asked, argv, "");
  if (!printed) return {};
  Candidates out;
  for (std::string_view line : split(*printed, "\n")) {
    if (!line.empty()) out.items.emplace_back(line);
  }
  if (!out.items.empty() && out.items.back().size() > 1 && out.items.back()[0] == ':') {
    ParseError error;
    const int64_t n = parse_int(std::string_view(out.items.back()).substr(1), 10, 64, &error);
    if (error == ParseError::kNone) {
      out.directive = static_cast<int>(n);
      out.items.pop_back();
    }
  }
  return out;
}

struct PluginTexts {
  Plugins& out;
  std::string_view keep(std::string text) { return out.texts.emplace_back(std::move(text)); }
};

// Adds what completion.yaml says of one command, and of those below it.
void add_completion(CommandTree& tree, Plugins& out, const std::string& path, Command command,
                    const value::Value& spec, int depth) {
  PluginTexts texts{out};
  if (const value::Value* args = spec.get("validArgs")) {
    Strings& list = out.lists.emplace_back();
    for (const value::Value& arg : args->items()) {
      if (arg.is_string()) list.emplace_back(arg.as_string());
    }
    command.valid_args = list;
  }
  const value::Value* below = spec.get("commands");
  if (!below) command.complete = ask_plugin;
  if (const value::Value* flags = spec.get("flags")) {
    Strings& list = out.lists.emplace_back();
    for (const value::Value& flag : flags->items()) {
      if (flag.is_string()) list.emplace_back(flag.as_string());
    }
    command.plugin_flags = list;
  }
  tree.add(path, command);
  if (!below || depth > 20) return;
  for (const value::Value& child : below->items()) {
    const std::string name = text_at(child, "name");
    if (name.empty()) continue;
    Command sub{.use = texts.keep(name), .raw_args = true};
    sub.run = run_nothing;
    sub.bind = command.bind;
    sub.plugin = command.plugin;
    add_completion(tree, out, cat(path, " ", sub.name()), sub, child, depth + 1);
  }
}

// Only the flags' names matter, for completion. One letter is a shorthand, which needs some long
// name to belong to.
void* bind_plugin_flags(Flags& flags, const Session& session) {
  Strings shorts, longs;
  for (const std::string& name : session.node->command->plugin_flags) {
    (name.size() == 1 ? shorts : longs).push_back(name);
  }
  for (size_t i = 0; i < std::max(shorts.size(), longs.size()); ++i) {
    const std::string& name = flags.own<std::string>() = i < longs.size() ? longs[i] : shorts[i];
    flags.boolean(name, flags.own<bool>(), "", i < shorts.size() ? shorts[i][0] : '\0');
  }
  return nullptr;
}

}  // namespace

Result<Plugin> read_plugin(const Env& env, const std::string& dir) {
  const std::string file = path::join({dir, "plugin.yaml"});
  const auto text = env.disk.read_file(file, 16u << 20);
  if (!text) {
    return Error::wrap(cat("failed to read plugin at ", quote(file)), text.error());
  }
  const auto parse = [&]() -> Result<Plugin> {
    const value::Value root = TRY(yaml::read(*text));
    if (!root.is_map() || !root.as_map()) return Error("EOF");
    const std::string version = text_at(root, "apiVersion");
    if (!version.empty() && version != "v1") {
      return Error(cat("invalid plugin apiVersion: ", quote(version)));
    }
    return version.empty() ? read_legacy(root) : read_v1(root);
  };
  auto plugin = parse();
  if (!plugin) return Error::wrap(cat("failed to load plugin ", quote(dir)), plugin.error());
  plugin->dir = dir;
  return plugin;
}

Result<std::vector<Plugin>> find_plugins(const Session& session, std::string_view type) {
  std::vector<Plugin> out;
  for (std::string_view dir : split(session.settings.plugins_directory, ":")) {
    if (dir.empty()) continue;
    const auto entries = session.env.disk.read_dir(std::string(dir));
    if (!entries) continue;
    std::vector<Plugin> here;
    for (const sys::FileInfo& entry : *entries) {
      const std::string plugin_dir = path::join({dir, entry.name});
      const std::string file = path::join({plugin_dir, "plugin.yaml"});
      if (!session.env.disk.lstat(file)) continue;
      auto plugin = read_plugin(session.env, plugin_dir);
      if (!plugin) {
        session.log("WARN", "failed to load plugin (ignoring)",
                    {{"plugin_yaml", file}, {"error", plugin.error().text()}});
        continue;
      }
      here.push_back(std::move(*plugin));
    }
    std::set<std::string_view> names;
    for (const Plugin& p : here) {
      if (names.insert(p.name).second) continue;
      const auto first = std::ranges::find(here, p.name, &Plugin::name);
      return Error(cat("two plugins claim the name ", quote(p.name), " at ", quote(first->dir),
                       " and ", quote(p.dir)));
    }
    for (Plugin& p : here) {
      if (type.empty() || p.type == type) out.push_back(std::move(p));
    }
  }
  return out;
}

void load_cli_plugins(Session& session, CommandTree& tree, bool completing, Plugins& out) {
  if (session.env.get("HELM_NO_PLUGINS") == "1") return;
  auto found = find_plugins(session, "cli/v1");
  if (!found) {
    session.log("ERROR", "failed to load plugins", {{"error", found.error().text()}});
    return;
  }
  PluginTexts texts{out};
  for (Plugin& p : *found) {
    const Plugin& plugin = out.loaded.emplace_back(std::move(p));
    Command command{.use = plugin.usage.empty() ? std::string_view(plugin.name) : plugin.usage,
                    .brief = plugin.short_help.empty()
                                 ? texts.keep(cat("the ", quote(plugin.name), " plugin"))
                                 : std::string_view(plugin.short_help),
                    .text = plugin.long_help,
                    .raw_args = true};
    command.run = run_plugin_command;
    command.bind = bind_plugin_flags;
    command.plugin = &plugin;
    const std::string name(command.name());
    if (tree.find(name)) {
      session.log("ERROR", "failed to load plugins: name conflicts", {{"name", name}});
      return;
    }
    if (!completing) {  // a sub-command it lists must not stand in the way of running it
      tree.add(name, command);
      continue;
    }
    value::Value spec;
    if (const auto text =
            session.env.disk.read_file(path::join({plugin.dir, "completion.yaml"}), 16u << 20)) {
      if (auto read = yaml::read(*text)) spec = std::move(*read);
    }
    add_completion(tree, out, name, command, spec, 0);
  }
}

}  // namespace pintle::cli
