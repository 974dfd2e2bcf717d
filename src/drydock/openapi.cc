#include "drydock/openapi.h"

#include <map>
#include <set>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "drydock/openapi_v2.h"
#include "drydock/tree.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kV3 = "#/components/schemas/";

// What OpenAPI v2 has no words for.
void drop_v3(Value& schema, int depth) {
  if (depth > 100) return;
  if (flag(schema, "nullable")) {
    for (std::string_view key : {"type", "items", "properties", "additionalProperties"}) drop(schema, key);
  }
  for (std::string_view key : {"oneOf", "anyOf", "allOf", "not", "nullable"}) drop(schema, key);
  if (Value* all = find(schema, "properties"); all && all->is_map()) {
    for (auto& entry : all->as_map()->entries()) drop_v3(entry.value, depth + 1);
  }
  for (std::string_view key : {"items", "additionalProperties"}) {
    if (Value* below = find(schema, key); below && below->is_map()) drop_v3(*below, depth + 1);
  }
}

// Writes types as schemas; named ones once, by reference.
class Schemas {
 public:
  explicit Schemas(std::string_view prefix) : x_prefix(prefix) {}

  std::string of(const patch::Type* type, int depth = 0) {
    if (!type || depth > 100) return "{}";
    if (!type->name.empty() && type->shape == patch::Shape::kStruct) {
      std::string name(type->name);
      if (!x_named.contains(name)) {
        x_named[name] = "";  // before its fields: types may hold themselves
        std::string body = inline_of(type, depth, "");
        x_named[name] = std::move(body);
      }
      return cat("{\"$ref\":", json::quoted(cat(x_prefix, name)), "}");
    }
    return inline_of(type, depth, "");
  }

  void add_kind(const Resource& r, const patch::Type* type, const std::string& name) {
    std::string gvk = cat("\"x-kubernetes-group-version-kind\":[{\"group\":", json::quoted(r.group), ",\"version\":",
                          json::quoted(r.version), ",\"kind\":", json::quoted(r.kind), "}]");
    x_named[name] = inline_of(type, 0, gvk);
  }

  // The definition's own schema, with what every object has.
  void add_custom(const Resource& r, const std::string& name) {
    auto read = json::read(r.schema_json, {.numbers = json::Numbers::kExact});
    Value schema = read ? std::move(*read) : empty_map();
    if (x_prefix != kV3) drop_v3(schema, 0);
    Value& properties = ensure(schema, "properties");
    put(ensure(properties, "apiVersion"), "type", "string");
    put(ensure(properties, "kind"), "type", "string");
    std::string meta = of(patch::type_named("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"));
    if (auto reference = json::read(meta)) put(properties, "metadata", std::move(*reference));
    Value gvk = empty_map();
    put(gvk, "group", r.group);
    put(gvk, "version", r.version);
    put(gvk, "kind", r.kind);
    put(schema, "x-kubernetes-group-version-kind", Value::list_of({gvk}));
    std::string out;
    if (json::append(out, schema)) x_named[name] = std::move(out);
  }

  std::string text() const {
    std::string out = "{";
    for (const auto& [name, body] : x_named) append(out, {out.size() > 1 ? "," : "", json::quoted(name), ":", body});
    return out + "}";
  }

 private:
  std::string inline_of(const patch::Type* type, int depth, std::string_view extra) {
    std::string out = "{";
    auto add = [&](std::string_view piece) { append(out, {out.size() > 1 ? "," : "", piece}); };
    switch (type ? type->shape : patch::Shape::kAny) {
      case patch::Shape::kAny:
        if (type && type->preserve_unknown) add("\"x-kubernetes-preserve-unknown-fields\":true");
        break;
      case patch::Shape::kScalar: add(scalar(type->scalar)); break;
      case patch::Shape::kList:
        add("\"type\":\"array\"");
        add(cat("\"items\":", of(type->element, depth + 1)));
        if (type->list == patch::ListKind::kSet) add("\"x-kubernetes-list-type\":\"set\"");
        if (type->list == patch::ListKind::kByKeys) {
          add("\"x-kubernetes-list-type\":\"map\"");
          std::string keys;
          for (uint32_t i = 0; i < type->key_count; ++i) append(keys, {keys.empty() ? "" : ",", json::quoted(type->keys[i])});
          add(cat("\"x-kubernetes-list-map-keys\":[", keys, "]"));
        }
        break;
      case patch::Shape::kMap:
        add("\"type\":\"object\"");
        add(cat("\"additionalProperties\":", of(type->element, depth + 1)));
        break;
      case patch::Shape::kStruct: {
        add("\"type\":\"object\"");
        std::string properties, required;
        for (uint32_t i = 0; i < type->field_count; ++i) {
          const patch::Field& f = type->fields[i];
          std::string schema = of(f.type, depth + 1);
          std::string merge;
          if (f.patch_merge) append(merge, {"\"x-kubernetes-patch-strategy\":\"merge", f.patch_retain_keys ? ",retainKeys" : "", "\""});
          else if (f.patch_retain_keys) merge = "\"x-kubernetes-patch-strategy\":\"retainKeys\"";
          if (!f.merge_key.empty()) append(merge, {merge.empty() ? "" : ",", "\"x-kubernetes-patch-merge-key\":", json::quoted(f.merge_key)});
          if (!merge.empty()) {
            schema.pop_back();
            append(schema, {schema.size() > 1 ? "," : "", merge, "}"});
          }
          append(properties, {properties.empty() ? "" : ",", json::quoted(f.name), ":", schema});
          if (f.required) append(required, {required.empty() ? "" : ",", json::quoted(f.name)});
        }
        if (!properties.empty()) add(cat("\"properties\":{", properties, "}"));
        if (!required.empty()) add(cat("\"required\":[", required, "]"));
        if (type->preserve_unknown) add("\"x-kubernetes-preserve-unknown-fields\":true");
        break;
      }
    }
    if (!extra.empty()) add(extra);
    return out + "}";
  }

  static std::string_view scalar(patch::Scalar s) {
    switch (s) {
      case patch::Scalar::kAny: return "\"description\":\"\"";
      case patch::Scalar::kString: return "\"type\":\"string\"";
      case patch::Scalar::kInteger: return "\"type\":\"integer\"";
      case patch::Scalar::kNumber: return "\"type\":\"number\"";
      case patch::Scalar::kBoolean: return "\"type\":\"boolean\"";
      case patch::Scalar::kIntOrString: return "\"type\":\"string\",\"format\":\"int-or-string\"";
    }
    return "";
  }

  std::string x_prefix;
  std::map<std::string, std::string> x_named;
};

std::string name_of(const Resource& r) {
  if (r.type && !r.type->name.empty()) return std::string(r.type->name);
  std::vector<std::string_view> parts = split(r.group, ".");
  std::string out;
  for (auto it = parts.rbegin(); it != parts.rend(); ++it) append(out, {*it, "."});
  return cat(out, r.version, ".", r.kind);
}

// kubectl looks here for whether a kind takes fieldValidation and dryRun.
std::string operation(const Resource& r, std::string_view action, bool v2) {
  const std::string_view type = v2 ? "\"type\":\"string\"" : "\"schema\":{\"type\":\"string\"}";
  return cat("{\"parameters\":[{\"name\":\"dryRun\",\"in\":\"query\",", type, "},{\"name\":\"fieldValidation\",\"in\":\"query\",", type,
             "}],\"responses\":{},\"x-kubernetes-action\":", json::quoted(action),
             ",\"x-kubernetes-group-version-kind\":{\"group\":", json::quoted(r.group), ",\"version\":",
             json::quoted(r.version), ",\"kind\":", json::quoted(r.kind), "}}");
}

std::string paths_of(const Catalog& catalog, std::string_view group, std::string_view version, bool v2) {
  std::string out = "{";
  for (const ResourcePtr& r : catalog.all()) {
    if (!v2 && (r->group != group || r->version != version)) continue;
    std::string base = r->group.empty() ? cat("/api/", r->version) : cat("/apis/", r->group, "/", r->version);
    std::string path = cat(base, r->namespaced ? "/namespaces/{namespace}/" : "/", r->plural);
    append(out, {out.size() > 1 ? "," : "", json::quoted(path), ":{\"get\":", operation(*r, "list", v2), ",\"post\":",
                 operation(*r, "post", v2), "},", json::quoted(cat(path, "/{name}")), ":{\"get\":", operation(*r, "get", v2),
                 ",\"put\":", operation(*r, "put", v2), ",\"patch\":", operation(*r, "patch", v2), ",\"delete\":",
                 operation(*r, "delete", v2), "}"});
  }
  return out + "}";
}

std::string schemas_of(const Catalog& catalog, std::string_view group, std::string_view version, bool all,
                       std::string_view prefix) {
  Schemas schemas(prefix);
  for (const ResourcePtr& r : catalog.all()) {
    if (!all && (r->group != group || r->version != version)) continue;
    if (r->custom()) {
      schemas.add_custom(*r, name_of(*r));
      continue;
    }
    schemas.of(r->type);
    schemas.add_kind(*r, r->type, name_of(*r));
  }
  return schemas.text();
}

std::string document(const Catalog& catalog, std::string_view group, std::string_view version) {
  return cat("{\"openapi\":\"3.0.0\",\"info\":{\"title\":\"Kubernetes\",\"version\":\"v1.36.3\"},\"paths\":",
             paths_of(catalog, group, version, false), ",\"components\":{\"schemas\":",
             schemas_of(catalog, group, version, false, kV3), "}}");
}

}  // namespace

Result<httpd::Response> serve_openapi(const Catalog& catalog, const ApiRequest& r) {
  const auto& p = r.path;
  if (p.size() == 2 && p[1] == "v2") {
    std::string text = cat("{\"swagger\":\"2.0\",\"info\":{\"title\":\"Kubernetes\",\"version\":\"v1.36.3\"},\"paths\":",
                           paths_of(catalog, "", "", true), ",\"definitions\":",
                           schemas_of(catalog, "", "", true, "#/definitions/"), "}");
    if (r.http->header("Accept").find(kAcceptOpenApiV2Protobuf) == std::string_view::npos) {
      return text_response(200, std::move(text));
    }
    return text_response(200, openapi_v2_protobuf(TRY(json::read(text))), kOpenApiV2Protobuf);
  }
  if (p.size() >= 2 && p[1] == "v3") {
    if (p.size() == 2) {
      std::string paths;
      std::set<std::string> seen;
      for (const ResourcePtr& res : catalog.all()) {
        std::string path = res->group.empty() ? cat("api/", res->version) : cat("apis/", res->group, "/", res->version);
        if (!seen.insert(path).second) continue;
        std::string content = cat(path, '\n', catalog.all().size());
        for (const ResourcePtr& other : catalog.all()) {
          if (other->custom() && other->group == res->group && other->version == res->version) {
            append(content, {"\n", other->plural, " ", other->kind, " ", other->schema_json});
          }
        }
        std::string hash = crypt::hex(crypt::sha256(content));
        append(paths, {paths.empty() ? "" : ",", json::quoted(path), ":{\"serverRelativeURL\":", json::quoted(cat("/openapi/v3/", path, "?hash=", hash)), "}"});
      }
      return text_response(200, cat("{\"paths\":{", paths, "}}"));
    }
    if (p.size() == 4 && p[2] == "api" && catalog.has_version("", p[3])) {
      return text_response(200, document(catalog, "", p[3]));
    }
    if (p.size() == 5 && p[2] == "apis" && catalog.has_version(p[3], p[4])) {
      return text_response(200, document(catalog, p[3], p[4]));
    }
  }
  httpd::Response none;
  none.status = 404;
  return r.path.size() > 1 && r.path[1] == "v3" ? none : plain_not_found();
}

}  // namespace pintle::drydock
