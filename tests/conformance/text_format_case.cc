// YAML and JSON text both ways, values files, splitting and sorting of manifests.
#include <algorithm>

#include "case.h"
#include "chart/load.h"
#include "funcs/funcs.h"
#include "json/json.h"
#include "release/manifest.h"
#include "value/func.h"
#include "yaml/yaml.h"

namespace pintle::conformance {

using value::MapBuilder;
using value::Value;

namespace {

Result<std::string> call_function(std::string_view name, const Value& argument) {
  auto rows = funcs::table();
  auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.name == name; });
  if (row == rows.end()) return Error("no function " + std::string(name));
  value::Call call{&argument, 1, nullptr, {}, {}};
  if (!row->fn(call)) return *call.error;
  return std::string(call.ret.as_string());
}

Value strings(const std::vector<std::string>& items) {
  std::vector<Value> out;
  for (const auto& s : items) out.push_back(value::str(s));
  return Value::list_of(std::move(out));
}

Value hook_value(const release::Hook& h) {
  MapBuilder m;
  m.add("name", value::str(h.name));
  m.add("kind", value::str(h.kind));
  m.add("path", value::str(h.path));
  m.add("manifest", value::str(h.manifest));
  m.add("events", strings(h.events));
  m.add("weight", Value::number(static_cast<double>(h.weight)));
  m.add("delete", strings(h.delete_policies));
  m.add("log", strings(h.output_log_policies));
  return Value::map(m.finish());
}

Result<Value> sort_manifests(const Case& c) {
  std::vector<release::RenderedFile> files;
  if (const Value* given = c.find("files"); given != nullptr && given->as_map() != nullptr) {
    for (const auto& [path, text] : *given->as_map()) {
      files.push_back({std::string(path.view()), std::string(text.as_string())});
    }
  }
  auto order = c.text("order") == "uninstall" ? release::Order::kUninstall
                                              : release::Order::kInstall;
  auto sorted = TRY(release::sort_manifests(files, order));
  std::vector<Value> hooks, manifests;
  for (const auto& h : sorted.hooks) hooks.push_back(hook_value(h));
  for (const auto& m : sorted.manifests) {
    MapBuilder b;
    b.add("name", value::str(m.name));
    b.add("kind", value::str(m.kind));
    b.add("content", value::str(m.content));
    manifests.push_back(Value::map(b.finish()));
  }
  MapBuilder b;
  b.add("hooks", Value::list_of(std::move(hooks)));
  b.add("manifests", Value::list_of(std::move(manifests)));
  return Value::map(b.finish());
}

Result<std::string> emit_what_was_read(std::string_view input) {
  return call_function("toYaml", TRY(yaml::read(input)));
}

}  // namespace

Outcome run_text_format(const Case& c) {
  std::string_view kind = c.text("kind"), input = c.text("input");
  if (const Value* v = c.find("value")) return c.compare_text(call_function(kind, *v));
  if (kind == "yaml_to_json") return c.compare_text(yaml::to_json(input));
  if (kind == "yaml_to_json_strict") return c.compare_text(yaml::to_json(input, true));
  if (kind == "unmarshal_map") return c.compare_value(yaml::read_map(input));
  if (kind == "unmarshal_list") return c.compare_value(yaml::read_list(input));
  if (kind == "toYaml_of_unmarshal") return c.compare_text(emit_what_was_read(input));
  if (kind == "load_values") return c.compare_value(chart::load_values(input));
  if (kind == "sort_manifests") return c.compare_value(sort_manifests(c));
  if (kind == "split_manifests") {
    std::vector<Value> documents;
    for (auto d : release::split_manifests(input)) documents.push_back(value::str(d));
    return c.compare_value(Value::list_of(std::move(documents)));
  }
  return Outcome::skip("unknown kind " + std::string(kind));
}

}  // namespace pintle::conformance
