#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Read the current directory, generate an index file based on the charts found
and write the result to 'index.yaml' in the current directory.

This tool is used for creating an 'index.yaml' file for a chart repository. To
set an absolute URL to the charts, use '--url' flag.

To merge the generated index with an existing index file, use the '--merge'
flag. In this case, the charts found in the current directory will be merged
into the index passed in with --merge, with local charts taking priority over
existing charts.)";

struct Options {
  bool json = false;
  std::string merge;
  std::string url;
};

void bind(Flags& f, Options& o) {
  f.boolean("json", o.json, "output in JSON format");
  f.string("merge", o.merge, "merge the generated index into the given index");
  f.string("url", o.url, "url of chart repository");
}

Status run(Session& s, const Options&) { return needs_world(s); }

}  // namespace

constinit const Command kRepoIndex = define<Options, bind, run>(
    {.use = "index [DIR]",
     .brief = "generate an index file given a directory containing packaged charts",
     .text = kText,
     .args = ArgsRule::exactly(1),
     .needs = Needs::kFiles,
     .complete = one_file});

}  // namespace pintle::cli
