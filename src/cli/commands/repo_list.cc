#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/output.h"
#include "cli/repositories.h"
#include "yaml/yaml.h"

namespace pintle::cli {
namespace {

struct Options {
  bool no_headers = false;
  Format output = Format::kTable;
};

void bind(Flags& f, Options& o, const Session& s) {
  if (!s.helm3()) {
    f.boolean("no-headers", o.no_headers, "suppress headers in the output");
  }
  bind_output(f, o.output);
}

Result<std::string> text(const std::vector<Repository>& all, const Options& o) {
  if (o.output == Format::kJson) {
    std::vector<std::string> rows;
    for (const Repository& r : all) {
      rows.push_back(JsonObject().add("name", r.name).add("url", r.url).close());
    }
    return json_array(rows) + "\n";
  }
  if (o.output == Format::kYaml) {
    std::vector<value::Value> rows;
    for (const Repository& r : all) {
      const auto row = value::make_map();
      row->set("name", value::str(r.name));
      row->set("url", value::str(r.url));
      rows.push_back(value::Value::map(row));
    }
    return yaml::write(value::Value::list_of(std::move(rows)));
  }
  Table table;
  if (!o.no_headers) table.add({"NAME", "URL"});
  for (const Repository& r : all) table.add({r.name, r.url});
  return table.text() + "\n";
}

Status run(Session& s, const Options& o) {
  const RepositoryFile file = load_repositories(s.env, s.settings.repository_config);
  if (file.null_row) return *file.error;
  if (file.repositories.empty() && o.output == Format::kTable) {
    if (s.helm3()) return Error("no repositories to show");
    s.env.err.write("no repositories to show\n");
    return ok();
  }
  s.print(TRY(text(file.repositories, o)));
  return ok();
}

}  // namespace

constinit const Command kRepoList = define<Options, bind, run>({.use = "list",
                                                                .brief = "list chart repositories",
                                                                .aliases = {"ls"},
                                                                .args = ArgsRule::none(),
                                                                .needs = Needs::kFiles,
                                                                .complete = nothing_more});

}  // namespace pintle::cli
