#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/output.h"
#include "cli/plugins.h"

namespace pintle::cli {
namespace {

struct Options {
  std::string type;
};

void bind(Flags& f, Options& o, const Session& s) {
  if (!s.helm3()) {
    f.string("type", o.type, "Plugin type");
  }
}

// Only what the directory itself tells: a link is a working copy, and without a saved archive and
// its .prov file there is nothing signed.
std::string provenance(Session& s, const Plugin& p) {
  const auto installed = s.env.disk.lstat(data_path(s.env, cat("plugins/", p.name)));
  if (!installed) return "unknown";
  if (installed->type == sys::FileType::kSymlink) return "local dev";
  const std::string saved = data_path(s.env, cat("plugins/", p.name, "-", p.version, ".tgz.prov"));
  return s.env.disk.stat(saved) ? "unknown" : "unsigned";
}

Status run(Session& s, const Options& o) {
  Table table;
  if (s.helm3()) {
    table.add({"NAME", "VERSION", "DESCRIPTION"});
  } else {
    table.add({"NAME", "VERSION", "TYPE", "APIVERSION", "PROVENANCE", "SOURCE"});
  }
  for (const Plugin& p : TRY(find_plugins(s, o.type))) {
    if (s.helm3()) {
      table.add({p.name, p.version, p.short_help});
    } else {
      table.add({p.name, p.version, p.type, p.api_version, provenance(s, p),
                 p.source_url.empty() ? "unknown" : p.source_url});
    }
  }
  s.print(table.text() + "\n");
  return ok();
}

}  // namespace

constinit const Command kPluginList =
    define<Options, bind, run>({.use = "list",
                                .brief = "list installed Helm plugins",
                                .aliases = {"ls"},
                                .needs = Needs::kFiles,
                                .complete = nothing_more});

}  // namespace pintle::cli
