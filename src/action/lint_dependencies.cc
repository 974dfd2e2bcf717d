// Lint rules about dependencies: Chart.yaml against what lies in charts/
// (helm pkg/chart/v2/lint/rules/dependencies.go).
#include <set>

#include "action/lint_rules.h"
#include "base/strings.h"

namespace pintle::action {
namespace {

Finding list(std::string_view what, const std::vector<std::string>& names) {
  if (names.empty()) return std::nullopt;
  return cat(what, ": ", join(names, ","));
}

}  // namespace

void lint_dependencies(Linter& linter) {
  const auto& loaded = linter.load();
  if (!loaded) {
    linter.check(Severity::kError, "", "unable to load chart\n\t" + loaded.error().text());
    return;
  }
  const chart::Chart& chart = **loaded;
  std::set<std::string> declared, present, keys;
  std::vector<std::string> undeclared, twice, missing;
  for (const auto& child : chart.dependencies) present.insert(child->name());
  for (const chart::Dependency& d : chart.metadata.dependencies) {
    declared.insert(d.name);
    const std::string& key = d.alias.empty() ? d.name : d.alias;
    if (!keys.insert(key).second) twice.push_back(key);
    if (!present.contains(d.name)) missing.push_back(d.name);
  }
  for (const auto& child : chart.dependencies) {
    if (!declared.contains(child->name())) undeclared.push_back(child->name());
  }
  const std::string& path = linter.directory;
  linter.check(Severity::kError, path,
               list("chart metadata is missing these dependencies", undeclared));
  linter.check(Severity::kError, path, list("multiple dependencies with name or alias", twice));
  linter.check(Severity::kWarning, path,
               list("chart directory is missing these dependencies", missing));
}

}  // namespace pintle::action
