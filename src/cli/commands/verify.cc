#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/provenance.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Verify that the given chart has a valid provenance file.

Provenance files provide cryptographic verification that a chart has not been
tampered with, and was packaged by a trusted provider.

This command can be used to verify a local chart. Several other commands provide
'--verify' flags that run the same validation. To generate a signed package, use
the 'helm package --sign' command.)";

struct Options {
  std::string keyring;
};

void bind(Flags& f, Options& o, const Session& s) {
  o.keyring = default_keyring(s.env);
  f.string("keyring", o.keyring, "keyring containing public keys");
}

Status run(Session& s, const Options& o) {
  s.print(TRY(verify_chart(s, s.args[0], o.keyring)));
  return ok();
}

}  // namespace

constinit const Command kVerify = define<Options, bind, run>(
    {.use = "verify PATH",
     .brief = "verify that a chart at the given path has been signed and is valid",
     .text = kText,
     .args = ArgsRule::exactly(1),
     .needs = Needs::kFiles,
     .complete = one_file});

}  // namespace pintle::cli
