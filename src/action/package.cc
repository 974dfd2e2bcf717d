#include "action/package.h"

#include "action/dependency.h"
#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "chart/load.h"
#include "chart/save.h"
#include "semver/semver.h"

namespace pintle::action {

Result<std::optional<int64_t>> parse_source_date_epoch(std::string_view text) {
  if (text.empty()) return std::nullopt;
  ParseError error{};
  const int64_t seconds = parse_int(text, 10, 64, &error);
  const auto invalid = [](std::string why) {
    return Error(Code::kInvalidArgument, "invalid SOURCE_DATE_EPOCH: " + std::move(why));
  };
  if (error != ParseError::kNone) {
    return invalid(cat("strconv.ParseInt: parsing ", quote(text), ": ",
                       error == ParseError::kRange ? "value out of range" : "invalid syntax"));
  }
  if (seconds < 0) return invalid("must not be negative");
  return seconds;
}

Result<std::string> package(Context& context, const std::string& path,
                            const PackageOptions& options) {
  const std::string directory = TRY(sys::absolute(context.disk, path));
  if (!TRY(context.disk.stat(path)).is_directory()) {
    if (context.helm3) return Error(Code::kNotFound, "Chart.yaml file is missing");
    // Helm looks for Chart.yaml inside whatever it is given here.
    const std::string inside = path::join({directory, "Chart.yaml"});
    return Error(Code::kNotFound,
                 cat("unable to detect chart at ", inside, ": open ", inside, ": not a directory"));
  }
  chart::LoadOptions load;
  load.log = context.log;
  load.helm3 = context.helm3;
  const auto chart = TRY(chart::load(context.disk, directory, load));

  if (!options.version.empty()) chart->metadata.version = options.version;
  (void)TRY(semver::parse(chart->metadata.version));
  if (!options.app_version.empty()) chart->metadata.app_version = options.app_version;
  if (options.source_date_epoch) chart::stamp(*chart, *options.source_date_epoch);
  TRY(check_dependencies(*chart));

  const std::string destination =
      options.destination == "." ? TRY(context.disk.working_dir()) : options.destination;
  const auto saved = chart::save_archive(context.disk, *chart, destination, context.clock.now_ns());
  if (!saved) {
    const std::string& why = saved.error().text();
    return Error::wrap("failed to save",
                       context.helm3 && why.starts_with("invalid JSON")
                           ? Error(saved.error().code(), cat("I", why.substr(1)))
                           : saved.error());
  }
  if (options.sign) TRY(options.sign(*saved));
  return *saved;
}

}  // namespace pintle::action
