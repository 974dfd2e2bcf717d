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
                   const schema::Loader& loader) {
  if (chart.has_schema) {
    auto valid = schema::validate(values, chart.schema, loader);
    if (!valid) findings += cat(chart.name(), ":\n", valid.error().text());
  }
  for (const auto& child : chart.dependencies) {
    const Value* part = values.get(child->name());
    if (part == nullptr || part->is_nil()) continue;
    if (!part->is(Type::kMap)) {
      findings += cat(child->name(), ":\ninvalid type for values: expected object (map), got ",
                      value::go_type(*part), "\n");
      continue;
    }
    validate_into(findings, *child, *part, loader);
  }
}

}  // namespace

Status validate_values(const chart::Chart& chart, const Value& values,
                       const std::function<Result<std::string>(const std::string& url)>& loader) {
  std::string findings;
  validate_into(findings, chart, values, loader);
  if (findings.empty()) return ok();
  return Error(Code::kInvalidArgument, std::move(findings));
}

Result<Value> render_values(const chart::Chart& chart, const Value& user_values,
                            const ReleaseOptions& release, const Capabilities& capabilities,
                            const ValuesOptions& options) {
  Value values = TRY(chart::coalesce_values(
      chart, user_values, {.log = options.log, .helm3 = options.helm3}));
  if (!options.skip_schema) {
    if (auto valid = validate_values(chart, values, options.schema_loader); !valid) {
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
