// Lint rules about crds/: plain CustomResourceDefinitions, no templates
// (helm pkg/chart/v2/lint/rules/crds.go; Helm 4 only).
#include "action/lint_rules.h"
#include "base/path.h"

namespace pintle::action {

void lint_crds(Linter& linter) {
  constexpr std::string_view kPath = "crds/";
  if (linter.context.helm3) return;
  const auto info = linter.disk.stat(path::join({linter.directory, kPath}));
  if (!info) {
    if (info.error().code() != Code::kNotFound) {
      linter.check(Severity::kError, kPath, info.error().text());
    }
    return;
  }
  if (!info->is_directory()) {
    linter.check(Severity::kError, kPath, "not a directory");
    return;
  }
  const auto& loaded = linter.load();
  if (!loaded) {
    linter.check(Severity::kError, kPath, loaded.error().text());
    return;
  }
  for (const chart::Crd& crd : chart::crds(**loaded)) {
    const Finding bad = each_object(crd.file->data, [&](const ObjectHead& object) {
      if (!object.api_version.starts_with("apiextensions.k8s.io")) {
        linter.check(Severity::kError, crd.name, "apiVersion is not in 'apiextensions.k8s.io'");
      }
      if (object.kind != "CustomResourceDefinition") {
        linter.check(Severity::kError, crd.name, "object kind is not 'CustomResourceDefinition'");
      }
    });
    if (bad) {
      linter.check(Severity::kError, crd.name, "unable to parse YAML: " + *bad);
      return;
    }
  }
}

}  // namespace pintle::action
