#include "cli/commands/commands.h"
#include "cli/output.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Search for Helm charts in the Artifact Hub or your own hub instance.

Artifact Hub is a web-based application that enables finding, installing, and
publishing packages and configurations for CNCF projects, including publicly
available distributed charts Helm charts. It is a Cloud Native Computing
Foundation sandbox project. You can browse the hub at https://artifacthub.io/

The [KEYWORD] argument accepts either a keyword string, or quoted string of rich
query options. For rich query options documentation, see
https://artifacthub.github.io/hub/api/?urls.primaryName=Monocular%20compatible%20search%20API#/Monocular/get_api_chartsvc_v1_charts_search

Previous versions of Helm used an instance of Monocular as the default
'endpoint', so for backwards compatibility Artifact Hub is compatible with the
Monocular search API. Similarly, when setting the 'endpoint' flag, the specified
endpoint must also be implement a Monocular compatible search API endpoint.
Note that when specifying a Monocular instance as the 'endpoint', rich queries
are not supported. For API details, see https://github.com/helm/monocular)";

struct Options {
  std::string endpoint = "https://hub.helm.sh";
  bool fail_on_no_result = false;
  bool list_repo_url = false;
  uint64_t max_col_width = 50;
  Format output = Format::kTable;
};

void bind(Flags& f, Options& o) {
  f.string("endpoint", o.endpoint, "Hub instance to query for charts");
  f.boolean("fail-on-no-result", o.fail_on_no_result, "search fails if no results are found");
  f.boolean("list-repo-url", o.list_repo_url, "print charts repository URL");
  f.count("max-col-width", o.max_col_width, "maximum column width for output table");
  bind_output(f, o.output);
}

Status run(Session& s, const Options&) { return needs_world(s); }

}  // namespace

constinit const Command kSearchHub = define<Options, bind, run>(
    {.use = "hub [KEYWORD]",
     .brief = "search for charts in the Artifact Hub or your own hub instance",
     .text = kText,
     .needs = Needs::kNetwork});

}  // namespace pintle::cli
