// A release as the user sees it: the status page (helm pkg/cmd/status.go), or its JSON and YAML.
#pragma once

#include <string>

#include "cli/command.h"
#include "cli/output.h"
#include "release/record.h"

namespace pintle::cli {

struct StatusView {
  bool debug = false;        // values, hooks and manifest too
  bool metadata = false;     // the chart's name and versions
  bool description = true;   // Helm 3 shows it only when asked
  bool hide_notes = false;
};
Result<std::string> status_page(const Session& s, const release::Record& record,
                                const StatusView& view);
// In the format asked for; ends in a newline.
Result<std::string> release_text(const Session& s, const release::Record& record, Format format,
                                 const StatusView& view);
// JSON text as the format: as it is, or turned into YAML.
Result<std::string> structured(Format format, std::string json);

// time.ANSIC: "Mon Jan _2 15:04:05 2006", in the time's own zone.
std::string ansic_time(const release::Time& time);
// With Go's layout; "" is Time.String().
std::string go_time_text(const release::Time& time, std::string_view layout);

std::string colored_status(std::string_view status, bool color);
std::string colored_namespace(std::string_view ns, bool color);
std::string colored_header(std::string_view text, bool color);

}  // namespace pintle::cli
