// Lint rules about templates: they are rendered as `helm template` would, then every document of
// the chart's own files is looked at (helm pkg/chart/v2/lint/rules/template.go).
#include <algorithm>
#include <map>
#include <unordered_map>

#include "action/lint_rules.h"
#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "chart/go_struct.h"
#include "chart/values.h"
#include "yaml/yaml.h"

namespace pintle::action {
namespace {

constexpr std::string_view kPath = "templates/";
constexpr size_t kMaxLine = 64 * 1024;  // bufio.Scanner's buffer

// False when the group ends here.
bool check_directory(Linter& linter) {
  const auto info = linter.disk.stat(path::join({linter.directory, kPath}));
  const bool helm3 = linter.context.helm3;
  if (!info && helm3) return true;
  if (!info && info.error().code() == Code::kNotFound) {
    return linter.check(Severity::kWarning, kPath, "directory does not exist");
  }
  if (!info) return linter.check(Severity::kError, kPath, info.error().text());
  if (info->is_directory()) return true;
  return linter.check(helm3 ? Severity::kWarning : Severity::kError, kPath, "not a directory");
}

using Rendered = std::unordered_map<std::string, std::string>;

// nullopt ends the group; what is to be said about it has been said.
std::optional<Rendered> render_chart(Linter& linter, chart::Chart& chart) {
  const auto error = [&](const Error& why) -> std::optional<Rendered> {
    linter.check(Severity::kError, kPath, why.text());
    return std::nullopt;
  };
  chart::ValuesOptions coalesce;
  coalesce.log = linter.context.log;
  coalesce.helm3 = linter.context.helm3;
  // Faults of these two are nobody's finding.
  if (!chart::process_dependencies(chart, linter.values, coalesce)) return std::nullopt;
  const auto values = chart::coalesce_values(chart, linter.values, coalesce);
  if (!values) return std::nullopt;

  render::ReleaseOptions release;
  release.name = "test-release";
  release.namespace_ = linter.options.namespace_;
  release.revision = 0;
  release.is_install = false;
  render::Capabilities capabilities = render::default_capabilities();
  if (linter.options.kube_version) capabilities.kube_version = *linter.options.kube_version;
  render::ValuesOptions value_options;
  value_options.skip_schema = linter.options.skip_schema;
  value_options.helm3 = linter.context.helm3;
  value_options.schema_loader = linter.options.schema_loader;
  value_options.log = linter.context.log;
  const auto render_values =
      render::render_values(chart, *values, release, capabilities, value_options);
  if (!render_values) return error(render_values.error());

  render::Options options;
  options.lint = true;
  options.helm3 = linter.context.helm3;
  options.log = linter.context.log;
  auto files = render::render(chart, *render_values, options);
  if (!files) return error(files.error());
  Rendered by_path;
  for (auto& file : *files) by_path.emplace(std::move(file.path), std::move(file.content));
  return by_path;
}

Finding allowed_extension(std::string_view name) {
  const std::string_view ext = path::ext(name);
  for (std::string_view good : {".yaml", ".yml", ".tpl", ".txt"}) {
    if (ext == good) return std::nullopt;
  }
  return cat("file extension '", ext,
             "' not valid. Valid extensions are .yaml, .yml, .tpl, or .txt");
}

// What Helm 2 had and Helm 3 warned of, in the template's own text.
void check_helm2_leftovers(Linter& linter, const chart::File& file) {
  const std::string_view text = file.data;
  for (size_t at = 0; (at = text.find("helm.sh/hook", at)) != text.npos;) {
    at += sizeof("helm.sh/hook") - 1;
    std::string_view rest = text.substr(at);
    if (rest.starts_with('"')) rest.remove_prefix(1);
    if (!rest.starts_with(':')) continue;
    rest.remove_prefix(1);
    const size_t blank = std::min(rest.find_first_not_of("\t\n\f\r "), rest.size());
    if (blank == 0 || !rest.substr(blank).starts_with("crd-install")) continue;
    linter.check(Severity::kWarning, file.name,
                 "manifest is a crd-install hook. This hook is no longer supported in v3 and all "
                 "CRDs should also exist the crds/ directory at the top level of the chart");
    break;
  }
  if (text.find(".Release.Time") != text.npos) {
    linter.check(Severity::kError, file.name,
                 ".Release.Time has been removed in v3, please replace with the `now` function in "
                 "your templates");
  }
}

// The first line that is not blank must not be indented.
Finding top_indent(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end >= kMaxLine) return "bufio.Scanner: token too long";
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (trim_space(line).empty()) continue;
    if (!line.starts_with(' ') && !line.starts_with('\t')) return std::nullopt;
    return cat("document starts with an illegal indent: ", quote(line),
               ", which may cause parsing problems");
  }
  return std::nullopt;
}

Finding selector(const ObjectHead& object, std::string_view manifest) {
  constexpr std::string_view kKinds[] = {"Deployment", "ReplicaSet", "DaemonSet", "StatefulSet"};
  if (std::find(std::begin(kKinds), std::end(kKinds), object.kind) == std::end(kKinds) ||
      manifest.find("matchLabels") != manifest.npos ||
      manifest.find("matchExpressions") != manifest.npos) {
    return std::nullopt;
  }
  return cat("a ", object.kind, " must contain matchLabels or matchExpressions, and ",
             quote(object.name), " does not");
}

Finding list_annotations(const ObjectHead& object, std::string_view manifest, bool helm3) {
  if (object.kind != "List") return std::nullopt;
  constexpr std::string_view kMetadata = "struct { Annotations map[string]string }";
  const std::string item_type = cat("struct { Metadata ", kMetadata, " }");
  const auto unparsed = [](const Error& why) { return "unable to parse YAML: " + why.text(); };
  const auto tree = yaml::read_fields(manifest, {"items"});
  if (!tree) return unparsed(tree.error());
  bool found = false;
  chart::GoStruct in("");
  const auto annotations = [&](const value::Value& v) {
    std::map<std::string, std::string> map;
    bool present = false;
    in.text_map(v, map, &present);
    found |= map.contains("helm.sh/resource-policy");
  };
  const auto metadata = [&](const value::Value& v) {
    in.anonymous(v, kMetadata, {{"Annotations", annotations}});
  };
  const auto item = [&](const value::Value& v) {
    in.anonymous(v, item_type, {{"Metadata", metadata}});
  };
  in.anonymous(*tree, cat("struct { Items []", item_type, " }"),
               {{"Items", [&](const value::Value& v) { in.list(v, "[]" + item_type, item); }}});
  if (const Status read = in.status(); !read) return unparsed(read.error());
  if (!found) return std::nullopt;
  return cat(helm3 ? 'A' : 'a',
             "nnotation 'helm.sh/resource-policy' within List objects are ignored");
}

// False when a document does not parse: Helm looks no further then.
bool check_rendered(Linter& linter, const std::string& name, const std::string& manifest) {
  if (trim_space(manifest).empty()) return true;
  linter.check(Severity::kWarning, name, top_indent(manifest));
  const render::KubeVersion kube =
      linter.options.kube_version.value_or(render::default_capabilities().kube_version);
  const Finding bad = each_object(manifest, [&](const ObjectHead& object) {
    linter.check(Severity::kWarning, name, check_object_name(object));
    linter.check(Severity::kWarning, name, check_deprecation(object, kube));
    linter.check(Severity::kError, name, selector(object, manifest));
    linter.check(Severity::kError, name, list_annotations(object, manifest, linter.context.helm3));
  });
  if (!bad) return true;
  const std::string why = linter.context.helm3 ? replace_all(*bad, "k8sYamlStruct", "K8sYamlStruct")
                                               : *bad;  // the type's name in Helm 3
  return linter.check(Severity::kError, name, "unable to parse YAML: " + why);
}

}  // namespace

void lint_templates(Linter& linter) {
  if (!check_directory(linter)) return;
  const auto& loaded = linter.load();
  if (!loaded) {
    linter.check(Severity::kError, kPath, loaded.error().text());
    return;
  }
  const auto chart = (*loaded)->clone();  // the other groups see it as it was loaded
  const auto rendered = render_chart(linter, *chart);
  if (!rendered) return;
  for (const auto& file : chart->templates) {
    linter.check(Severity::kError, file->name, allowed_extension(file->name));
    if (linter.context.helm3) check_helm2_leftovers(linter, *file);
    const bool helm3 = linter.context.helm3;
    const std::string ext = to_lower(path::ext(file->name));
    if (helm3 ? path::ext(file->name) != ".yaml" : ext != ".yaml" && ext != ".yml") continue;
    const auto text = rendered->find(path::join({chart->name(), file->name}));
    if (text != rendered->end() && !check_rendered(linter, file->name, text->second)) return;
  }
}

}  // namespace pintle::action
