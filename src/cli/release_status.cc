#include "cli/release_status.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "chart/values.h"
#include "cli/resource_table.h"
#include "funcs/go_time.h"
#include "json/json.h"
#include "yaml/yaml.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kAnsic = "Mon Jan _2 15:04:05 2006";

std::string colored(std::string_view text, std::string_view code, bool color,
                    std::string_view end = "0") {
  return color ? cat("\x1b[", code, "m", text, "\x1b[", end, "m") : std::string(text);
}

funcs::Time go_time(const release::Time& time) {
  if (time.zero()) return {};
  const auto parsed =
      funcs::parse_time("2006-01-02T15:04:05Z07:00", time.text, funcs::Zone::local());
  return parsed ? *parsed : funcs::Time{};
}

std::string tests_section(const release::Record& record) {
  std::string out;
  bool any = false;
  for (const release::StoredHook& hook : record.hooks) {
    if (std::ranges::find(hook.events, "test") == hook.events.end()) continue;
    any = true;
    if (hook.last_run.started_at.zero()) continue;
    append(out, {"TEST SUITE:     ", hook.name,
                 "\nLast Started:   ", ansic_time(hook.last_run.started_at),
                 "\nLast Completed: ", ansic_time(hook.last_run.completed_at),
                 "\nPhase:          ", hook.last_run.phase, "\n"});
  }
  return any ? out : "TEST SUITE: None\n";
}

Result<std::string> values_section(const Session& s, const release::Record& record) {
  const chart::Chart chart = release::loaded_chart(record.chart);
  const value::Value computed =
      TRY(chart::coalesce_values(chart, record.config, {.log = {}, .helm3 = s.helm3()}));
  return cat("USER-SUPPLIED VALUES:\n", TRY(yaml::write(record.config)), "\nCOMPUTED VALUES:\n",
             TRY(yaml::write(computed)), "\n");
}

}  // namespace

std::string colored_status(std::string_view status, bool color) {
  if (status == "deployed") return colored(status, "32", color);
  if (status == "failed" || status == "unknown") return colored(status, "31", color);
  if (status.starts_with("pending-") || status == "uninstalling") {
    return colored(status, "33", color);
  }
  return std::string(status);
}

std::string colored_namespace(std::string_view ns, bool color) { return colored(ns, "36", color); }
std::string colored_header(std::string_view text, bool color) {
  return colored(text, "1", color, "22");  // bold ends by itself
}

std::string ansic_time(const release::Time& time) { return go_time(time).format(kAnsic); }

std::string go_time_text(const release::Time& time, std::string_view layout) {
  return layout.empty() ? go_time(time).text() : go_time(time).format(layout);
}

Result<std::string> status_page(const Session& s, const release::Record& record,
                                const StatusView& view) {
  const bool color = !s.helm3() && use_color(s.env, s.settings);
  std::string out = cat("NAME: ", record.name, "\n");
  if (!record.last_deployed.zero()) {
    append(out, {"LAST DEPLOYED: ", ansic_time(record.last_deployed), "\n"});
  }
  append(out, {"NAMESPACE: ", colored_namespace(record.namespace_, color),
               "\nSTATUS: ", colored_status(record.status, color),
               "\nREVISION: ", std::to_string(record.version), "\n"});
  if (view.metadata) {
    append(out, {"CHART: ", release::chart_text(record, "name"),
                 "\nVERSION: ", release::chart_text(record, "version"),
                 "\nAPP_VERSION: ", release::chart_text(record, "appVersion"), "\n"});
  }
  if (view.description) append(out, {"DESCRIPTION: ", record.description, "\n"});
  if (record.resources.length() > 0) {
    append(out, {"RESOURCES:\n", resource_tables(record.resources), "\n"});
  }
  out += tests_section(record);
  if (view.debug) out += TRY(values_section(s, record));
  if (view.debug || to_lower(record.description) == "dry run complete") {
    out += "HOOKS:\n";
    for (const release::StoredHook& hook : record.hooks) {
      release::append_source(out, hook.path, hook.manifest);
    }
    append(out, {"MANIFEST:\n", record.manifest, "\n"});
  }
  if (!view.hide_notes && !record.notes.empty()) {
    append(out, {"NOTES:\n", trim_space(record.notes), "\n"});
  }
  return out;
}

Result<std::string> structured(Format format, std::string json) {
  if (format == Format::kJson) return json + "\n";
  return yaml::write(TRY(json::read(json, {.numbers = json::Numbers::kExact})));
}

Result<std::string> release_text(const Session& s, const release::Record& record, Format format,
                                 const StatusView& view) {
  if (format == Format::kTable) return status_page(s, record, view);
  return structured(format,
                    TRY(release::encode_json(record, s.helm3() ? release::Writer::kHelm3
                                                               : release::Writer::kHelm4)));
}

}  // namespace pintle::cli
