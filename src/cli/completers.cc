#include "cli/completers.h"

#include <algorithm>

#include "base/strings.h"
#include "cli/cluster.h"
#include "cli/plugins.h"
#include "cli/repositories.h"

namespace pintle::cli {
namespace {

Candidates color_modes(Session&, const void*, Args, std::string_view) {
  return {{"never", "auto", "always"}, kNoFiles};
}

Candidates contexts(Session& session, const void*, Args, std::string_view) {
  Candidates out{{}, kNoFiles};
  for (const auto& [name, cluster] : kube_contexts(session.env, session.settings)) {
    out.items.push_back(cat(name, "\t", cluster));
  }
  return out;
}

Candidates cluster_namespaces(Session& session, const void*, Args, std::string_view) {
  const auto world = open_cluster(session);
  if (!world) return {{}, kDefault};
  auto names = namespaces(**world);
  if (!names) return {{}, kDefault};
  return {std::move(*names), kNoFiles};
}

bool taken_already(Args taken, std::string_view name) {
  return std::ranges::find(taken, name) != taken.end();
}

Strings charts_of(Session& session, const std::string& repository) {
  const std::string& cache = session.settings.repository_cache;
  Strings out;
  const auto names = session.env.disk.read_file(cached_charts_path(cache, repository));
  if (names) {
    for (std::string_view line : split(*names, "\n")) {
      line = without_suffix(line, "\r");
      if (!line.empty()) out.push_back(cat(repository, "/", line));
    }
  } else if (names.error().code() == Code::kNotFound) {
    // Slow, but an index from an older version has no list of names beside it.
    if (const auto index = load_index(session.env, cached_index_path(cache, repository), {})) {
      for (const IndexedChart& chart : *index) out.push_back(cat(repository, "/", chart.name));
    }
  }
  return out;
}

// "2006-01-02T..." as "January 2, 2006"; anything else is Go's zero time.
std::string long_date(std::string_view rfc3339) {
  static constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                                 "May",       "June",     "July",     "August",
                                                 "September", "October",  "November", "December"};
  const auto number = [&](size_t at, size_t n) {
    int value = 0;
    for (size_t i = at; i < at + n; ++i) {
      if (i >= rfc3339.size() || rfc3339[i] < '0' || rfc3339[i] > '9') return -1;
      value = value * 10 + (rfc3339[i] - '0');
    }
    return value;
  };
  const int year = number(0, 4), month = number(5, 2), day = number(8, 2);
  if (year < 0 || month < 1 || month > 12 || day < 1) return "January 1, 0001";
  std::string digits = std::to_string(year);
  digits.insert(0, 4 - std::min<size_t>(4, digits.size()), '0');
  return cat(kMonths[month - 1], " ", day, ", ", digits);
}

}  // namespace

void complete_global_flags(Flags& flags) {
  for (std::string_view name : {"color", "colour"}) {
    if (Flag* flag = flags.find(name)) flag->complete(color_modes);
  }
  flags.find("kube-context")->complete(contexts);
  flags.find("namespace")->complete(cluster_namespaces);
}

Candidates complete_charts(Session& session, std::string_view word, bool files) {
  Candidates out;
  bool no_space = false, no_file = !files;
  const auto known = load_repositories(session.env, session.settings.repository_config);
  for (const Repository& repository : known.repositories) {
    if (word.starts_with(repository.name + "/")) {
      const Strings charts = charts_of(session, repository.name);
      out.items.insert(out.items.end(), charts.begin(), charts.end());
      no_space = false;
      break;
    }
    if (repository.name.starts_with(word)) {
      out.items.push_back(cat(repository.name, "/\t", repository.url));
      no_space = true;
    }
  }
  for (std::string_view url : {"oci://\tChart OCI prefix", "https://\tChart URL prefix",
                               "http://\tChart URL prefix", "file://\tChart local URL prefix"}) {
    // Helm compares with the description still attached, so a typed "oci://" offers itself.
    if (!url.starts_with(word)) continue;
    out.items.emplace_back(url);
    no_space = true;
  }
  if (files && !word.empty() && !out.items.empty()) {
    if (const auto entries = session.env.disk.read_dir(".")) {
      for (const sys::FileInfo& entry : *entries) {
        if (entry.name.starts_with(word)) out.items.push_back(entry.name);
      }
    }
  }
  if (files && word.empty()) {
    out.items.emplace_back("./\tRelative path prefix to local chart");
    out.items.emplace_back("/\tAbsolute path prefix to local chart");
  }
  out.directive = (no_file ? kNoFiles : 0) | (no_space ? kNoSpace : 0);
  return out;
}

Candidates complete_versions(Session& session, std::string_view chart) {
  Candidates out{{}, kNoFiles};
  const auto parts = split(chart, "/");
  if (parts.size() != 2) return out;
  const auto index = load_index(
      session.env, cached_index_path(session.settings.repository_cache, parts[0]), session.log);
  if (!index) return out;
  const auto entry = std::ranges::find(*index, parts[1], &IndexedChart::name);
  if (entry == index->end()) return out;
  for (const ChartVersion& v : entry->versions) {
    std::string item = v.version + "\t";
    if (!v.app_version.empty()) append(item, {"App: ", v.app_version, ", "});
    append(item, {"Created: ", long_date(v.created), " ", v.deprecated ? "(deprecated)" : ""});
    out.items.push_back(std::move(item));
  }
  return out;
}

Candidates complete_repositories(Session& session, Args taken) {
  Candidates out{{}, kNoFiles};
  const auto known = load_repositories(session.env, session.settings.repository_config);
  for (const Repository& r : known.repositories) {
    if (!taken_already(taken, r.name)) out.items.push_back(cat(r.name, "\t", r.url));
  }
  return out;
}

Candidates complete_plugins(Session& session, Args taken) {
  Candidates out{{}, kNoFiles};
  if (const auto plugins = find_plugins(session, "cli/v1")) {
    for (const Plugin& p : *plugins) {
      if (!taken_already(taken, p.name)) out.items.push_back(cat(p.name, "\t", p.short_help));
    }
  }
  return out;
}

// Without a cluster there is nothing to name; Helm leaves the shell to its files then.
Candidates complete_releases(Session& session, Args taken) {
  const auto world = open_cluster(session);
  if (!world) return {{}, kDefault};
  auto context = release_context(session, **world);
  const auto records = action::list(context, {});
  if (!records) return {{}, kDefault};
  Candidates out{{}, kNoFiles};
  for (const release::Record& r : *records) {
    if (taken_already(taken, r.name)) continue;
    out.items.push_back(cat(r.name, "\t", release::chart_label(r), " -> ", r.status));
  }
  return out;
}

Candidates complete_revisions(Session& session, const std::string& release) {
  const auto world = open_cluster(session);
  if (!world) return {{}, kError};
  auto context = release_context(session, **world);
  const auto records = action::history(context, release, -1);
  if (!records) return {{}, kError};
  Candidates out{{}, kNoFiles};
  for (const release::Record& r : *records) {
    out.items.push_back(cat(r.version, "\tApp: ", release::chart_text(r, "appVersion"),
                            ", Chart: ", release::chart_label(r)));
  }
  return out;
}

Candidates nothing_more(Session&, const void*, Args, std::string_view) { return no_more_args(); }

Candidates no_files(Session&, const void*, Args, std::string_view) { return {{}, kNoFiles}; }

Candidates one_file(Session&, const void*, Args args, std::string_view) {
  return args.empty() ? Candidates{} : no_more_args();
}

Candidates one_release(Session& session, const void*, Args args, std::string_view) {
  return args.empty() ? complete_releases(session, args) : no_more_args();
}

Candidates one_chart(Session& session, const void*, Args args, std::string_view word) {
  return args.empty() ? complete_charts(session, word, true) : no_more_args();
}

Candidates output_formats(Session&, const void*, Args, std::string_view) {
  return {{"json\tOutput result in JSON format", "table\tOutput result in human-readable format",
           "yaml\tOutput result in YAML format"},
          kNoFiles};
}

Candidates revision_of_release(Session& session, const void*, Args args, std::string_view) {
  return args.size() == 1 ? complete_revisions(session, args[0]) : Candidates{{}, kNoFiles};
}

Candidates version_of_chart(Session& session, const void*, Args args, std::string_view) {
  return args.size() == 1 ? complete_versions(session, args[0]) : Candidates{{}, kNoFiles};
}

}  // namespace pintle::cli
