#include "cli/commands/commands.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command verifies that a Helm plugin has a valid provenance file,
and that the provenance file is signed by a trusted PGP key.

It supports both:
- Plugin tarballs (.tgz or .tar.gz files)
- Installed plugin directories

For installed plugins, use the path shown by 'helm env HELM_PLUGINS' followed
by the plugin name. For example:
  helm plugin verify ~/.local/share/helm/plugins/example-cli

To generate a signed plugin, use the 'helm plugin package --sign' command.)";

struct Options {
  std::string keyring;
};

void bind(Flags& f, Options& o, const Session& s) {
  o.keyring = default_keyring(s.env);
  f.string("keyring", o.keyring, "keyring containing public keys");
}

Status run(Session& s, const Options&) { return needs_world(s); }

}  // namespace

constinit const Command kPluginVerify = define<Options, bind, run>(
    {.use = "verify [PATH]",
     .brief = "verify that a plugin at the given path has been signed and is valid",
     .text = kText,
     .args = ArgsRule::exactly(1),
     .needs = Needs::kFiles,
     .helm4_only = true});

}  // namespace pintle::cli
