#include "drydock/decode.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "drydock/body_text.h"
#include "drydock/catalog.h"
#include "drydock/custom_schema.h"
#include "drydock/protobuf.h"
#include "drydock/tree.h"
#include "drydock/wire.h"
#include "json/json.h"
#include "yaml/yaml.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr std::string_view kTypeMeta =
    "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }";

enum class Format : uint8_t { kJson, kYaml, kProtobuf, kOther };

// As mime.ParseMediaType: a parameter without '=' makes it no type at all, but for one last ';'.
Format format_of(const httpd::Request& http) {
  std::string_view header = http.header("Content-Type");
  const size_t semicolon = header.find(';');
  std::string type = to_lower(trim_space(header.substr(0, semicolon)));
  if (semicolon != std::string_view::npos) {
    auto parts = split(header.substr(semicolon + 1), ";");
    for (size_t i = 0; i < parts.size(); ++i) {
      const std::string_view part = trim_space(parts[i]);
      const bool last = part.empty() && i + 1 == parts.size();
      if (!last && part.find('=') == std::string_view::npos) return Format::kOther;
    }
  }
  if (type.empty() || type == "application/json") return Format::kJson;
  if (type == "application/yaml") return Format::kYaml;
  return type == kProtobuf ? Format::kProtobuf : Format::kOther;
}

Error unknown_type() {
  return status_error(415, "UnsupportedMediaType",
                      "the body of the request was in an unknown format - accepted media types include: "
                      "application/json, application/yaml, application/vnd.kubernetes.protobuf");
}

// The tree, or in the serializers' words why it is none.
Result<Value> read_body(std::string_view body, Format format) {
  switch (format) {
    case Format::kProtobuf: return read_protobuf(body);
    case Format::kYaml: {
      auto v = yaml::read_exact(body);
      if (v) return v;
      std::string_view why = v.error().text();
      constexpr std::string_view kConverting = "error converting YAML to JSON: ";
      if (why.starts_with(kConverting)) why.remove_prefix(kConverting.size());
      return Error(Code::kInvalidArgument, std::string(why));
    }
    default: {
      auto v = json::read(body, {.numbers = json::Numbers::kExact});
      if (v) return v;
      return Error(Code::kInvalidArgument, cat("couldn't get version/kind; json parse error: ", v.error().text()));
    }
  }
}

// kind and apiVersion must be texts before anything else is looked at.
Status check_type_meta(const Value& object) {
  auto refused = [](std::string_view why) {
    return Error(Code::kInvalidArgument, cat("couldn't get version/kind; json parse error: ", why));
  };
  if (!object.is_map()) return refused(json::type_error(object, kTypeMeta).text());
  for (std::string_view key : {"kind", "apiVersion"}) {
    const Value* v = object.get(key);
    if (!v || v->is_nil() || v->is_string()) continue;
    std::string text(json::type_error(*v, "string").text());
    const size_t at = text.find("Go value of type");
    return refused(cat(text.substr(0, at), "Go struct field .", key, text.substr(at + 8)));
  }
  const std::string_view version = text(object, "apiVersion");
  if (std::count(version.begin(), version.end(), '/') > 1) {
    return Error(Code::kInvalidArgument, cat("unexpected GroupVersion string: ", version));
  }
  return ok();
}

struct GroupVersion {
  std::string group, version;
  explicit GroupVersion(std::string_view text) {
    const size_t slash = text.rfind('/');
    if (slash != std::string_view::npos) group = text.substr(0, slash);
    version = slash == std::string_view::npos ? text : text.substr(slash + 1);
  }
  std::string text() const { return group.empty() ? version : cat(group, "/", version); }
};

// Versions that are served no more but still read; their kinds are those of the versions that are.
bool was_served(std::string_view group, std::string_view version) {
  static constexpr std::pair<std::string_view, std::string_view> kOld[] = {
      {"admissionregistration.k8s.io", "v1beta1"}, {"apps", "v1beta1"}, {"apps", "v1beta2"},
      {"authentication.k8s.io", "v1beta1"}, {"authorization.k8s.io", "v1beta1"}, {"batch", "v1beta1"},
      {"certificates.k8s.io", "v1beta1"}, {"coordination.k8s.io", "v1beta1"}, {"discovery.k8s.io", "v1beta1"},
      {"events.k8s.io", "v1beta1"}, {"flowcontrol.apiserver.k8s.io", "v1beta3"},
      {"networking.k8s.io", "v1beta1"}, {"node.k8s.io", "v1beta1"}, {"policy", "v1beta1"},
      {"rbac.authorization.k8s.io", "v1beta1"}, {"rbac.authorization.k8s.io", "v1alpha1"},
      {"scheduling.k8s.io", "v1beta1"}, {"storage.k8s.io", "v1beta1"}};
  return std::find(std::begin(kOld), std::end(kOld), std::pair(group, version)) != std::end(kOld);
}

// Kinds of requests' options and of streams, which every group has.
bool in_every_version(std::string_view kind) {
  return kind == "WatchEvent" || kind == "ListOptions" || kind == "GetOptions" || kind == "DeleteOptions" ||
         kind == "CreateOptions" || kind == "UpdateOptions" || kind == "PatchOptions";
}

// Another kind or version than the resource's: how the codec says so. `converts`: the kind is read, but
// as a version of the same that is another.
std::string wrong_kind(const Resource& resource, std::string_view kind, const GroupVersion& given, bool* converts) {
  std::string group = given.group;
  if (group == "extensions" && given.version == "v1beta1") {
    group = kind == "Ingress" || kind == "NetworkPolicy" ? "networking.k8s.io" : "apps";
  }
  const auto built_in = Catalog::built_in();
  const auto& all = built_in->all();
  const std::string_view item = kind.ends_with("List") ? kind.substr(0, kind.size() - 4) : kind;  // each kind has a list
  const bool known_kind = in_every_version(kind) || (group.empty() && kind == "List");
  const bool registered = std::any_of(all.begin(), all.end(), [&](const ResourcePtr& r) {
    return r->group == group && (known_kind || r->kind == kind || r->kind == item) &&
           (r->version == given.version || given.group == "extensions" || was_served(group, given.version));
  });
  *converts = resource.custom() || (registered && kind == resource.kind && group == resource.group);
  if (*converts) {
    return cat("the API version in the data (", given.text(), ") does not match the expected API version (",
               resource.api_version(), ")");
  }
  return registered ? cat("converting (", given.version, ".", kind, ") to (",
                          resource.group.empty() ? "core" : split(resource.group, ".")[0], ".", resource.kind,
                          "): unknown conversion")
                    : cat("no kind ", quote(kind), " is registered for version ", quote(given.text()),
                          " in scheme \"pkg/runtime/scheme.go:111\"");
}

}  // namespace

namespace {

// The metadata of a custom object is read by its Go type, too.
Status check_custom_meta(const Value& object) {
  for (std::string_view map : {"annotations", "labels"}) {
    for (const auto& e : entries(object, "metadata", map)) {
      if (e.value.is_string() || e.value.is_nil()) continue;
      const std::string why(json::type_error(e.value, "string").text());
      return Error(Code::kInvalidArgument,
                   cat(why.substr(0, why.find(" into ")), " into Go struct field ObjectMeta.", map, " of type string"));
    }
  }
  return ok();
}

}  // namespace

Status check_fields(const Resource& resource, Value& object, std::vector<std::string>* unknown,
                    Refusal refusal, std::string_view written) {
  if (resource.custom()) {
    std::vector<std::string> pruned;
    TRY(check_custom_meta(object));
    default_and_prune(object, resource.custom_version->schema.get(), pruned);
    if (unknown) unknown->insert(unknown->end(), pruned.begin(), pruned.end());
    return ok();
  }
  if (!has_wire_form(resource.group, resource.version, resource.kind)) return ok();
  return to_wire(resource.group, resource.version, resource.kind, object, unknown, refusal, written);
}

Result<Decoded> decode_object(const httpd::Request& http, const Resource& resource, FieldValidation validation) {
  const Format format = format_of(http);
  if (format == Format::kOther || (format == Format::kProtobuf && resource.custom())) return unknown_type();
  auto unrecognized = [&](std::string_view why) {
    return bad_request(cat("the object provided is unrecognized (must be of type ", resource.kind, "): ", why, " (",
                           summary_of(http.body), ")"));
  };
  auto body = read_body(http.body, format);
  if (!body) return unrecognized(body.error().text());
  Decoded out;
  out.object = std::move(*body);
  if (out.object.is_nil()) out.object = empty_map();
  if (Status s = check_type_meta(out.object); !s) return unrecognized(s.error().text());
  std::string kind(text(out.object, "kind")), api_version(text(out.object, "apiVersion"));
  if (kind.empty() && resource.custom()) return unrecognized(cat("Object 'Kind' is missing in '", http.body, "'"));
  if (kind.empty()) kind = resource.kind;
  if (api_version.empty()) api_version = resource.api_version();
  const GroupVersion given(api_version);
  if (given.version.empty() && !resource.custom()) {
    return bad_request(cat(kind, " in version \"\" cannot be handled as a ", resource.kind,
                           ": Object 'apiVersion' is missing in '", http.body, "'"));
  }
  if (kind != resource.kind || given.text() != resource.api_version()) {
    if (resource.custom() && api_version == resource.api_version()) {
      return invalid(resource.group, kind, name_of(out.object),
                     {{"FieldValueInvalid", cat("Invalid value: ", quote(kind), ": must be ", resource.kind), "kind"}});
    }
    bool converts = false;
    std::string why = wrong_kind(resource, kind, given, &converts);
    if (converts) return bad_request(std::move(why));
    return bad_request(cat(kind, " in version ", quote(given.version), " cannot be handled as a ", resource.kind, ": ", why));
  }
  auto refused = [&](std::string_view why) {
    return bad_request(cat(kind, " in version ", quote(resource.version), " cannot be handled as a ", resource.kind, ": ", why));
  };
  std::vector<std::string> unknown;
  const std::string_view written = format == Format::kJson ? http.body : std::string_view();
  if (Status s = check_fields(resource, out.object, &unknown, Refusal::kDecode, written); !s) return refused(s.error().text());
  put(out.object, "kind", kind);
  put(out.object, "apiVersion", resource.api_version());
  if (validation == FieldValidation::kIgnore) return out;
  if (format == Format::kYaml) out.warnings = duplicate_yaml_keys(http.body);
  for (std::string& s : strict_complaints(format == Format::kJson ? http.body : std::string_view(), unknown)) {
    out.warnings.push_back(std::move(s));
  }
  if (validation == FieldValidation::kStrict && !out.warnings.empty()) {
    return refused(cat("strict decoding error: ", join(out.warnings, ", ")));
  }
  return out;
}

Status check_kind(const Resource& resource, const Value& object) {
  std::string kind(text(object, "kind")), version(text(object, "apiVersion"));
  if (kind.empty()) kind = resource.kind;
  if (version.empty()) version = resource.api_version();
  if (kind == resource.kind && version == resource.api_version()) return ok();
  bool converts = false;
  return Error(Code::kInvalidArgument, wrong_kind(resource, kind, GroupVersion(version), &converts));
}

ResourcePtr kind_of_body(std::string_view group, std::string_view kind) {
  auto out = std::make_shared<Resource>();
  out->group = group;
  out->version = "v1";
  out->kind = kind;
  return out;
}

Result<Value> decode_any(const httpd::Request& http) {
  if (http.body.empty()) return Value();
  const Format format = format_of(http);
  if (format == Format::kOther) return unknown_type();
  auto body = read_body(http.body, format);
  if (!body) return bad_request(body.error().text());
  if (body->is_nil()) return empty_map();
  if (Status s = check_type_meta(*body); !s) return bad_request(s.error().text());
  return std::move(*body);
}

}  // namespace pintle::drydock
