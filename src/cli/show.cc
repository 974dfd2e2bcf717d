#include "cli/show.h"

#include "cli/tls_files.h"

namespace pintle::cli {

Status run_show(Session& s, const ChartPathFlags& where, bool devel,
                const action::ShowOptions& options) {
  TRY(check_tls_files(s, tls_files(where)));
  s.log("DEBUG", "original chart version", {{"version", where.version}});
  ChartPathFlags at = where;
  if (at.version.empty() && devel) s.log("DEBUG", "setting version to >0.0.0-0");
  at.version = chart_version(where, devel);
  const std::string path = TRY(locate_chart(s, at, s.args[0]));
  action::Context context = action_context(s);
  s.print(TRY(action::show(context, path, options)));
  return ok();
}

}  // namespace pintle::cli
