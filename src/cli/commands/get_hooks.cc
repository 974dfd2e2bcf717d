#include "cli/cluster.h"
#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/flag_groups.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command downloads hooks for a given release.

Hooks are formatted in YAML and separated by the YAML '---\n' separator.)";

struct Options {
  int64_t revision = 0;
};

void bind(Flags& f, Options& o) {
  bind_revision(f, o.revision, "get the named release with revision");
}

Status run(Session& s, const Options& o) {
  auto world = TRY(open_cluster(s));
  auto context = release_context(s, *world);
  const auto record =
      TRY(action::content(context, s.args[0], static_cast<int>(o.revision)));
  std::string out;
  for (const auto& hook : record.hooks) release::append_source(out, hook.path, hook.manifest);
  s.print(out);
  return ok();
}

}  // namespace

constinit const Command kGetHooks =
    define<Options, bind, run>({.use = "hooks RELEASE_NAME",
                                .brief = "download all hooks for a named release",
                                .text = kText,
                                .args = ArgsRule::exactly(1),
                                .needs = Needs::kCluster,
                                .complete = one_release});

}  // namespace pintle::cli
