#include "base/gotext.h"
#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Generate documentation files for Helm.

This command can generate documentation for Helm in the following formats:

- Markdown
- Man pages

It can also generate bash autocompletions.)";

Candidates doc_types(Session&, const void*, Args, std::string_view) {
  return {{"bash", "man", "markdown"}, kNoFiles};
}

struct Options {
  std::string dir = "./";
  bool generate_headers = false;
  std::string type = "markdown";
};

void bind(Flags& f, Options& o) {
  f.string("dir", o.dir, "directory to which documentation is written");
  f.boolean("generate-headers", o.generate_headers, "generate standard headers for markdown files");
  f.string("type", o.type, "the type of documentation to generate (markdown, man, bash)")
      .complete(doc_types);
}

Status run(Session& s, const Options& o) {
  for (std::string_view known : {"markdown", "mdown", "md", "man", "bash"}) {
    if (o.type == known) return needs_world(s);
  }
  return Error(Code::kInvalidArgument,
               "unknown doc type " + quote(o.type) + ". Try 'markdown' or 'man'");
}

}  // namespace

constinit const Command kDocs =
    define<Options, bind, run>({.use = "docs",
                                .brief = "generate documentation as markdown or man pages",
                                .text = kText,
                                .args = ArgsRule::none(),
                                .hidden = true,
                                .complete = nothing_more});

}  // namespace pintle::cli
