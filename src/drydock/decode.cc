#include "drydock/decode.h"

#include <set>

#include "base/gotext.h"
#include "base/strings.h"
#include "drydock/custom_schema.h"
#include "drydock/protobuf.h"
#include "drydock/tree.h"
#include "drydock/wire.h"
#include "json/json.h"
#include "yaml/yaml.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

std::string_view media_type(const httpd::Request& http) {
  std::string_view type = http.header("Content-Type");
  return trim_space(type.substr(0, type.find(';')));
}

Error unknown_type() {
  return status_error(415, "UnsupportedMediaType",
                      "the body of the request was in an unknown format - accepted media types include: "
                      "application/json, application/yaml, application/vnd.kubernetes.protobuf");
}

Result<Value> read_body(const httpd::Request& http) {
  std::string_view type = media_type(http);
  if (type == kProtobuf) return read_protobuf(http.body);
  if (type == "application/yaml") return yaml::read_exact(http.body);
  if (type.empty() || type == "application/json") return json::read(http.body, {.numbers = json::Numbers::kExact});
  return unknown_type();
}

}  // namespace

std::vector<std::string> duplicate_fields(std::string_view s) {
  // The text has been read once already, so it is well-formed; only keys and nesting matter here.
  struct Frame {
    bool map;
    std::set<std::string, std::less<>> keys;
    std::string path;  // of the container
    size_t index = 0;
  };
  std::vector<std::string> out;
  std::vector<Frame> stack;
  std::string key;
  bool expects_key = false;
  auto child_path = [&]() -> std::string {
    if (stack.empty()) return "";
    const Frame& f = stack.back();
    if (!f.map) return cat(f.path, "[", f.index, "]");
    return f.path.empty() ? key : cat(f.path, ".", key);
  };
  for (size_t i = 0; i < s.size(); ++i) {
    switch (s[i]) {
      case '{': case '[': {
        bool map = s[i] == '{';
        std::string path = child_path();
        stack.push_back({map, {}, std::move(path)});
        expects_key = map;
        break;
      }
      case '}': case ']':
        if (!stack.empty()) stack.pop_back();
        expects_key = false;
        break;
      case ',':
        if (stack.empty()) break;
        expects_key = stack.back().map;
        if (!stack.back().map) ++stack.back().index;
        break;
      case '"': {
        size_t start = i++;
        while (i < s.size() && s[i] != '"') i += s[i] == '\\' ? 2 : 1;
        if (!expects_key || stack.empty()) break;
        expects_key = false;
        auto text = json::read(s.substr(start, i + 1 - start));
        key = text && text->is_string() ? std::string(text->as_string()) : "";
        if (!stack.back().keys.insert(key).second) out.push_back(child_path());
        break;
      }
      default: break;
    }
  }
  return out;
}

Status check_fields(const Resource& resource, Value& object, std::vector<std::string>* unknown,
                    Refusal refusal) {
  if (resource.custom()) {
    std::vector<std::string> pruned;
    default_and_prune(object, resource.custom_version->schema.get(), pruned);
    if (unknown) unknown->insert(unknown->end(), pruned.begin(), pruned.end());
    return ok();
  }
  if (!has_wire_form(resource.group, resource.version, resource.kind)) return ok();
  return to_wire(resource.group, resource.version, resource.kind, object, unknown, refusal);
}

Result<Decoded> decode_object(const httpd::Request& http, const Resource& resource, FieldValidation validation) {
  std::string_view type = media_type(http);
  bool is_yaml = type == "application/yaml";
  bool is_protobuf = type == kProtobuf;
  if (!is_yaml && !is_protobuf && !type.empty() && type != "application/json") return unknown_type();
  auto body = read_body(http);
  if (!body) {
    std::string shown = http.body.empty() ? "<empty>" : http.body.substr(0, 1024);
    std::string why = is_yaml || is_protobuf ? body.error().text() : cat("json parse error: ", body.error().text(), " (", shown, ")");
    return bad_request(cat("the object provided is unrecognized (must be of type ", resource.kind,
                           "): couldn't get version/kind; ", why));
  }
  Decoded out;
  out.object = std::move(*body);
  auto refused = [&](std::string_view why) {
    return bad_request(cat(resource.kind, " in version ", quote(resource.version), " cannot be handled as a ",
                           resource.kind, ": ", why));
  };
  if (!out.object.is_map()) {
    return bad_request(cat("the object provided is unrecognized (must be of type ", resource.kind,
                           "): couldn't get version/kind; json parse error: ",
                           json::type_error(out.object, "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }").text()));
  }
  std::string kind(text(out.object, "kind")), api_version(text(out.object, "apiVersion"));
  if (kind.empty()) kind = resource.kind;
  if (api_version.empty()) api_version = resource.api_version();
  if (kind != resource.kind || api_version != resource.api_version()) {
    size_t slash = api_version.rfind('/');
    std::string version = slash == std::string::npos ? api_version : api_version.substr(slash + 1);
    return bad_request(cat(kind, " in version ", quote(version), " cannot be handled as a ", resource.kind,
                           ": converting (", version, ".", kind, ") to (", resource.group.empty() ? "core" : split(resource.group, ".")[0],
                           ".", resource.kind, "): unknown conversion"));
  }
  std::vector<std::string> unknown;
  if (Status s = check_fields(resource, out.object, &unknown); !s) return refused(s.error().text());
  put(out.object, "kind", kind);
  put(out.object, "apiVersion", api_version);
  if (validation == FieldValidation::kIgnore) return out;
  for (const std::string& path : unknown) out.warnings.push_back(cat("unknown field ", quote(path)));
  if (!is_yaml && !is_protobuf) {
    for (const std::string& path : duplicate_fields(http.body)) {
      out.warnings.push_back(cat("duplicate field ", quote(path)));
    }
  }
  if (validation == FieldValidation::kStrict && !out.warnings.empty()) {
    return refused(cat("strict decoding error: ", join(out.warnings, ", ")));
  }
  return out;
}

Result<Value> decode_any(const httpd::Request& http) {
  if (http.body.empty()) return Value();
  auto body = read_body(http);
  if (body) return std::move(*body);
  if (body.error().find<ApiError>()) return body.error();
  return bad_request(body.error().text());
}

}  // namespace pintle::drydock
