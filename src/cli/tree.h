// CommandTree: the built-in commands (command_table.cc) and those that CLI plugins add, found by
// path or by the words of a command line as cobra does.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace pintle::cli {

struct Node {
  std::string_view path;  // "repo add"; "" is the root
  const Command* command;
  int order = 0;  // suggestions keep the order commands were declared in
};

// Every built-in command, sorted by path.
std::span<const Node> builtin_commands();

class CommandTree {
 public:
  explicit CommandTree(bool helm3) : helm3_(helm3) {}

  const Node& root() const;
  const Node* find(std::string_view path) const;              // the exact path
  const Node* parent(const Node& node) const;                 // null for the root
  std::vector<const Node*> children(const Node& node) const;  // sorted by name
  bool has_children(const Node& node) const;
  std::string_view brief(const Node& node) const;
  const Node* child(const Node& node, std::string_view name_or_alias) const;
  // A command a plugin brings; the texts must outlive the tree.
  void add(std::string path, const Command& command);

  struct Found {
    const Node* node;
    Strings args;  // the words that are not the path
    std::string called_as;
  };
  // cobra's Find: walks down the words that name commands, skipping flags and their values as
  // `flags` knows them. Error: unknown command "x" for "helm", with suggestions.
  Result<Found> resolve(std::span<const std::string> args, Flags& flags) const;

 private:
  struct Added {
    std::string path;
    Command command;
    Node node;
  };
  bool shown(const Node& node) const { return !helm3_ || !node.command->helm4_only; }

  bool helm3_;
  std::deque<Added> added_;
};

// "helm repo add".
std::string command_path(const Node& node);
// "helm repo add NAME URL [flags]".
std::string use_line(const Node& node);
// Neither hidden nor a bare group without children.
bool available(const CommandTree& tree, const Node& node);

// cobra's help: text, usage, commands, flags. `usage` alone leaves the text out.
std::string help(const CommandTree& tree, const Node& node, const Flags& flags, bool helm3);
std::string usage(const CommandTree& tree, const Node& node, const Flags& flags);

// Names of root commands that resemble `typed`, as cobra suggests them.
std::vector<std::string_view> suggestions(const CommandTree& tree, std::string_view typed);

// The program's name in every text: "helm", whatever the binary is called.
inline constexpr std::string_view kProgramName = "helm";

}  // namespace pintle::cli
