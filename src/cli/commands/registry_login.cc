#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Authenticate to a remote registry.

For example for Github Container Registry:

    echo "$GITHUB_TOKEN" | helm registry login ghcr.io -u $GITHUB_USER --password-stdin)";

// Helm 3.22
constexpr std::string_view kTextHelm3 = R"(
Authenticate to a remote registry.)";

struct Options {
  std::string ca_file;
  std::string cert_file;
  bool insecure = false;
  std::string key_file;
  std::string password;
  bool password_stdin = false;
  bool plain_http = false;
  std::string username;
};

void bind(Flags& f, Options& o) {
  f.string("ca-file", o.ca_file,
           "verify certificates of HTTPS-enabled servers using this CA bundle");
  f.string("cert-file", o.cert_file, "identify registry client using this SSL certificate file");
  f.boolean("insecure", o.insecure, "allow connections to TLS registry without certs");
  f.string("key-file", o.key_file, "identify registry client using this SSL key file");
  f.string("password", o.password, "registry password or identity token", 'p');
  f.boolean("password-stdin", o.password_stdin, "read password or identity token from stdin");
  f.boolean("plain-http", o.plain_http, "use insecure HTTP connections for the chart upload");
  f.string("username", o.username, "registry username", 'u');
}

Status run(Session& s, const Options&) { return needs_world(s); }

}  // namespace

constinit const Command kRegistryLogin = define<Options, bind, run>({.use = "login [host]",
                                                                     .brief = "login to a registry",
                                                                     .text = kText,
                                                                     .text_helm3 = kTextHelm3,
                                                                     .args = ArgsRule::at_least(1),
                                                                     .needs = Needs::kNetwork,
                                                                     .complete = no_files});

}  // namespace pintle::cli
