// The shell scripts behind `helm completion`: cobra's (Apache-2.0), as Helm prints them, in
// scripts/*.inc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pintle::cli {

enum class Shell : uint8_t { kBash, kZsh, kFish, kPowershell };

// `program`: argv[0]; a binary not called helm is hooked to helm's completion (bash and zsh).
std::string completion_script(Shell shell, bool descriptions, std::string_view program);

}  // namespace pintle::cli
