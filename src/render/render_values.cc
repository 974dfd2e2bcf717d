#include "base/strings.h"
#include "chart/values.h"
#include "render/objects.h"
#include "render/render.h"
#include "schema/schema.h"

namespace pintle::render {

using value::Type;
using value::Value;

namespace {

void validate_into(std::string& findings, const chart::Chart& chart, const Value& values,
                   const schema::Loader& loader, const Log& log) {
  if (chart.has_schema) {
    log("DEBUG", "chart name", {{"chart-name", chart.name()}});
    log("DEBUG", "unmarshalled JSON schema", {{"schema", std::string(chart.schema)}});
    auto valid = schema::validate(values, chart.schema, loader);
    if (!valid) findings += cat(chart.name(), ":\n", valid.error().text());
  }
  log("DEBUG", "number of dependencies in the chart",
      {{"chart", chart.name()}, {"dependencies", cat(chart.dependencies.size())}});
  for (const auto& child : chart.dependencies) {
    const Value* part = values.get(child->name());
    if (part == nullptr || part->is_nil()) continue;
    if (!part->is(Type::kMap)) {
      findings += cat(child->name(), ":\ninvalid type for values: expected object (map), got ",
                      value::go_type(*part), "\n");
      continue;
    }
    validate_into(findings, *child, *part, loader, log);
  }
}

Status validate(const chart::Chart& chart, const Value& values, const schema::Loader& loader,
                const Log& log) {
  std::string findings;
  validate_into(findings, chart, values, loader, log);
  if (findings.empty()) return ok();
  return Error(Code::kInvalidArgument, std::move(findings));
}

}  // namespace

Status validate_values(const chart::Chart& chart, const Value& values,
                       const std::function<Result<std::string>(const std::string& url)>& loader) {
  return validate(chart, values, loader, {});
}

Result<Value> render_values(const chart::Chart& chart, const Value& user_values,
                            const ReleaseOptions& release, const Capabilities& capabilities,
                            const ValuesOptions& options) {
  Value values = TRY(chart::coalesce_values(
      chart, user_values, {.log = options.log, .helm3 = options.helm3}));
  if (!options.skip_schema) {
    if (auto valid = validate(chart, values, options.schema_loader, options.log); !valid) {
      return Error::with_cause(cat("values don't meet the specifications of the schema(s) in the "
                                   "following chart(s):\n",
                                   valid.error().text()),
                               valid.error());
    }
  }
  value::MapBuilder top;
  top.add("Capabilities", capabilities_value(capabilities));
  top.add("Chart", chart_value(chart, options.helm3));
  top.add("Release", release_value(release));
  top.add("Values", Value::map(values.map_ref(), Type::kValues));
  return Value::map(top.finish(), Type::kValues);
}

}  // namespace pintle::render
