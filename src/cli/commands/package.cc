#include "action/package.h"

#include "action/dependency.h"
#include "cli/commands/commands.h"
#include "cli/flag_groups.h"
#include "cli/progress.h"
#include "cli/provenance.h"
#include "cli/session.h"
#include "cli/tls_files.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command packages a chart into a versioned chart archive file. If a path
is given, this will look at that path for a chart (which must contain a
Chart.yaml file) and then package that directory.

Versioned chart archives are used by Helm package repositories.

To sign a chart, use the '--sign' flag. In most cases, you should also
provide '--keyring path/to/secret/keys' and '--key keyname'.

  $ helm package --sign ./mychart --key mykey --keyring ~/.gnupg/secring.gpg

If '--keyring' is not specified, Helm usually defaults to the public keyring
unless your environment is otherwise configured.)";

struct Options {
  ConnectionFlags connection;
  std::string app_version;
  bool dependency_update = false;
  std::string destination = ".";
  std::string key;
  std::string keyring;
  std::string passphrase_file;
  bool sign = false;
  std::string version;
};

void bind(Flags& f, Options& o, const Session& s) {
  bind_connection(f, o.connection);
  f.string("app-version", o.app_version, "set the appVersion on the chart to this version");
  f.boolean("dependency-update", o.dependency_update,
            "update dependencies from \"Chart.yaml\" to dir \"charts/\" before packaging", 'u');
  f.string("destination", o.destination, "location to write the chart.", 'd');
  f.string("key", o.key, "name of the key to use when signing. Used if --sign is true");
  o.keyring = default_keyring(s.env);
  f.string("keyring", o.keyring, "location of a public keyring");
  f.string("passphrase-file", o.passphrase_file,
           "location of a file which contains the passphrase for the signing key. Use \"-\" in "
           "order to read from stdin.");
  f.boolean("sign", o.sign, "use a PGP private key to sign this package");
  f.string("version", o.version, "set the version on the chart to this semver version");
}

Status run(Session& s, const Options& o) {
  if (s.args.empty()) return Error("need at least one argument, the path to the chart");
  const auto epoch = TRY(source_date_epoch(s));
  if (o.sign) {
    if (o.key.empty()) return Error("--key is required for signing a package");
    if (o.keyring.empty()) return Error("--keyring is required for signing a package");
  }
  TRY(check_tls_files(s, tls_files(o.connection)));
  action::Context context = action_context(s);
  for (const std::string& arg : s.args) {
    const std::string path = TRY(sys::absolute(s.env.disk, arg));
    TRY(s.env.disk.stat(arg));
    auto progress = std::make_unique<Progress>(s, "packaging " + arg);
    if (o.dependency_update) {
      action::Context quiet = context;
      quiet.out = [](std::string_view) {};
      TRY(action::dependency_update(quiet, path,
                                    {.keyring = o.keyring, .source_date_epoch = epoch}));
    }
    action::PackageOptions options{.version = o.version,
                                   .app_version = o.app_version,
                                   .destination = o.destination,
                                   .source_date_epoch = epoch,
                                   .sign = {}};
    if (o.sign) {
      options.sign = [&, sign = chart_signer(s, o.key, o.keyring, o.passphrase_file)](
                         const std::string& archive) {
        progress.reset();  // a passphrase may be asked for
        return sign(archive);
      };
    }
    const std::string archive = TRY(action::package(context, path, options));
    progress.reset();
    s.print("Successfully packaged chart and saved it to: " + archive + "\n");
  }
  return ok();
}

}  // namespace

constinit const Command kPackage =
    define<Options, bind, run>({.use = "package [CHART_PATH] [...]",
                                .brief = "package a chart directory into a chart archive",
                                .text = kText,
                                .needs = Needs::kFiles});

}  // namespace pintle::cli
