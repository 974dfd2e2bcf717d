#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/flag_groups.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Retrieve a package from a package repository, and download it locally.

This is useful for fetching packages to inspect, modify, or repackage. It can
also be used to perform cryptographic verification of a chart without installing
the chart.

There are options for unpacking the chart after download. This will create a
directory for the chart and uncompress into that directory.

If the --verify flag is specified, the requested chart MUST have a provenance
file, and MUST pass the verification process. Failure in any part of this will
result in an error, and the chart will not be saved locally.)";

struct Options {
  ChartPathFlags chart;
  std::string destination = ".";
  bool devel = false;
  bool prov = false;
  bool untar = false;
  std::string untardir = ".";
};

void bind(Flags& f, Options& o, const Session& s) {
  bind_chart_path(f, o.chart, s.env);
  f.string("destination", o.destination,
           "location to write the chart. If this and untardir are specified, untardir is "
           "appended to this",
           'd');
  f.boolean("devel", o.devel,
            "use development versions, too. Equivalent to version '>0.0.0-0'. If --version is "
            "set, this is ignored.");
  f.boolean("prov", o.prov, "fetch the provenance file, but don't perform verification");
  f.boolean("untar", o.untar, "if set to true, will untar the chart after downloading it");
  f.string("untardir", o.untardir,
           "if untar is specified, this flag specifies the name of the directory into which the "
           "chart is expanded");
}

Status run(Session& s, const Options&) { return needs_world(s); }

Candidates one_remote_chart(Session& s, const void*, Args args, std::string_view word) {
  return args.empty() ? complete_charts(s, word, false) : Candidates{{}, kNoFiles};
}

}  // namespace

constinit const Command kPull = define<Options, bind, run>(
    {.use = "pull [chart URL | repo/chartname] [...]",
     .brief = "download a chart from a repository and (optionally) unpack it in local directory",
     .text = kText,
     .aliases = {"fetch"},
     .args = ArgsRule::at_least(1),
     .needs = Needs::kNetwork,
     .complete = one_remote_chart});

}  // namespace pintle::cli
