// Running subprocess plugins (helm internal/plugin/runtime_subprocess.go, subprocess_commands.go).
#include "base/gotext.h"
#include "base/strings.h"
#include "cli/plugins.h"
#include "sys/process.h"

namespace pintle::cli {
namespace {

using Vars = std::vector<std::pair<std::string, std::string>>;

#if defined(__x86_64__)
constexpr std::string_view kArch = "amd64";
#elif defined(__aarch64__)
constexpr std::string_view kArch = "arm64";
#else
constexpr std::string_view kArch = "";
#endif

bool same(std::string_view a, std::string_view b) { return to_lower(a) == to_lower(b); }

// An exact system and architecture wins; then the first with our system, then the first with none.
// An architecture that is not ours rules a command out.
const PlatformCommand* choose(const std::vector<PlatformCommand>& commands) {
  const PlatformCommand* for_system = nullptr;
  const PlatformCommand* for_any = nullptr;
  for (const PlatformCommand& c : commands) {
    if (same(c.os, "linux") && same(c.arch, kArch)) return &c;
    if (!c.arch.empty() || (!c.os.empty() && !same(c.os, "linux"))) continue;
    const PlatformCommand*& slot = c.os.empty() ? for_any : for_system;
    if (!slot) slot = &c;
  }
  return for_system ? for_system : for_any;
}

const std::string* look_up(const Vars& vars, std::string_view name) {
  for (const auto& [key, value] : vars) {
    if (key == name) return &value;
  }
  return nullptr;
}

// os.Expand: $NAME, ${NAME}, one-character specials; an unknown name is nothing.
std::string expand(std::string_view text, const Vars& vars) {
  const auto special = [](char c) {
    return std::string_view("*#$@!?-0123456789").find(c) != std::string_view::npos;
  };
  const auto word = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    std::string_view name;
    size_t used = 0;  // after the '$'
    if (text[i + 1] == '{') {
      const size_t close = text.find('}', i + 2);
      if (close == std::string_view::npos) {  // bad syntax: "${" is eaten
        ++i;
        continue;
      }
      name = text.substr(i + 2, close - i - 2);
      used = close - i;
    } else if (special(text[i + 1])) {
      name = text.substr(i + 1, 1);
      used = 1;
    } else {
      while (i + 1 + used < text.size() && word(text[i + 1 + used])) ++used;
      name = text.substr(i + 1, used);
    }
    if (used == 0) {
      out += '$';
    } else if (const std::string* value = look_up(vars, name)) {
      out += *value;
    }
    i += used;
  }
  return out;
}

Vars plugin_environ(const Session& session, const Plugin& plugin) {
  Vars vars = session.env.environ.all();
  const auto set = [&](const std::string& key, const std::string& value) {
    for (auto& [k, v] : vars) {
      if (k == key) {
        v = value;
        return;
      }
    }
    vars.emplace_back(key, value);
  };
  for (const auto& [key, value] : env_vars(session.env, session.settings)) set(key, value);
  set("HELM_PLUGIN_NAME", plugin.name);
  set("HELM_PLUGIN_DIR", plugin.dir);
  return vars;
}

Result<sys::Command> prepare(const Session& session, const Plugin& plugin, const Strings& args) {
  if (plugin.runtime != "subprocess") {
    return Error(Code::kUnimplemented,
                 cat("plugin ", quote(plugin.name), " needs the ", quote(plugin.runtime),
                     " runtime, which pintle does not have"));
  }
  const PlatformCommand* chosen = choose(plugin.commands);
  if (!chosen || chosen->command.empty() || chosen->command[0] == ' ') {
    return Error("failed to prepare plugin command: no plugin command is applicable");
  }
  const Vars vars = plugin_environ(session, plugin);
  sys::Command command;
  for (std::string_view part : split(chosen->command, " ")) {
    command.argv.push_back(expand(part, vars));
  }
  for (const std::string& arg : chosen->args) command.argv.push_back(expand(arg, vars));
  command.argv.insert(command.argv.end(), args.begin(), args.end());
  command.environ = vars;
  return command;
}

Error exited_with(const Plugin& plugin, int code) {
  Error error(cat("plugin ", quote(plugin.name), " exited with error"));
  error.set_detail(std::make_unique<ExitCode>(code));
  return error;
}

}  // namespace

Status run_plugin(Session& session, const Plugin& plugin, const Strings& args) {
  sys::Command command = TRY(prepare(session, plugin, args));
  command.capture = !session.env.children_share_output;
  session.env.out.flush();
  const sys::Finished done = TRY(sys::run(command));
  if (command.capture) {
    session.env.out.write(done.out);
    session.env.log.write(done.err);
  }
  if (done.exit_code != 0) return exited_with(plugin, done.exit_code);
  return ok();
}

Result<std::string> filter_through_plugin(Session& session, const Plugin& plugin,
                                          const Strings& args, std::string_view input) {
  sys::Command command = TRY(prepare(session, plugin, args));
  command.input = std::string(input);
  command.max_output = size_t{1} << 30;
  sys::Finished done = TRY(sys::run(command));
  if (done.exit_code != 0) return exited_with(plugin, done.exit_code);
  return std::move(done.out);
}

}  // namespace pintle::cli
