#include "base/strings.h"
#include "cli/chart_search.h"
#include "cli/commands/commands.h"
#include "cli/output.h"
#include "cli/repositories.h"
#include "yaml/yaml.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Search reads through all of the repositories configured on the system, and
looks for matches. Search of these repositories uses the metadata stored on
the system.

It will display the latest stable versions of the charts found. If you
specify the --devel flag, the output will include pre-release versions.
If you want to search using a version constraint, use --version.

Examples:

    # Search for stable release versions matching the keyword "nginx"
    $ helm search repo nginx

    # Search for release versions matching the keyword "nginx", including pre-release versions
    $ helm search repo nginx --devel

    # Search for the latest stable release for nginx-ingress with a major version of 1
    $ helm search repo nginx-ingress --version ^1.0.0

Repositories are managed with 'helm repo' commands.)";

struct Options {
  bool devel = false;
  bool fail_on_no_result = false;
  uint64_t max_col_width = 50;
  Format output = Format::kTable;
  bool regexp = false;
  std::string version;
  bool versions = false;
};

void bind(Flags& f, Options& o) {
  f.boolean("devel", o.devel,
            "use development versions (alpha, beta, and release candidate releases), too. "
            "Equivalent to version '>0.0.0-0'. If --version is set, this is ignored");
  f.boolean("fail-on-no-result", o.fail_on_no_result, "search fails if no results are found");
  f.count("max-col-width", o.max_col_width, "maximum column width for output table");
  bind_output(f, o.output);
  f.boolean("regexp", o.regexp, "use regular expressions for searching repositories you have added",
            'r');
  f.string("version", o.version,
           "search using semantic versioning constraints on repositories you have added");
  f.boolean("versions", o.versions,
            "show the long listing, with each version of each chart on its own line, for "
            "repositories you have added",
            'l');
}

Result<ChartSearch> build_index(Session& s, bool all) {
  const RepositoryFile file = load_repositories(s.env, s.settings.repository_config);
  if (file.null_row) return *file.error;
  if (file.repositories.empty()) return Error("no repositories configured");
  ChartSearch search;
  for (const Repository& repository : file.repositories) {
    const std::string path = cached_index_path(s.settings.repository_cache, repository.name);
    const auto index = load_index(s.env, path, s.log);
    if (!index) {
      s.log("WARN", "repo is corrupt or missing",
            {{"repo", repository.name}, {"error", index.error().text()}});
      continue;
    }
    search.add(repository.name, *index, all);
  }
  return search;
}

Result<std::string> text(const std::vector<ChartHit>& hits, const Options& o) {
  if (hits.empty() && o.fail_on_no_result) return Error("no results found");
  if (o.output == Format::kJson) {
    std::vector<std::string> rows;
    for (const ChartHit& hit : hits) {
      rows.push_back(JsonObject()
                         .add("name", hit.name)
                         .add("version", hit.chart.version)
                         .add("app_version", hit.chart.app_version)
                         .add("description", hit.chart.description)
                         .close());
    }
    return json_array(rows) + "\n";
  }
  if (o.output == Format::kYaml) {
    std::vector<value::Value> rows;
    for (const ChartHit& hit : hits) {
      const auto row = value::make_map();
      row->set("name", value::str(hit.name));
      row->set("version", value::str(hit.chart.version));
      row->set("app_version", value::str(hit.chart.app_version));
      row->set("description", value::str(hit.chart.description));
      rows.push_back(value::Value::map(row));
    }
    return yaml::write(value::Value::list_of(std::move(rows)));
  }
  if (hits.empty()) return "No results found\n";
  Table table(o.max_col_width);
  table.add({"NAME", "CHART VERSION", "APP VERSION", "DESCRIPTION"});
  for (const ChartHit& hit : hits) {
    table.add({hit.name, hit.chart.version, hit.chart.app_version, hit.chart.description});
  }
  return table.text() + "\n";
}

Status run(Session& s, const Options& o) {
  s.log("DEBUG", "original chart version", {{"version", o.version}});
  std::string wanted = o.version;
  if (wanted.empty()) {
    wanted = o.devel ? ">0.0.0-0" : ">0.0.0";
    s.log("DEBUG", cat("setting version to ", wanted));
  }
  const ChartSearch search = TRY(build_index(s, /*all=*/true));
  const auto hits = TRY(search.find(join(s.args, " "), o.regexp));
  s.print(TRY(text(TRY(constrain(hits, wanted, o.versions)), o)));
  return ok();
}

}  // namespace

constinit const Command kSearchRepo =
    define<Options, bind, run>({.use = "repo [keyword]",
                                .brief = "search repositories for a keyword in charts",
                                .text = kText,
                                .needs = Needs::kFiles});

}  // namespace pintle::cli
