// Command: one row of what pintle can do. Each lives in its own file under commands/, as constant
// data (texts, argument rule, functions), so that starting up builds nothing.
//
//   struct Options { bool brief = false; };
//   void bind(Flags& f, Options& o) { f.boolean("short", o.brief, "print the version number"); }
//   Status run(Session& s, const Options& o) { ... }
//   constinit const Command kVersion = define<Options, bind, run>({.use = "version", ...});
//
// The path ("repo add") stands in command_table.cc, where all commands are listed once.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/result.h"
#include "cli/env.h"
#include "cli/flags.h"
#include "cli/settings.h"

namespace pintle::cli {

class CommandTree;
struct Node;
struct Session;

// How many arguments a command takes (helm pkg/cmd/require; `any`: cobra's default).
struct ArgsRule {
  enum class Kind : uint8_t { kAny, kNone, kExactly, kAtLeast, kAtMost, kCobraAtLeast };
  Kind kind = Kind::kAny;
  int n = 0;
  bool helm4_only = false;  // Helm 3 takes any number

  static constexpr ArgsRule none() { return {Kind::kNone}; }
  static constexpr ArgsRule exactly(int n) { return {Kind::kExactly, n}; }
  static constexpr ArgsRule at_least(int n) { return {Kind::kAtLeast, n}; }
  static constexpr ArgsRule at_least_in_helm4(int n) { return {Kind::kAtLeast, n, true}; }
  static constexpr ArgsRule at_most(int n) { return {Kind::kAtMost, n}; }
};

// How much of the world a command needs before it can do anything.
enum class Needs : uint8_t {
  kNothing,
  kFiles,    // charts, repositories, caches on disk
  kNetwork,  // chart repositories or registries
  kCluster,
};

struct Command {
  std::string_view use;         // "install [NAME] [CHART]"; the first word is the name
  std::string_view brief = {};  // one line in the parent's help
  std::string_view text = {};   // help above "Usage:"; empty: brief stands in
  std::string_view brief_helm3 = {}, text_helm3 = {};  // where Helm 3.22 says something else
  std::array<std::string_view, 3> aliases = {};
  std::array<std::string_view, 2> suggest_for = {};
  ArgsRule args = {};
  Needs needs = Needs::kNothing;
  bool hidden = false;
  bool helm4_only = false;
  bool no_flags_in_use = false;                  // DisableFlagsInUseLine
  bool raw_args = false;                         // DisableFlagParsing
  Completer complete = nullptr;                  // of arguments
  std::span<const std::string> valid_args = {};  // fixed candidates for the first argument

  void* (*bind)(Flags& flags, const Session& session) = nullptr;   // returns the options
  Status (*run)(Session& session, const void* options) = nullptr;  // null: prints its help
  const void* plugin = nullptr;                                    // of a CLI plugin's command
  std::span<const std::string> plugin_flags = {};  // names its completion.yaml lists

  constexpr std::string_view name() const { return use.substr(0, use.find(' ')); }
};

// What one run of one command works with. Lives as long as the run.
struct Session {
  Env& env;
  Settings& settings;
  const CommandTree& tree;
  const Node* node;  // the command
  Flags& flags;
  Strings args;           // what remains after the flags
  std::string called_as;  // the name or alias typed
  Log log;                // slog lines on stderr

  bool helm3() const { return env.build.helm3; }
  void print(std::string_view text) { env.out.write(text); }
};

// An error that carries the exit code (a plugin's own).
struct ExitCode : ErrorDetail {
  explicit ExitCode(int code) : code(code) {}
  int code;
};

struct NoOptions {};
inline void bind_nothing(Flags&, NoOptions&) {}

// Ties a command's own options type to the untyped row. Bind is void(Flags&, Options&) or
// void(Flags&, Options&, const Session&); Complete is Candidates(Session&, const Options&,
// std::span<const std::string> args, std::string_view word).
template <typename Options, auto Bind, auto Run>
constexpr Command define(Command row) {
  row.bind = [](Flags& flags, const Session& session) -> void* {
    Options& options = flags.own<Options>();
    if constexpr (requires { Bind(flags, options, session); }) {
      Bind(flags, options, session);
    } else {
      Bind(flags, options);
    }
    return &options;
  };
  row.run = [](Session& session, const void* options) -> Status {
    return Run(session, *static_cast<const Options*>(options));
  };
  return row;
}

// A completion function over typed options.
template <typename Options, auto Complete>
constexpr Completer completer() {
  return [](Session& session, const void* options, std::span<const std::string> args,
            std::string_view word) {
    return Complete(session, *static_cast<const Options*>(options), args, word);
  };
}

}  // namespace pintle::cli
