#include "cli/post_render.h"

#include "base/gotext.h"
#include "base/strings.h"
#include "sys/process.h"

namespace pintle::cli {
namespace {

Result<std::string> through_plugin(Session& s, const PostRenderFlag& flag, std::string_view text) {
  auto printed = filter_through_plugin(s, *flag.plugin, flag.args, text);
  if (!printed) {
    return Error::wrap(cat("failed to invoke post-renderer plugin ", quote(flag.name)),
                       printed.error());
  }
  if (trim_space(*printed).empty()) {
    return Error(cat("post-renderer ", quote(flag.name), " produced empty output"));
  }
  return printed;
}

Result<std::string> through_program(const PostRenderFlag& flag, std::string_view text) {
  sys::Command command;
  command.argv = {flag.name};
  command.argv.insert(command.argv.end(), flag.args.begin(), flag.args.end());
  command.input = std::string(text);
  command.max_output = size_t{1} << 30;
  sys::Finished done = TRY(sys::run(command));
  if (done.exit_code != 0) {
    return Error(cat("error while running command ", flag.name, ". error output:\n", done.err,
                     ": exit status ", done.exit_code));
  }
  return std::move(done.out);
}

}  // namespace

std::function<Result<std::string>(std::string_view)> post_renderer(Session& s,
                                                                   const PostRenderFlag& flag) {
  if (flag.name.empty()) return {};
  if (flag.plugin) {
    return [&s, &flag](std::string_view text) { return through_plugin(s, flag, text); };
  }
  return [&flag](std::string_view text) { return through_program(flag, text); };
}

}  // namespace pintle::cli
