// Lint rules about values.yaml and its schema (helm pkg/chart/v2/lint/rules/values.go). Subcharts'
// schemas are not looked at here.
#include "action/lint_rules.h"
#include "base/path.h"
#include "base/strings.h"
#include "chart/values.h"
#include "schema/schema.h"
#include "yaml/yaml.h"

namespace pintle::action {
namespace {

constexpr size_t kMaxFile = 100 << 20;

// A pipe would keep us waiting.
Result<std::string> read_regular(Linter& linter, const std::string& file) {
  if (const auto info = linter.disk.stat(file); info && info->type == sys::FileType::kOther) {
    return Error(cat("open ", file, ": not a regular file"));
  }
  return linter.disk.read_file(file, kMaxFile);
}

Finding validate(Linter& linter, const std::string& file) {
  const auto text = read_regular(linter, file);
  const bool helm3 = linter.context.helm3;
  const auto unparsed = [helm3](const Error& why) {
    // Helm reads into its own type here.
    return "unable to parse YAML: " + replace_all(why.text(),
                                                  "Go value of type map[string]interface {}",
                                                  helm3 ? "Go value of type chartutil.Values"
                                                        : "Go value of type common.Values");
  };
  if (!text) return unparsed(text.error());
  const auto defaults = yaml::read_map(*text);
  if (!defaults) return unparsed(defaults.error());

  chart::ValuesOptions coalesce;
  coalesce.log = linter.context.log;
  coalesce.helm3 = helm3;
  const value::Value own =
      chart::coalesce_tables(value::Value::map(value::make_map()), linter.values, coalesce);
  const value::Value all = chart::coalesce_tables(own, *defaults, coalesce);

  const auto schema = read_regular(linter, path::join({linter.directory, "values.schema.json"}));
  if (!schema || schema->empty() || (linter.options.skip_schema && !helm3)) return std::nullopt;
  const Status valid = schema::validate(all, *schema, linter.options.schema_loader);
  if (valid) return std::nullopt;
  return valid.error().text();
}

}  // namespace

void lint_values(Linter& linter) {
  constexpr std::string_view kPath = "values.yaml";
  const std::string file = path::join({linter.directory, kPath});
  const auto info = linter.disk.stat(file);
  if (!info) {
    linter.check(Severity::kInfo, kPath, "file does not exist");
    return;
  }
  linter.check(Severity::kError, kPath,
               info->type == sys::FileType::kOther
                   ? Finding("unable to parse YAML: open " + file + ": not a regular file")
                   : validate(linter, file));
}

}  // namespace pintle::action
