// --post-renderer as a function: a plugin in Helm 4, a program in Helm 3.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/flag_groups.h"

namespace pintle::cli {

// Empty when the flag was not given. The function runs the renderer with the text on its standard
// input and returns what it prints.
std::function<Result<std::string>(std::string_view)> post_renderer(Session& s,
                                                                   const PostRenderFlag& flag);

}  // namespace pintle::cli
