// Lint rules about Chart.yaml (helm pkg/chart/v2/lint/rules/chartfile.go), in Helm's order.
#include "action/lint_rules.h"
#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "semver/semver.h"
#include "yaml/yaml.h"

namespace pintle::action {
namespace {

using chart::Metadata;

constexpr size_t kMaxChartFile = 100 << 20;

// Numbers are not versions: 1.10 is 1.1 by the time anybody sees it.
Finding string_value(const value::Value& tree, std::string_view key) {
  const value::Value* v = tree.get(key);
  if (!v || v->is_string()) return std::nullopt;
  return cat(key, " should be of type string but it's of type ", value::go_type(*v));
}

Finding name(const Metadata& m) {
  if (m.name.empty()) return "name is required";
  if (path::base(m.name) != m.name) return cat("chart name ", quote(m.name), " is invalid");
  return std::nullopt;
}

Finding api_version(const Metadata& m) {
  constexpr std::string_view kAllowed = "The value must be either \"v1\" or \"v2\"";
  if (m.api_version.empty()) return cat("apiVersion is required. ", kAllowed);
  if (m.api_version == "v1" || m.api_version == "v2") return std::nullopt;
  return cat("apiVersion '", m.api_version, "' is not valid. ", kAllowed);
}

Finding version(const Metadata& m) {
  if (m.version.empty()) return "version is required";
  const auto parsed = semver::parse(m.version);
  if (!parsed) return cat("version '", m.version, "' is not a valid SemVer");
  const auto above_zero = semver::Constraints::parse(">0.0.0-0");
  std::vector<std::string> reasons;
  if (above_zero && !above_zero->validate(*parsed, &reasons) && !reasons.empty()) {
    return "version " + reasons[0];
  }
  return std::nullopt;
}

Finding maintainers(const Metadata& m) {
  for (size_t i = 0; i < m.maintainers.size(); ++i) {
    if (m.null_maintainer == i) break;
    const chart::Maintainer& one = m.maintainers[i];
    if (one.name.empty()) return "each maintainer requires a name";
    if (!one.email.empty() && !is_email(one.email)) {
      return cat("invalid email '", one.email, "' for maintainer '", one.name, "'");
    }
    if (!one.url.empty() && !is_url(one.url)) {
      return cat("invalid url '", one.url, "' for maintainer '", one.name, "'");
    }
  }
  if (m.null_maintainer) return "a maintainer entry is empty";
  return std::nullopt;
}

Finding sources(const Metadata& m) {
  for (const std::string& source : m.sources) {
    if (!is_request_url(source)) return cat("invalid source URL '", source, "'");
  }
  return std::nullopt;
}

Finding icon_url(const Metadata& m) {
  if (m.icon.empty() || is_request_url(m.icon)) return std::nullopt;
  return cat("invalid icon URL '", m.icon, "'");
}

Finding chart_type(const Metadata& m) {
  if (m.type.empty() || m.api_version == "v2") return std::nullopt;
  return cat("chart type is not valid in apiVersion '", m.api_version,
             "'. It is valid in apiVersion 'v2'");
}

Finding dependencies(const Metadata& m) {
  const bool any = !m.dependencies.empty() || m.null_dependency;
  if (!any || m.api_version == "v2") return std::nullopt;
  return cat("dependencies are not valid in the Chart file with apiVersion '", m.api_version,
             "'. They are valid in apiVersion 'v2'");
}

}  // namespace

void lint_chartfile(Linter& linter) {
  constexpr std::string_view kPath = "Chart.yaml";
  const std::string file = path::join({linter.directory, kPath});
  const auto error = [&](Finding finding) {
    return linter.check(Severity::kError, kPath, std::move(finding));
  };
  const auto info = linter.disk.stat(file);
  error(info && info->is_directory() ? Finding("should be a file, not a directory") : std::nullopt);
  const auto unparsed = [&](const Error& why) { error("unable to parse YAML\n\t" + why.text()); };
  if (info && info->type == sys::FileType::kOther) {
    return unparsed(Error(cat("open ", file, ": not a regular file")));
  }
  const auto text = linter.disk.read_file(file, kMaxChartFile);
  if (!text) return unparsed(text.error());
  const auto parsed = chart::parse_metadata(*text);
  if (!parsed) return unparsed(parsed.error());
  if (const Status strict = chart::check_metadata_strictly(*text);
      !strict && !linter.context.helm3) {
    linter.check(Severity::kWarning, kPath,
                 "failed to strictly parse chart metadata file\n\t" + strict.error().text());
  }
  const value::Value tree = yaml::read_map(*text).value_or(value::Value());

  error(name(*parsed));
  error(api_version(*parsed));
  error(string_value(tree, "version"));
  error(version(*parsed));
  error(string_value(tree, "appVersion"));
  error(maintainers(*parsed));
  error(sources(*parsed));
  linter.check(Severity::kInfo, kPath,
               parsed->icon.empty() ? Finding("icon is recommended") : std::nullopt);
  error(icon_url(*parsed));
  error(chart_type(*parsed));
  error(dependencies(*parsed));
  if (!linter.context.helm3 && !semver::parse_strict(parsed->version)) {
    linter.check(Severity::kWarning, kPath,
                 cat("version '", parsed->version, "' is not a valid SemVerV2"));
  }
}

}  // namespace pintle::action
