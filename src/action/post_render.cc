#include "action/post_render.h"

#include <map>

#include "action/annotation_text.h"
#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "yaml/restyle.h"
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

// As kyaml says it.
Error malformed(const Error& error) {
  constexpr std::string_view kOurs = "error converting YAML to JSON: ";
  return Error(error.code(),
               cat("MalformedYAMLError: ", without_prefix(error.text(), kOurs)));
}

void append_document(std::string& stream, std::string_view document) {
  if (!stream.empty()) stream += "---\n";
  stream += document;
}

// The objects of a document by value: itself, or what a List holds.
std::vector<value::Value> objects(value::Value document) {
  const value::Value* kind = document.get("kind");
  const value::Value* items = document.get("items");
  const bool list = kind && kind->is_string() && kind->as_string() == "List";
  if (!list || !items || !items->is_list()) return {std::move(document)};
  return {items->items().begin(), items->items().end()};
}

bool is_list(const value::Value& document) {
  const value::Value* kind = document.get("kind");
  return kind && kind->is_string() && kind->as_string() == "List";
}

Result<std::string> merged(const std::vector<release::RenderedFile>& files) {
  std::string stream;
  for (const release::RenderedFile& file : files) {
    if (path::base(file.path).starts_with('_') || trim_space(file.content).empty()) continue;
    for (std::string_view text : release::split_manifests(file.content)) {
      auto document = yaml::read_exact(text);
      if (!document) return Error::wrap(cat("parsing ", file.path), malformed(document.error()));
      if (document->is_nil()) continue;
      if (!is_list(*document)) {
        auto styled = yaml::restyle(text);
        if (styled && set_annotation(*styled, kMark, file.path)) {
          append_document(stream, *styled);
          continue;
        }
      }
      for (value::Value& object : objects(std::move(*document))) {
        TRY(mark(object, file.path));
        append_document(stream, TRY(yaml::write_v3(object)));
      }
    }
  }
  return stream;
}

Result<std::vector<release::RenderedFile>> parted(std::string_view stream) {
  std::map<std::string, std::string> by_path;
  int index = 0;
  const auto add = [&](std::string path, std::string_view document) {
    if (path.empty()) path = cat("generated-by-postrender-", index, ".yaml");
    ++index;
    append_document(by_path[path], document);
  };
  for (std::string_view text : release::split_manifests(stream)) {
    auto document = yaml::read_exact(text);
    if (!document) return Error::wrap("error parsing YAML", malformed(document.error()));
    if (document->is_nil()) continue;
    if (auto styled = is_list(*document) ? std::nullopt : yaml::restyle(text)) {
      std::string path = clear_annotation(*styled, kMark).value_or("");
      add(std::move(path), *styled);
      continue;
    }
    for (value::Value& object : objects(std::move(*document))) {
      std::string path = unmark(object);
      add(std::move(path), TRY(yaml::write_v3(object)));
    }
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
