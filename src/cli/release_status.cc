#include "cli/release_status.h"

#include <algorithm>
#include <chrono>

#include "base/gotext.h"
#include "base/strings.h"
#include "chart/values.h"
#include "cli/output.h"
#include "yaml/yaml.h"

namespace pintle::cli {
namespace {

std::string colored(std::string_view text, std::string_view code, bool color) {
  return color ? cat("\x1b[", code, "m", text, "\x1b[0m") : std::string(text);
}

bool has_test(const std::vector<release::Hook>& hooks) {
  return std::ranges::any_of(hooks, [](const release::Hook& hook) {
    return std::ranges::find(hook.events, "test") != hook.events.end();
  });
}

}  // namespace

std::string ansic_time(int64_t unix_ns) {
  using namespace std::chrono;
  static constexpr std::string_view kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const sys_time<nanoseconds> time{nanoseconds(unix_ns)};
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{floor<seconds>(time - day)};
  const auto two = [](long n, char pad) {
    std::string text = std::to_string(n);
    return text.size() < 2 ? pad + text : text;
  };
  return cat(kDays[weekday{day}.c_encoding()], " ",
             kMonths[static_cast<unsigned>(date.month()) - 1], " ",
             two(static_cast<unsigned>(date.day()), ' '), " ", two(clock.hours().count(), '0'), ":",
             two(clock.minutes().count(), '0'), ":", two(clock.seconds().count(), '0'), " ",
             static_cast<int>(date.year()));
}

Result<std::string> dry_run_status(Session& s, const DryRunStatus& status) {
  const bool color = !s.helm3() && use_color(s.env, s.settings);
  std::string out =
      cat("NAME: ", status.name, "\nLAST DEPLOYED: ", ansic_time(s.env.clock.now_ns()),
          "\nNAMESPACE: ", colored(status.namespace_, "36", color),
          "\nSTATUS: ", colored("pending-install", "33", color), "\nREVISION: 1\n");
  if (!s.helm3()) out += "DESCRIPTION: Dry run complete\n";
  if (!has_test(status.release.hooks)) out += "TEST SUITE: None\n";
  if (s.settings.debug) {
    const value::Value computed = TRY(
        chart::coalesce_values(status.chart, status.user_values, {.log = {}, .helm3 = s.helm3()}));
    append(out, {"USER-SUPPLIED VALUES:\n", TRY(yaml::write(status.user_values)),
                 "\nCOMPUTED VALUES:\n", TRY(yaml::write(computed)), "\n"});
  }
  out += "HOOKS:\n";
  for (const release::Hook& hook : status.release.hooks) {
    release::append_source(out, hook.path, hook.manifest);
  }
  append(out, {"MANIFEST:\n", status.release.manifest, "\n"});
  const std::string_view notes = trim_space(status.release.notes);
  if (!status.hide_notes && !status.release.notes.empty()) append(out, {"NOTES:\n", notes, "\n"});
  return out;
}

}  // namespace pintle::cli
