// Templates through the engine, plain text/template, and the coalescing of values.
#include <algorithm>
#include <map>

#include "case.h"
#include "chart/chart.h"
#include "chart/strvals.h"
#include "chart/values.h"
#include "json/json.h"
#include "render/render.h"
#include "tmpl/tmpl.h"

namespace pintle::conformance {

using value::Value;

namespace {

using Texts = std::map<std::string, std::string>;

void add_texts(Texts& out, const Value* from) {
  if (from == nullptr || from->as_map() == nullptr) return;
  for (const auto& [path, text] : *from->as_map()) {
    out[std::string(path.view())] = std::string(text.as_string());
  }
}

std::vector<std::shared_ptr<const chart::File>> files_of(const Texts& texts) {
  std::vector<std::shared_ptr<const chart::File>> out;
  for (const auto& [name, data] : texts) {
    out.push_back(std::make_shared<chart::File>(chart::File{name, data}));
  }
  return out;
}

Value copy_or_empty(const Value* v) {
  return v != nullptr && v->is_map() ? value::deep_copy(*v) : Value::map(value::make_map());
}

// {name, type, values, templates, files, deps, meta}
Result<std::unique_ptr<chart::Chart>> build_chart(const Value& tree) {
  auto c = std::make_unique<chart::Chart>();
  if (const Value* meta = tree.get("meta")) {
    c->metadata = TRY(chart::parse_metadata(TRY(json::write(*meta))));
  } else {
    c->metadata.api_version = "v2";
    c->metadata.version = "0.1.0";
    c->metadata.app_version = "1.0";
    if (const Value* type = tree.get("type")) c->metadata.type = type->as_string();
  }
  c->has_metadata = true;
  if (const Value* name = tree.get("name")) c->metadata.name = name->as_string();
  Texts templates, files;
  add_texts(templates, tree.get("templates"));
  add_texts(files, tree.get("files"));
  c->templates = files_of(templates);
  c->files = files_of(files);
  c->values = copy_or_empty(tree.get("values"));
  if (const Value* deps = tree.get("deps")) {
    for (const auto& d : deps->items()) c->add_dependency(TRY(build_chart(d)));
  }
  return c;
}

Result<std::unique_ptr<chart::Chart>> one_template_chart(const Case& c) {
  auto out = TRY(build_chart(Value::map(value::make_map())));
  out->metadata.name = "c";
  Texts templates, files;
  if (const Value* fixture = c.fixtures.get(c.text("fixture"))) {
    add_texts(templates, fixture->get("templates"));
    add_texts(files, fixture->get("files"));
  }
  add_texts(templates, c.find("templates"));
  add_texts(files, c.find("files"));
  templates["templates/t.yaml"] = c.text("template");
  out->templates = files_of(templates);
  out->files = files_of(files);
  return out;
}

std::string context_text(const Value* context, std::string_view key) {
  const Value* v = context != nullptr ? context->get(key) : nullptr;
  return v != nullptr && v->is_string() ? std::string(v->as_string()) : std::string();
}

Result<render::Capabilities> capabilities(const Case& c) {
  render::Capabilities out = render::default_capabilities();
  const Value* context = c.meta.get("context");
  const Value* recorded = context != nullptr ? context->get("capabilities") : nullptr;
  if (recorded == nullptr) return out;
  out.kube_version = TRY(render::parse_kube_version(context_text(recorded, "KubeVersion")));
  if (const Value* versions = recorded->get("APIVersions")) {
    out.api_versions.clear();
    for (const auto& v : versions->items()) out.api_versions.emplace_back(v.as_string());
  }
  const Value* helm = recorded->get("HelmVersion");
  out.helm_version = context_text(helm, "Version");
  out.git_commit = context_text(helm, "GitCommit");
  out.git_tree_state = context_text(helm, "GitTreeState");
  out.go_version = context_text(helm, "GoVersion");
  out.kube_client_version = context_text(helm, "KubeClientVersion");
  return out;
}

Result<std::vector<release::RenderedFile>> render_case(const Case& c) {
  const Value* tree = c.find("chart");
  auto chart = tree != nullptr ? TRY(build_chart(*tree)) : TRY(one_template_chart(c));
  Value values = copy_or_empty(c.find("values"));
  if (const Value* set = c.find("set")) {
    for (const auto& line : set->items()) {
      TRY(chart::strvals::parse_into(line.as_string(), *values.as_map()));
    }
  }
  render::ReleaseOptions release;
  release.name = "rel";
  release.namespace_ = "ns";
  render::ValuesOptions values_options;
  values_options.skip_schema = true;
  auto caps = TRY(capabilities(c));
  Value top = TRY(render::render_values(*chart, values, release, caps, values_options));
  render::Options options;
  options.strict = c.flag("strict");
  options.lint = c.flag("lint");
  return render::render(*chart, top, options);
}

}  // namespace

Outcome run_template(const Case& c) {
  auto files = render_case(c);
  if (!files) return c.compare_error(files.error());
  if (c.text("target") == "*") {
    value::MapBuilder all;
    for (const auto& f : *files) all.add(value::Str(f.path), value::str(f.content));
    return c.compare_value(Value::map(all.finish()));
  }
  std::string target = c.find("target") ? std::string(c.text("target")) : "c/templates/t.yaml";
  auto it = std::find_if(files->begin(), files->end(),
                         [&](const auto& f) { return f.path == target; });
  if (it == files->end()) return Outcome::fail("  nothing rendered for " + target);
  return c.compare_text(it->content);
}

Outcome run_raw_template(const Case& c) {
  tmpl::Options options;
  if (c.text("missingkey") == "zero") options.missing_key = tmpl::MissingKey::kZero;
  if (c.text("missingkey") == "error") options.missing_key = tmpl::MissingKey::kError;
  tmpl::Set set({});
  if (auto parsed = set.parse("t", c.text("template")); !parsed) {
    return c.compare_error(parsed.error());
  }
  tmpl::Vm vm(set, options);
  std::string out;
  const Value* data = c.find("data");
  auto status = vm.execute("t", data != nullptr ? *data : Value::nil(), out);
  if (!status) return c.compare_error(status.error());
  return c.compare_text(out);
}

Outcome run_coalesce(const Case& c, bool merge) {
  const Value* tree = c.find("chart");
  if (tree == nullptr) return Outcome::skip("no chart");
  auto chart = build_chart(*tree);
  if (!chart) return c.compare_error(chart.error());
  Value values = copy_or_empty(c.find("values"));
  return c.compare_value(merge ? chart::merge_values(**chart, values)
                               : chart::coalesce_values(**chart, values));
}

}  // namespace pintle::conformance
