#include "cli/cluster.h"
#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/flag_groups.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command fetches the generated manifest for a given release.

A manifest is a YAML-encoded representation of the Kubernetes resources that
were generated from this release's chart(s). If a chart is dependent on other
charts, those resources will also be included in the manifest.)";

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
  s.print(record.manifest + "\n");
  return ok();
}

}  // namespace

constinit const Command kGetManifest =
    define<Options, bind, run>({.use = "manifest RELEASE_NAME",
                                .brief = "download the manifest for a named release",
                                .text = kText,
                                .args = ArgsRule::exactly(1),
                                .needs = Needs::kCluster,
                                .complete = one_release});

}  // namespace pintle::cli
