#include "base/strings.h"
#include "cli/cluster.h"
#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/output.h"
#include "cli/release_status.h"
#include "regex/regex.h"
#include "json/json.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command lists all of the releases for a specified namespace (uses current namespace context if namespace not specified).

By default, it lists all releases in any status. Individual status filters like '--deployed', '--failed',
'--pending', '--uninstalled', '--superseded', and '--uninstalling' can be used
to show only releases in specific states. Such flags can be combined:
'--deployed --failed'.

By default, items are sorted alphabetically. Use the '-d' flag to sort by
release date.

If the --filter flag is provided, it will be treated as a filter. Filters are
regular expressions (Perl compatible) that are applied to the list of releases.
Only items that match the filter will be returned.

    $ helm list --filter 'ara[a-z]+'
    NAME                UPDATED                                  CHART
    maudlin-arachnid    2020-06-18 14:17:46.125134977 +0000 UTC  alpine-0.1.0

If no results are found, 'helm list' will exit 0, but with no output (or in
the case of no '-q' flag, only headers).

By default, up to 256 items may be returned. To limit this, use the '--max' flag.
Setting '--max' to 0 will not return all results. Rather, it will return the
server's default, which may be much higher than 256. Pairing the '--max'
flag with the '--offset' flag allows you to page through results.)";

// Helm 3.22
constexpr std::string_view kTextHelm3 = R"(
This command lists all of the releases for a specified namespace (uses current namespace context if namespace not specified).

By default, it lists only releases that are deployed or failed. Flags like
'--uninstalled' and '--all' will alter this behavior. Such flags can be combined:
'--uninstalled --failed'.

By default, items are sorted alphabetically. Use the '-d' flag to sort by
release date.

If the --filter flag is provided, it will be treated as a filter. Filters are
regular expressions (Perl compatible) that are applied to the list of releases.
Only items that match the filter will be returned.

    $ helm list --filter 'ara[a-z]+'
    NAME                UPDATED                                  CHART
    maudlin-arachnid    2020-06-18 14:17:46.125134977 +0000 UTC  alpine-0.1.0

If no results are found, 'helm list' will exit 0, but with no output (or in
the case of no '-q' flag, only headers).

By default, up to 256 items may be returned. To limit this, use the '--max' flag.
Setting '--max' to 0 will not return all results. Rather, it will return the
server's default, which may be much higher than 256. Pairing the '--max'
flag with the '--offset' flag allows you to page through results.)";

struct Options {
  bool all_namespaces = false;
  bool date = false;
  bool deployed = false;
  bool failed = false;
  std::string filter;
  int64_t max = 256;
  bool no_headers = false;
  int64_t offset = 0;
  Format output = Format::kTable;
  bool pending = false;
  bool reverse = false;
  std::string selector;
  bool brief = false;
  bool superseded = false;
  std::string time_format;
  bool uninstalled = false;
  bool uninstalling = false;
  bool all = false;  // Helm 3
};

void bind(Flags& f, Options& o, const Session& s) {
  f.boolean("all-namespaces", o.all_namespaces, "list releases across all namespaces", 'A');
  f.boolean("date", o.date, "sort by release date", 'd');
  f.boolean("deployed", o.deployed,
            s.helm3() ? "show deployed releases. If no other is specified, this will be "
                        "automatically enabled"
                      : "show deployed releases");
  f.boolean("failed", o.failed, "show failed releases");
  f.string("filter", o.filter,
           "a regular expression (Perl compatible). Any releases that match the expression will "
           "be included in the results",
           'f');
  f.integer("max", o.max, "maximum number of releases to fetch", 'm');
  f.boolean("no-headers", o.no_headers, "don't print headers when using the default output format");
  f.integer("offset", o.offset, "next release index in the list, used to offset from start value");
  bind_output(f, o.output);
  f.boolean("pending", o.pending, "show pending releases");
  f.boolean("reverse", o.reverse, "reverse the sort order", 'r');
  f.string("selector", o.selector,
           "Selector (label query) to filter on, supports '=', '==', and '!='.(e.g. -l "
           "key1=value1,key2=value2). Works only for secret(default) and configmap storage "
           "backends.",
           'l');
  f.boolean("short", o.brief, "output short (quiet) listing format", 'q');
  f.boolean("superseded", o.superseded, "show superseded releases");
  f.string("time-format", o.time_format,
           "format time using golang time formatter. Example: --time-format \"2006-01-02 "
           "15:04:05Z0700\"");
  f.boolean("uninstalled", o.uninstalled,
            "show uninstalled releases (if 'helm uninstall --keep-history' was used)");
  f.boolean("uninstalling", o.uninstalling, "show releases that are currently being uninstalled");
  if (s.helm3()) {
    f.boolean("all", o.all, "show all releases without any filter applied", 'a');
  }
}

std::vector<std::string> states(const Options& o, bool helm3) {
  std::vector<std::string> out;
  const auto add = [&](bool wanted, std::initializer_list<const char*> names) {
    if (wanted) out.insert(out.end(), names.begin(), names.end());
  };
  if (helm3 && o.all) return out;
  add(o.deployed, {"deployed"});
  add(o.uninstalled, {"uninstalled"});
  add(o.uninstalling, {"uninstalling"});
  add(o.pending, {"pending-install", "pending-rollback", "pending-upgrade"});
  add(o.failed, {"failed"});
  add(o.superseded, {"superseded"});
  if (helm3 && out.empty()) out = {"deployed", "failed"};
  return out;
}

action::ListOrder order(const Options& o) {
  if (o.date) return o.reverse ? action::ListOrder::kDateDescending : action::ListOrder::kDate;
  return o.reverse ? action::ListOrder::kNameDescending : action::ListOrder::kName;
}

std::string updated(const Options& o, const release::Record& r) {
  return r.last_deployed.zero() ? "-" : go_time_text(r.last_deployed, o.time_format);
}

std::string table_text(const Session& s, const Options& o,
                       const std::vector<release::Record>& records) {
  const bool color = !s.helm3() && use_color(s.env, s.settings);
  Table table;
  if (!o.no_headers) {
    std::vector<std::string> header;
    for (std::string_view name :
         {"NAME", "NAMESPACE", "REVISION", "UPDATED", "STATUS", "CHART", "APP VERSION"}) {
      header.push_back(colored_header(name, color));
    }
    table.add(std::move(header));
  }
  for (const release::Record& r : records) {
    table.add({r.name, colored_namespace(r.namespace_, color), std::to_string(r.version),
               updated(o, r), colored_status(r.status, color), release::chart_label(r),
               release::app_version(r)});
  }
  return table.text() + "\n";
}

std::string json_text(const Options& o, const std::vector<release::Record>& records) {
  Strings rows;
  for (const release::Record& r : records) {
    JsonObject row;
    row.add("name", r.name).add("namespace", r.namespace_);
    row.add("revision", std::to_string(r.version)).add("updated", updated(o, r));
    row.add("status", r.status).add("chart", release::chart_label(r));
    rows.push_back(row.add("app_version", release::app_version(r)).close());
  }
  return json_array(rows);
}

Result<std::string> names_text(Format format, const std::vector<release::Record>& records) {
  std::string lines;
  Strings quoted;
  for (const release::Record& r : records) {
    append(lines, {r.name, "\n"});
    json::append_string(quoted.emplace_back(), r.name);
  }
  return format == Format::kTable ? lines : structured(format, json_array(quoted));
}

Status run(Session& s, const Options& o) {
  action::ListOptions options;
  if (!o.filter.empty()) {
    options.filter = [regex = TRY(regex::Regex::compile(o.filter))](std::string_view name) {
      return regex->matches(name);
    };
  }
  options.states = states(o, s.helm3());
  options.selector = o.selector;
  options.order = order(o);
  options.offset = o.offset;
  options.limit = o.max;
  auto world = TRY(open_cluster(s, o.all_namespaces));
  auto context = release_context(s, *world);
  const auto records = TRY(action::list(context, options));
  if (o.brief) {
    s.print(TRY(names_text(o.output, records)));
  } else if (o.output == Format::kTable) {
    s.print(table_text(s, o, records));
  } else {
    s.print(TRY(structured(o.output, json_text(o, records))));
  }
  return ok();
}

}  // namespace

constinit const Command kList = define<Options, bind, run>({.use = "list",
                                                            .brief = "list releases",
                                                            .text = kText,
                                                            .text_helm3 = kTextHelm3,
                                                            .aliases = {"ls"},
                                                            .args = ArgsRule::none(),
                                                            .needs = Needs::kCluster,
                                                            .complete = nothing_more});

}  // namespace pintle::cli
