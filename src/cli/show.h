// What the five show commands share.
#pragma once

#include "action/show.h"
#include "cli/session.h"

namespace pintle::cli {

Status run_show(Session& s, const ChartPathFlags& where, bool devel,
                const action::ShowOptions& options);

}  // namespace pintle::cli
