#include "cli/completion_scripts.h"

#include "base/path.h"
#include "base/strings.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kBash =
#include "cli/scripts/bash.inc"
    ;
constexpr std::string_view kZsh =
#include "cli/scripts/zsh.inc"
    ;
constexpr std::string_view kFish =
#include "cli/scripts/fish.inc"
    ;
constexpr std::string_view kPowershell =
#include "cli/scripts/powershell.inc"
    ;

constexpr std::string_view kHook = R"(
# Hook the command used to generate the completion script
# to the helm completion function to handle the case where
# the user renamed the helm binary
)";

std::string bash_hook(std::string_view binary) {
  return cat(kHook, "if [[ $(type -t compopt) = \"builtin\" ]]; then\n",
             "    complete -o default -F __start_helm ", binary, "\nelse\n",
             "    complete -o default -o nospace -F __start_helm ", binary, "\nfi\n");
}

}  // namespace

std::string completion_script(Shell shell, bool descriptions, std::string_view program) {
  constexpr std::string_view kTexts[] = {kBash, kZsh, kFish, kPowershell};
  const std::string_view text = kTexts[static_cast<size_t>(shell)];
  std::string out =
      descriptions ? std::string(text) : replace_all(text, " __complete ", " __completeNoDesc ");
  const std::string_view binary = path::base(program);
  const bool renamed = binary != "helm";
  if (shell == Shell::kBash && renamed) out += bash_hook(binary);
  if (shell == Shell::kZsh) {
    if (renamed) out += cat(kHook, "compdef _helm ", binary, "\n");
    out += "compdef _helm helm";  // cobra's script does not register itself when sourced
  }
  return out;
}

}  // namespace pintle::cli
