// Candidates that several commands offer: charts, versions, repositories, releases, formats.
#pragma once

#include "cli/command.h"
#include "cli/complete.h"

namespace pintle::cli {

using Args = std::span<const std::string>;

void complete_global_flags(Flags& flags);

// Repositories, charts of a repository, URL prefixes, and local entries if `files`.
Candidates complete_charts(Session& session, std::string_view word, bool files);
// Versions of "repository/chart" in the cached index.
Candidates complete_versions(Session& session, std::string_view chart);
Candidates complete_repositories(Session& session, Args taken);
Candidates complete_plugins(Session& session, Args taken);

// Releases of the namespace (but those in `taken`) and their revisions. Both live in a cluster.
Candidates complete_releases(Session& session, Args taken);
Candidates complete_revisions(Session& session, const std::string& release);

// Ready for Command::complete and Flag::complete.
Candidates nothing_more(Session&, const void*, Args, std::string_view);  // active help
Candidates no_files(Session&, const void*, Args, std::string_view);
Candidates one_file(Session&, const void*, Args args, std::string_view);     // then no more
Candidates one_release(Session&, const void*, Args args, std::string_view);  // then no more
Candidates one_chart(Session&, const void*, Args args, std::string_view);    // then no more
Candidates output_formats(Session&, const void*, Args, std::string_view);
// --revision of the one release named, --version of the one chart named.
Candidates revision_of_release(Session&, const void*, Args args, std::string_view);
Candidates version_of_chart(Session&, const void*, Args args, std::string_view);

}  // namespace pintle::cli
