#include <algorithm>

#include "action/dependency.h"
#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "chart/load.h"
#include "semver/semver.h"

namespace pintle::action {
namespace {

chart::LoadOptions loader(const Context& context) {
  chart::LoadOptions options;
  options.log = context.log;
  options.helm3 = context.helm3;
  options.direct = true;
  return options;
}

// "" when `found` is what `wanted` asks for.
std::string compare_versions(const std::string& wanted, const std::string& found) {
  if (wanted == found) return "";
  const auto constraint = semver::Constraints::parse(wanted);
  const auto version = semver::parse(found);
  if (!constraint || !version) return "invalid version";
  return constraint->check(*version) ? "" : "wrong version";
}

std::string or_else(std::string text, const char* fallback) {
  return text.empty() ? fallback : text;
}

// "" when the archive is not there after all.
std::string archive_status(Context& context, const std::string& archive,
                           const chart::Dependency& wanted) {
  if (!context.disk.stat(archive)) return "";
  const auto chart = chart::load(context.disk, archive, loader(context));
  if (!chart) return "corrupt";
  if ((*chart)->name() != wanted.name) return "misnamed";
  return or_else(compare_versions(wanted.version, (*chart)->metadata.version), "ok");
}

std::string dependency_status(Context& context, const std::string& chart_path,
                              const chart::Dependency& wanted, const chart::Chart& parent) {
  auto archives =
      sys::glob(context.disk, path::join({chart_path, "charts", wanted.name + "-*.tgz"}));
  if (!archives) return "bad pattern";
  if (archives->size() > 1) {
    // Of a-1.tgz and a-b-1.tgz only the first can be chart a.
    std::erase_if(*archives, [&](const std::string& archive) {
      std::string_view version = path::base(archive);
      version.remove_suffix(sizeof(".tgz") - 1);
      version.remove_prefix(std::min(wanted.name.size() + 1, version.size()));
      return !semver::parse_strict(version);
    });
    if (archives->size() > 1) return "too many matches";
  }
  if (archives->size() == 1) {
    std::string status = archive_status(context, archives->front(), wanted);
    if (!status.empty()) return status;
  }
  const chart::Chart* unpacked = nullptr;
  for (const auto& child : parent.dependencies) {
    if (child->name() == wanted.name) unpacked = child.get();
  }
  if (!unpacked) return "missing";
  return or_else(compare_versions(wanted.version, unpacked->metadata.version), "unpacked");
}

}  // namespace

Result<DependencyList> dependency_list(Context& context, const std::string& chart_path) {
  const auto chart = TRY(chart::load(context.disk, chart_path, loader(context)));
  DependencyList list;
  list.declared = chart->metadata.has_dependencies;
  if (!list.declared) {
    list.warnings.push_back("WARNING: no dependencies at " + path::join({chart_path, "charts"}));
    return list;
  }
  const auto& wanted = chart->metadata.dependencies;
  for (const chart::Dependency& d : wanted) {
    list.rows.push_back(
        {d.name, d.version, d.repository, dependency_status(context, chart_path, d, *chart)});
  }
  const auto files = sys::glob(context.disk, path::join({chart_path, "charts", "*"}));
  if (!files) {
    list.warnings.push_back(files.error().text());
    return list;
  }
  for (const std::string& file : *files) {
    const auto info = context.disk.stat(file);
    if (!info) {
      list.warnings.push_back("Warning: " + info.error().text());
      continue;
    }
    if (!info->is_directory() && path::ext(file) != ".tgz") continue;
    const auto there = chart::load(context.disk, file, loader(context));
    if (!there) {
      list.warnings.push_back(cat("WARNING: ", quote(file), " is not a chart."));
      continue;
    }
    const bool known = std::any_of(wanted.begin(), wanted.end(), [&](const chart::Dependency& d) {
      return d.name == (*there)->name();
    });
    if (!known) list.warnings.push_back(cat("WARNING: ", quote(file), " is not in Chart.yaml."));
  }
  return list;
}

Status check_dependencies(const chart::Chart& chart) {
  std::vector<std::string_view> missing;  // a name may be empty
  for (const chart::Dependency& d : chart.metadata.dependencies) {
    const bool there = std::any_of(chart.dependencies.begin(), chart.dependencies.end(),
                                   [&](const auto& child) { return child->name() == d.name; });
    if (!there) missing.push_back(d.name);
  }
  if (missing.empty()) return ok();
  return Error(Code::kFailedPrecondition,
               cat("found in Chart.yaml, but missing in charts/ directory: ", join(missing, ", ")));
}

}  // namespace pintle::action
