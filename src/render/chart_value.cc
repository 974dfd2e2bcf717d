// .Chart, .Release and .Files.
#include "render/objects.h"
#include "render/struct_object.h"

namespace pintle::render {

using value::MapBuilder;
using value::Str;
using value::Type;
using value::Value;

namespace {

Value list_of_strings(const std::vector<std::string>& items) {
  std::vector<Value> out;
  for (const auto& s : items) out.push_back(value::str(s));
  return Value::list_of(std::move(out));
}

Value annotations(const chart::Metadata& m) {
  if (!m.has_annotations) return Value::map(nullptr, Type::kStringMap);
  MapBuilder out;
  for (const auto& [key, v] : m.annotations) out.add(Str(key), value::str(v));
  return Value::map(out.finish(), Type::kStringMap);
}

// The fields of chart.Metadata in Go's order. `element` makes what stands in its lists.
using Fields = std::vector<StructField>;

Fields maintainer_fields(const chart::Maintainer& m) {
  return {{"Name", value::str(m.name), "name", true, true},
          {"Email", value::str(m.email), "email", true, true},
          {"URL", value::str(m.url), "url", true, true}};
}

Fields dependency_fields(const chart::Dependency& d, bool helm3) {
  Value tags = helm3 ? Value::strings(d.tags) : list_of_strings(d.tags);
  return {{"Name", value::str(d.name), "name"},
          {"Version", value::str(d.version), "version", true, true},
          {"Repository", value::str(d.repository), "repository"},
          {"Condition", value::str(d.condition), "condition", true, true},
          {"Tags", std::move(tags), "tags", true, true},
          {"Enabled", Value::boolean(d.enabled), "enabled", true, true},
          {"ImportValues", Value::list_of(d.import_values), "import-values", true, true},
          {"Alias", value::str(d.alias), "alias", true, true}};
}

template <typename Element>
Fields metadata_fields(const chart::Metadata& m, bool helm3, Element element) {
  std::vector<Value> maintainers, dependencies;
  for (const auto& x : m.maintainers) maintainers.push_back(element(maintainer_fields(x), true));
  for (const auto& x : m.dependencies) {
    dependencies.push_back(element(dependency_fields(x, helm3), false));
  }
  auto strings = [&](const auto& v) { return helm3 ? Value::strings(v) : list_of_strings(v); };
  return {{"Name", value::str(m.name), "name", true, true},
          {"Home", value::str(m.home), "home", true, true},
          {"Sources", strings(m.sources), "sources", true, true},
          {"Version", value::str(m.version), "version", true, true},
          {"Description", value::str(m.description), "description", true, true},
          {"Keywords", strings(m.keywords), "keywords", true, true},
          {"Maintainers", Value::list_of(std::move(maintainers)), "maintainers", true, true},
          {"Icon", value::str(m.icon), "icon", true, true},
          {"APIVersion", value::str(m.api_version), "apiVersion", true, true},
          {"Condition", value::str(m.condition), "condition", true, true},
          {"Tags", value::str(m.tags), "tags", true, true},
          {"AppVersion", value::str(m.app_version), "appVersion", true, true},
          {"Deprecated", Value::boolean(m.deprecated), "deprecated", true, true},
          {"Annotations", annotations(m), "annotations", true, true},
          {"KubeVersion", value::str(m.kube_version), "kubeVersion", true, true},
          {"Dependencies", Value::list_of(std::move(dependencies)), "dependencies", true, true},
          {"Type", value::str(m.type), "type", true, true}};
}

Value map_of(Fields fields) {
  MapBuilder out;
  for (auto& f : fields) out.add(Str(f.name), std::move(f.value));
  return Value::map(out.finish());
}

constexpr StructType kChartType{"struct { chart.Metadata; IsRoot bool }"};
constexpr StructType kMaintainerType{"*chart.Maintainer", true};
constexpr StructType kDependencyType{"*chart.Dependency", true};

}  // namespace

Value chart_value(const chart::Chart& chart, bool helm3) {
  StructField is_root{"IsRoot", Value::boolean(chart.is_root())};
  if (!helm3) {
    auto fields = metadata_fields(chart.metadata, false,
                                  [](Fields f, bool) { return map_of(std::move(f)); });
    fields.push_back(std::move(is_root));
    return map_of(std::move(fields));
  }
  auto fields = metadata_fields(chart.metadata, true, [](Fields f, bool maintainer) {
    return make_struct(maintainer ? kMaintainerType : kDependencyType, std::move(f));
  });
  fields.push_back(std::move(is_root));
  return make_struct(kChartType, std::move(fields));
}

Value release_value(const ReleaseOptions& release) {
  MapBuilder out;
  out.add("Name", value::str(release.name));
  out.add("Namespace", value::str(release.namespace_));
  out.add("IsUpgrade", Value::boolean(release.is_upgrade));
  out.add("IsInstall", Value::boolean(release.is_install));
  out.add("Revision", Value::integer(release.revision));
  out.add("Service", value::str("Helm"));
  return Value::map(out.finish());
}

Value files_value(const chart::Chart& chart) {
  MapBuilder out;
  for (const auto& file : chart.files) {
    out.add(Str(file->name), Value::bytes(Str::borrow(file->data.view())));
  }
  return Value::map(out.finish(), Type::kFiles);
}

}  // namespace pintle::render
