#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

struct Options {
  bool allow_deprecated_repos = false;
  std::string ca_file;
  std::string cert_file;
  bool force_update = false;
  bool insecure_skip_tls_verify = false;
  std::string key_file;
  bool pass_credentials = false;
  std::string password;
  bool password_stdin = false;
  Duration timeout{120'000'000'000};
  std::string username;
  bool no_update = false;  // Helm 3
};

void bind(Flags& f, Options& o, const Session& s) {
  f.boolean("allow-deprecated-repos", o.allow_deprecated_repos,
            "by default, this command will not allow adding official repos that have been "
            "permanently deleted. This disables that behavior");
  f.string("ca-file", o.ca_file,
           "verify certificates of HTTPS-enabled servers using this CA bundle");
  f.string("cert-file", o.cert_file, "identify HTTPS client using this SSL certificate file");
  f.boolean("force-update", o.force_update, "replace (overwrite) the repo if it already exists");
  f.boolean("insecure-skip-tls-verify", o.insecure_skip_tls_verify,
            "skip tls certificate checks for the repository");
  f.string("key-file", o.key_file, "identify HTTPS client using this SSL key file");
  f.boolean("pass-credentials", o.pass_credentials, "pass credentials to all domains");
  f.string("password", o.password, "chart repository password");
  f.boolean("password-stdin", o.password_stdin, "read chart repository password from stdin");
  f.duration("timeout", o.timeout, "time to wait for the index file download to complete");
  f.string("username", o.username, "chart repository username");
  if (s.helm3()) {
    f.boolean("no-update", o.no_update,
              "Ignored. Formerly, it would disabled forced updates. It is deprecated by "
              "force-update.");
  }
}

Status run(Session& s, const Options&) { return needs_world(s); }

Candidates name_then_url(Session&, const void*, Args args, std::string_view) {
  return args.size() > 1 ? no_more_args() : Candidates{{}, kNoFiles};
}

}  // namespace

constinit const Command kRepoAdd = define<Options, bind, run>({.use = "add [NAME] [URL]",
                                                               .brief = "add a chart repository",
                                                               .args = ArgsRule::exactly(2),
                                                               .needs = Needs::kNetwork,
                                                               .complete = name_then_url});

}  // namespace pintle::cli
