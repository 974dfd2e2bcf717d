#include "action/post_render.h"

#include <map>

#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "yaml/yaml.h"

namespace pintle::action {
namespace {

constexpr std::string_view kMark = "postrenderer.helm.sh/postrender-filename";

// The map under key, made when absent; null when something else stands there.
value::Map* child_map(value::Map& map, std::string_view key) {
  value::Value& child = map.at_or_insert(value::Str(key));
  if (child.is_nil()) child = value::Value::map(value::make_map());
  return child.is_map() ? child.as_map() : nullptr;
}

Status mark(value::Value& document, const std::string& path) {
  value::Map* metadata =
      document.is_map() && document.as_map() ? child_map(*document.as_map(), "metadata") : nullptr;
  value::Map* annotations = metadata ? child_map(*metadata, "annotations") : nullptr;
  if (!annotations) return Error(cat("annotating ", path, ": wrong Node Kind"));
  annotations->set(value::Str(kMark), value::str(path));
  return ok();
}

// Takes the mark out again; "" when there is none.
std::string unmark(value::Value& document) {
  value::Value* metadata =
      document.is_map() && document.as_map() ? document.as_map()->find("metadata") : nullptr;
  value::Value* annotations =
      metadata && metadata->is_map() ? metadata->as_map()->find("annotations") : nullptr;
  const value::Value* found = annotations ? annotations->get(kMark) : nullptr;
  if (!found || !found->is_string()) return "";
  std::string path(found->as_string());
  annotations->as_map()->erase(kMark);
  if (annotations->as_map()->empty()) metadata->as_map()->erase("annotations");
  return path;
}

Status append_document(std::string& stream, const value::Value& document) {
  if (!stream.empty()) stream += "---\n";
  stream += TRY(yaml::write_v3(document));
  return ok();
}

Result<std::string> merged(const std::vector<release::RenderedFile>& files) {
  std::string stream;
  for (const release::RenderedFile& file : files) {
    if (path::base(file.path).starts_with('_') || trim_space(file.content).empty()) continue;
    for (std::string_view text : release::split_manifests(file.content)) {
      auto document = yaml::read_exact(text);
      if (!document) return Error::wrap(cat("parsing ", file.path), document.error());
      if (document->is_nil()) continue;
      TRY(mark(*document, file.path));
      TRY(append_document(stream, *document));
    }
  }
  return stream;
}

Result<std::vector<release::RenderedFile>> parted(std::string_view stream) {
  std::map<std::string, std::string> by_path;
  int index = 0;
  for (std::string_view text : release::split_manifests(stream)) {
    auto document = yaml::read_exact(text);
    if (!document) return Error::wrap("error parsing YAML", document.error());
    if (document->is_nil()) continue;
    std::string path = unmark(*document);
    if (path.empty()) path = cat("generated-by-postrender-", index, ".yaml");
    ++index;
    TRY(append_document(by_path[path], *document));
  }
  std::vector<release::RenderedFile> files;
  for (auto& [path, content] : by_path) files.push_back({path, std::move(content)});
  return files;
}

}  // namespace

Result<std::vector<release::RenderedFile>> post_render_files(
    const std::vector<release::RenderedFile>& files, const PostRenderer& run) {
  auto stream = merged(files);
  if (!stream) return Error::wrap("error merging manifests", stream.error());
  const auto changed = run(*stream);
  if (!changed) return Error::wrap("error while running post render on files", changed.error());
  auto back = parted(*changed);
  if (!back) return Error::wrap("error while parsing post rendered output", back.error());
  return back;
}

}  // namespace pintle::action
