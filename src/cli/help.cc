// cobra's default help and usage templates, as Helm leaves them.
#include <algorithm>

#include "cli/tree.h"

namespace pintle::cli {
namespace {

std::string_view trim_right(std::string_view text) {
  const size_t end = text.find_last_not_of(" \t\n\v\f\r");
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end + 1);
}

std::string section(const Flags& flags, bool global) {
  std::vector<const Flag*> shown;
  for (const Flag* flag : flags.sorted()) {
    if (flag->global == global) shown.push_back(flag);
  }
  return flag_usages(shown);
}

std::string commands(const CommandTree& tree, const Node& node) {
  const auto children = tree.children(node);
  size_t width = 11;
  for (const Node* child : children) width = std::max(width, child->command->name().size());
  std::string out;
  for (const Node* child : children) {
    if (!available(tree, *child) && child->path != "help") continue;
    std::string name(child->command->name());
    name.resize(std::max(width, name.size()), ' ');
    out += "\n  " + name + " ";
    out += tree.brief(*child);
  }
  return out;
}

}  // namespace

std::string usage(const CommandTree& tree, const Node& node, const Flags& flags) {
  const Command& command = *node.command;
  const std::string children = commands(tree, node);
  std::string out = "Usage:";
  if (command.run) out += "\n  " + use_line(node);
  if (!children.empty()) out += "\n  " + command_path(node) + " [command]";
  if (!command.aliases[0].empty()) {
    out += "\n\nAliases:\n  ";
    out += command.name();
    for (std::string_view alias : command.aliases) {
      if (!alias.empty()) out += ", " + std::string(alias);
    }
  }
  if (!children.empty()) out += "\n\nAvailable Commands:" + children;
  // The root's flags are everyone's globals, and its own.
  const bool root = node.path.empty();
  std::string local = section(flags, false);
  if (root) {
    std::vector<const Flag*> all = flags.sorted();
    local = flag_usages(all);
  }
  if (!local.empty()) {
    out += "\n\nFlags:\n";
    out += trim_right(local);
  }
  const std::string global = root ? std::string() : section(flags, true);
  if (!global.empty()) {
    out += "\n\nGlobal Flags:\n";
    out += trim_right(global);
  }
  if (!children.empty()) {
    out += "\n\nUse \"" + command_path(node) +
           " [command] --help\" for more information about a command.";
  }
  return out + "\n";
}

std::string help(const CommandTree& tree, const Node& node, const Flags& flags, bool helm3) {
  const Command& command = *node.command;
  std::string_view text = helm3 && !command.text_helm3.empty() ? command.text_helm3 : command.text;
  text = trim_right(text.empty() ? tree.brief(node) : text);
  std::string out;
  if (!text.empty()) out += std::string(text) + "\n\n";
  if (command.run || tree.has_children(node)) out += usage(tree, node, flags);
  return out;
}

}  // namespace pintle::cli
