#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Upload a chart to a registry.

If the chart has an associated provenance file,
it will also be uploaded.)";

struct Options {
  std::string ca_file;
  std::string cert_file;
  bool insecure_skip_tls_verify = false;
  std::string key_file;
  std::string password;
  bool plain_http = false;
  std::string username;
};

void bind(Flags& f, Options& o) {
  f.string("ca-file", o.ca_file,
           "verify certificates of HTTPS-enabled servers using this CA bundle");
  f.string("cert-file", o.cert_file, "identify registry client using this SSL certificate file");
  f.boolean("insecure-skip-tls-verify", o.insecure_skip_tls_verify,
            "skip tls certificate checks for the chart upload");
  f.string("key-file", o.key_file, "identify registry client using this SSL key file");
  f.string("password", o.password, "chart repository password where to locate the requested chart");
  f.boolean("plain-http", o.plain_http, "use insecure HTTP connections for the chart upload");
  f.string("username", o.username, "chart repository username where to locate the requested chart");
}

Status run(Session& s, const Options&) { return needs_world(s); }

Candidates archive_then_registry(Session&, const void*, Args args, std::string_view) {
  if (args.empty()) return {};
  if (args.size() == 1) return {{"oci://"}, kNoFiles | kNoSpace};
  return no_more_args();
}

}  // namespace

constinit const Command kPush = define<Options, bind, run>({.use = "push [chart] [remote]",
                                                            .brief = "push a chart to remote",
                                                            .text = kText,
                                                            .args = ArgsRule::at_least(2),
                                                            .needs = Needs::kNetwork,
                                                            .complete = archive_then_registry});

}  // namespace pintle::cli
