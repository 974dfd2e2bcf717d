#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command allows you to install a plugin from a url to a VCS repo or a local path.

By default, plugin signatures are verified before installation when installing from
tarballs (.tgz or .tar.gz). A corresponding .prov file must be available alongside
the tarball; installation will fail if it is missing or invalid.
For local development, plugins installed from local directories are automatically
treated as "local dev" and do not require signatures.
Use --verify=false to explicitly skip signature verification (NOT recommended).)";

// Helm 3.22
constexpr std::string_view kTextHelm3 = R"(
This command allows you to install a plugin from a url to a VCS repo or a local path.)";

struct Options {
  std::string ca_file;
  std::string cert_file;
  bool insecure_skip_tls_verify = false;
  std::string key_file;
  std::string keyring;
  std::string password;
  bool plain_http = false;
  std::string username;
  bool verify = true;
  std::string version;
};

void bind(Flags& f, Options& o, const Session& s) {
  if (!s.helm3()) {
    f.string("ca-file", o.ca_file,
             "verify certificates of HTTPS-enabled servers using this CA bundle");
    f.string("cert-file", o.cert_file, "identify registry client using this SSL certificate file");
    f.boolean("insecure-skip-tls-verify", o.insecure_skip_tls_verify,
              "skip tls certificate checks for the plugin download");
    f.string("key-file", o.key_file, "identify registry client using this SSL key file");
  }
  o.keyring = default_keyring(s.env);
  if (!s.helm3()) {
    f.string("keyring", o.keyring, "location of public keys used for verification");
    f.string("password", o.password, "registry password");
    f.boolean("plain-http", o.plain_http, "use insecure HTTP connections for the plugin download");
    f.string("username", o.username, "registry username");
    f.boolean("verify", o.verify, "verify the plugin signature before installing");
  }
  f.string("version", o.version,
           "specify a version constraint. If this is not specified, the latest version is "
           "installed");
}

Status run(Session& s, const Options&) { return needs_world(s); }

}  // namespace

constinit const Command kPluginInstall =
    define<Options, bind, run>({.use = "install [options] <path|url>",
                                .brief = "install a Helm plugin",
                                .text = kText,
                                .text_helm3 = kTextHelm3,
                                .aliases = {"add"},
                                .args = ArgsRule::exactly(1),
                                .needs = Needs::kNetwork,
                                .complete = one_file});

}  // namespace pintle::cli
