#include "action/show.h"

#include <algorithm>

#include "action/jsonpath.h"
#include "base/gotext.h"
#include "base/strings.h"
#include "chart/chart.h"
#include "chart/load.h"

namespace pintle::action {
namespace {

const chart::File* find_values(const chart::Chart& chart) {
  for (const auto& file : chart.raw) {
    if (file->name == "values.yaml") return file.get();
  }
  return nullptr;
}

const chart::File* find_readme(const chart::Chart& chart) {
  for (const auto& file : chart.files) {
    const std::string name = to_lower(file->name);
    if (name == "readme.md" || name == "readme.txt" || name == "readme") return file.get();
  }
  return nullptr;
}

}  // namespace

Result<std::string> show(Context& context, const std::string& chart_path,
                         const ShowOptions& options) {
  chart::LoadOptions load;
  load.log = context.log;
  load.helm3 = context.helm3;
  load.direct = true;
  const auto chart = TRY(chart::load(context.disk, chart_path, load));

  const bool all = options.part == ShowPart::kAll;
  const auto wants = [&](ShowPart part) { return all || options.part == part; };
  std::string out;
  if (wants(ShowPart::kChart)) {
    append(out, {TRY(chart::metadata_yaml(chart->metadata)), "\n"});
  }
  const chart::File* values = find_values(*chart);
  if (wants(ShowPart::kValues) && values) {
    if (all) out += "---\n";
    if (!options.jsonpath.empty()) {
      const auto path = JsonPath::parse(options.jsonpath);
      if (!path) {
        return Error::wrap("error parsing jsonpath " + options.jsonpath, path.error());
      }
      // Helm prints what there is and says nothing about the rest.
      (void)path->print(chart->values, out);
    } else {
      append(out, {values->data, "\n"});
    }
  }
  if (const chart::File* readme = find_readme(*chart); wants(ShowPart::kReadme) && readme) {
    if (all) out += "---\n";
    append(out, {readme->data, "\n"});
  }
  if (wants(ShowPart::kCrds)) {
    bool marked = !context.helm3 || all;  // Helm 3: the first of all, or none
    for (const chart::Crd& crd : chart::crds(*chart)) {
      if (marked && !crd.file->data.view().starts_with("---")) out += "---\n";
      if (context.helm3) marked = false;
      append(out, {crd.file->data, "\n"});
    }
  }
  return out;
}

}  // namespace pintle::action
