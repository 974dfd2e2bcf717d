// The engine: one scope per chart, one template set for all of them, one VM.
//
// A scope is the map a file sees as its dot; it is built once per chart and shared by the chart's
// files and, under .Subcharts, by its parent: what one file `set`s, later ones see. Files run in
// the order they are parsed in: deepest path first, then descending names (templates.md 2.1).
#include "render/render.h"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "base/path.h"
#include "base/strings.h"
#include "chart/values.h"
#include "crypt/crypt.h"
#include "funcs/funcs.h"
#include "render/errors.h"
#include "render/objects.h"
#include "sys/process.h"
#include "tmpl/tmpl.h"

namespace pintle::render {

using value::Map;
using value::Str;
using value::Type;
using value::Value;

namespace {

constexpr std::string_view kNoValue = "<no value>";

// What the process may hold while templates run: a chart of 400 subcharts takes 40 MiB. A chart that
// is large itself, or what was there before it, gets some beside.
constexpr size_t kMaxMemory = size_t{144} << 20, kMemoryBeside = size_t{48} << 20;

// A document of some bytes costs each of its readers some hundred.
constexpr size_t kManyBytes = size_t{512} << 10, kMaxDocuments = 100'000;

bool too_many_documents(std::string_view text) {
  if (text.size() <= kManyBytes) return false;
  size_t documents = 0;
  for (size_t at = 0; (at = text.find("\n---", at)) != std::string_view::npos; ++at) ++documents;
  return documents > kMaxDocuments;
}

struct Renderable {
  std::string_view text;  // the chart's
  Ref<Map> scope;
  std::string base_path;
};

using Renderables = std::map<std::string, Renderable>;

bool is_library(const chart::Chart& chart) {
  constexpr std::string_view kLibrary = "library";
  const std::string& type = chart.metadata.type;
  return std::equal(type.begin(), type.end(), kLibrary.begin(), kLibrary.end(),
                    [](char a, char b) { return (a | 0x20) == b; });
}

class ScopeBuilder {
 public:
  ScopeBuilder(const Value& top, bool helm3, Renderables& out)
      : top_(top), helm3_(helm3), out_(out) {}

  // values: the parent's scope; for the root the render values themselves.
  Ref<Map> build(const chart::Chart& chart, const Value& values) {
    auto scope = value::make_map();
    auto subcharts = value::make_map();
    scope->set("Capabilities", entry("Capabilities"));
    scope->set("Chart", chart_value(chart, helm3_));
    scope->set("Files", files_value(chart));
    scope->set("Release", entry("Release"));
    scope->set("Subcharts", Value::map(subcharts));
    scope->set("Values", values_for(chart, values));
    for (const auto& child : chart.dependencies) {
      subcharts->set(Str(child->name()), Value::map(build(*child, Value::map(scope))));
    }
    std::string home = chart.full_path();
    for (const auto& file : chart.templates) {
      if (is_library(chart) && !path::base(file->name).starts_with('_')) continue;
      out_[path::join({home, file->name})] = {file->data.view(), scope, path::join({home, "templates"})};
    }
    return scope;
  }

 private:
  Value entry(std::string_view name) const {
    const Value* v = top_.get(name);
    return v != nullptr ? *v : Value::nil();
  }

  Value values_for(const chart::Chart& chart, const Value& values) const {
    if (chart.is_root()) return entry("Values");
    auto own = chart::table(values, cat("Values.", chart.name()));
    return own ? *own : Value::map(value::make_map(), Type::kValues);
  }

  const Value& top_;
  bool helm3_;
  Renderables& out_;
};

std::vector<Renderables::value_type*> in_parse_order(Renderables& files) {
  struct Keyed {
    ptrdiff_t depth;
    Renderables::value_type* file;
  };
  std::vector<Keyed> keyed;
  for (auto& file : files) {
    keyed.push_back({std::count(file.first.begin(), file.first.end(), '/'), &file});
  }
  std::sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) {
    return a.depth != b.depth ? a.depth > b.depth : a.file->first > b.file->first;
  });
  std::vector<Renderables::value_type*> out;
  for (const auto& k : keyed) out.push_back(k.file);
  return out;
}

// What templates can call: Helm 4 has some functions more than Helm 3.
std::span<const value::FuncDef> functions(bool helm3) {
  if (!helm3) return funcs::table();
  static const std::vector<value::FuncDef> rows = [] {
    std::vector<value::FuncDef> all;
    for (const value::FuncDef& f : funcs::table()) {
      const std::string_view name = f.name;
      if (name.starts_with("duration") && name.size() > 8 && name != "durationRound") continue;
      if (name == "mustToYaml" || name == "mustToToml" || name == "mustToDuration") continue;
      all.push_back(f);
    }
    return all;
  }();
  return rows;
}

Value template_value(const std::string& name, const std::string& base_path) {
  value::MapBuilder out;
  out.add("BasePath", value::str(base_path));
  out.add("Name", value::str(name));
  return Value::map(out.finish(), Type::kValues);
}

bool makes_certificates(std::string_view text) {
  constexpr std::string_view kMakers[] = {"genCA", "genSelfSignedCert", "genSignedCert"};
  for (size_t at = 0; (at = text.find("gen", at)) != std::string_view::npos; ++at) {
    for (std::string_view maker : kMakers) {
      if (text.substr(at).starts_with(maker)) return true;
    }
  }
  return false;
}

}  // namespace

void expect_keys(const std::vector<chart::File>& files) {
  for (const chart::File& file : files) {
    if (!file.name.starts_with("templates/") || !makes_certificates(file.data)) continue;
    return crypt::expect_keys(2);
  }
}

Status render(const chart::Chart& chart, const Value& render_values, const Options& options,
              std::vector<release::RenderedFile>& out,
              const std::function<void(const release::RenderedFile& file)>& rendered) {
  Renderables files;
  ScopeBuilder(render_values, options.helm3, files).build(chart, render_values);
  auto order = in_parse_order(files);

  tmpl::Set set(functions(options.helm3));
  set.set_methods(Type::kValues, values_method);
  set.set_methods(Type::kFiles, files_method);
  for (auto* file : order) {
    auto parsed = set.parse(file->first, file->second.text);
    if (!parsed) return parse_error(file->first, parsed.error());
  }

  tmpl::Options vm_options;
  vm_options.missing_key = options.strict ? tmpl::MissingKey::kError : tmpl::MissingKey::kZero;
  vm_options.once = true;
  vm_options.memory = sys::resident_memory;
  vm_options.max_memory = std::max(kMaxMemory, sys::resident_memory() + kMemoryBeside);
  tmpl::Vm vm(set, vm_options);
  funcs::Env env;
  env.lint = options.lint;
  env.lookup = options.environment.lookup;
  env.resolve_host = options.environment.resolve_host;
  env.log = options.log;
  funcs::YamlTexts yaml_texts;
  env.yaml_texts = &yaml_texts;
  vm.set_user(&env);

  std::string text;  // grows once, not for every file
  for (auto* file : order) {
    const auto& [name, renderable] = *file;
    if (path::base(name).starts_with('_')) continue;
    renderable.scope->set("Template", template_value(name, renderable.base_path));
    text.clear();
    auto status = vm.execute(name, Value::map(renderable.scope, Type::kValues), text);
    if (!status) return execution_error(name, status.error(), options.helm3);
    if (too_many_documents(text)) {
      return Error(Code::kResourceExhausted, cat(name, ": more than ", kMaxDocuments, " documents"));
    }
    if (text.find(kNoValue) != std::string::npos) text = replace_all(text, kNoValue, "");
    out.push_back({name, text});
    rendered(out.back());
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return ok();
}

Result<std::vector<release::RenderedFile>> render(const chart::Chart& chart,
                                                  const Value& render_values,
                                                  const Options& options) {
  std::vector<release::RenderedFile> out;
  TRY(render(chart, render_values, options, out, [](const release::RenderedFile&) {}));
  return out;
}

}  // namespace pintle::render
