#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/completers.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Env prints out all the environment information in use by Helm.)";

Status run(Session& s, const NoOptions&) {
  const auto vars = env_vars(s.env, s.settings);
  std::string out;
  if (s.args.empty()) {
    for (const auto& [name, value] : vars) append(out, {name, "=\"", value, "\"\n"});
  } else {
    for (const auto& [name, value] : vars) {
      if (name == s.args[0]) out = value;
    }
    out += '\n';
  }
  s.print(out);
  return ok();
}

Candidates names(Session& s, const void*, Args args, std::string_view) {
  if (!args.empty()) return no_more_args();
  Candidates out{{}, kNoFiles};
  for (const auto& [name, value] : env_vars(s.env, s.settings)) out.items.push_back(name);
  return out;
}

}  // namespace

constinit const Command kEnv =
    define<NoOptions, bind_nothing, run>({.use = "env",
                                          .brief = "helm client environment information",
                                          .text = kText,
                                          .args = ArgsRule::at_most(1),
                                          .complete = names});

}  // namespace pintle::cli
