#include "kube/builder.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "yaml/yaml.h"

namespace pintle::kube {
namespace {

std::string text_at(const value::Value& map, std::string_view key) {
  const value::Value* v = map.get(key);
  return v && v->is_string() ? std::string(v->as_string()) : std::string();
}

// Every line with its end, whatever ends it in the stream: a text in a block that ends a document has
// its last line's too. (apimachinery's YAMLReader)
std::string with_line_ends(std::string_view stream) {
  std::string out = replace_all(stream, "\r\n", "\n");
  if (!out.ends_with('\n')) out += '\n';
  return out;
}

// Documents begin after a line that starts with "---"; what else stands on that line is left out.
std::vector<std::string_view> documents(std::string_view stream) {
  std::vector<std::string_view> out;
  size_t start = 0;
  if (stream.starts_with("---")) start = std::min(stream.find('\n'), stream.size());
  while (start <= stream.size()) {
    const size_t end = stream.find("\n---", start);
    out.push_back(stream.substr(start, end == std::string_view::npos ? end : end + 1 - start));
    if (end == std::string_view::npos) break;
    start = std::min(stream.find('\n', end + 1), stream.size());
  }
  return out;
}

class Builder {
 public:
  Builder(std::string_view ns, Discovery& discovery) : ns_(ns), discovery_(discovery) {}

  void document(std::string_view text) {
    auto tree = yaml::read_exact(text);
    if (!tree) return fail("error parsing : " + tree.error().text());
    if (!tree->is_nil()) add(std::move(*tree), 0);
  }

  Result<Objects> finish() {
    if (errors_.empty()) return std::move(objects_);
    std::vector<std::string> texts;
    for (const Error& e : errors_) {
      if (std::find(texts.begin(), texts.end(), e.text()) == texts.end()) texts.push_back(e.text());
    }
    if (texts.size() == 1) return errors_[0];
    return Error(errors_[0].code(), cat("[", join(texts, ", "), "]"));
  }

 private:
  static constexpr int kDeepest = 8;  // Lists in Lists

  void fail(std::string text, Code code = Code::kInvalidArgument) {
    errors_.push_back(Error(code, std::move(text)));
  }

  void add(value::Value tree, int depth) {
    if (!tree.is_map()) return fail("unable to decode \"\": json: cannot unmarshal into Go value of type unstructured.detector");
    const std::string kind = text_at(tree, "kind"), api = text_at(tree, "apiVersion");
    if (kind.empty()) return fail("unable to decode \"\": Object 'Kind' is missing in 'unstructured object'");
    const value::Value* items = tree.get("items");
    if (kind.ends_with("List") && items && items->is_list() && depth < kDeepest) {
      for (const value::Value& item : items->items()) add(item, depth + 1);
      return;
    }
    Object o;
    const size_t slash = api.find('/');
    o.group = slash == std::string::npos ? "" : api.substr(0, slash);
    o.version = slash == std::string::npos ? api : api.substr(slash + 1);
    o.kind = kind;
    const value::Value* metadata = tree.get("metadata");
    if (metadata && metadata->is_map()) {
      o.name = text_at(*metadata, "name");
      o.ns = text_at(*metadata, "namespace");
    }
    auto resource = discovery_.find(o.group, o.version, o.kind);
    if (!resource) {
      const Error& e = resource.error();
      if (!e.text().starts_with("no matches for kind")) return errors_.push_back(e);
      return fail(cat("resource mapping not found for name: ", quote(o.name), " namespace: ",
                      quote(o.ns), " from \"\": ", e.text(), "\nensure CRDs are installed first"),
                  Code::kNotFound);
    }
    o.plural = resource->plural;
    o.namespaced = resource->namespaced;
    if (!o.namespaced) {
      o.ns.clear();
    } else if (o.ns.empty()) {
      o.ns = ns_;
      tree = with_namespace(tree, o.ns);
    }
    o.tree = std::move(tree);
    objects_.push_back(std::move(o));
  }

  static value::Value with_namespace(const value::Value& tree, std::string_view ns) {
    value::Value copy = value::deep_copy(tree);
    const value::Value* metadata = copy.get("metadata");
    if (!metadata || !metadata->as_map()) {
      copy.as_map()->set("metadata", value::Value::map(value::make_map()));
      metadata = copy.get("metadata");
    }
    metadata->as_map()->set("namespace", value::str(ns));
    return copy;
  }

  const std::string ns_;
  Discovery& discovery_;
  Objects objects_;
  std::vector<Error> errors_;
};

}  // namespace

Result<Objects> build_objects(std::string_view manifest, std::string_view ns, Discovery& discovery) {
  Builder builder(ns, discovery);
  std::string whole;
  if (!manifest.ends_with('\n') || manifest.find('\r') != std::string_view::npos) {
    whole = with_line_ends(manifest);
    manifest = whole;
  }
  for (std::string_view text : documents(manifest)) {
    if (!trim_space(text).empty()) builder.document(text);
  }
  return builder.finish();
}

}  // namespace pintle::kube
