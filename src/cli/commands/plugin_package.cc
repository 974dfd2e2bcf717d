#include "cli/commands/commands.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command packages a Helm plugin directory into a tarball.

By default, the command will generate a provenance file signed with a PGP key.
This ensures the plugin can be verified after installation.

Use --sign=false to skip signing (not recommended for distribution).)";

struct Options {
  std::string destination = ".";
  std::string key;
  std::string keyring;
  std::string passphrase_file;
  bool sign = true;
};

void bind(Flags& f, Options& o, const Session& s) {
  f.string("destination", o.destination, "location to write the plugin tarball.", 'd');
  f.string("key", o.key, "name of the key to use when signing. Used if --sign is true");
  o.keyring = default_keyring(s.env);
  f.string("keyring", o.keyring, "location of a public keyring");
  f.string("passphrase-file", o.passphrase_file,
           "location of a file which contains the passphrase for the signing key. Use \"-\" to "
           "read from stdin.");
  f.boolean("sign", o.sign, "use a PGP private key to sign this plugin");
}

Status run(Session& s, const Options&) { return needs_world(s); }

}  // namespace

constinit const Command kPluginPackage =
    define<Options, bind, run>({.use = "package [PATH]",
                                .brief = "package a plugin directory into a plugin archive",
                                .text = kText,
                                .args = ArgsRule::exactly(1),
                                .needs = Needs::kFiles,
                                .helm4_only = true});

}  // namespace pintle::cli
