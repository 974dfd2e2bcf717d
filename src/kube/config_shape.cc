#include "kube/config_shape.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/gotext.h"
#include "base/strings.h"
#include "crypt/crypt.h"

namespace pintle::kube {
namespace {

using value::Type;
using value::Value;

struct Struct;

// What a field holds: kText, kBool, kBytes (base64), or a Struct; bare, in a list, by name, or lists
// by name.
enum class Leaf : uint8_t { kText, kBool, kBytes, kStruct };
enum class Around : uint8_t { kNone, kList, kMap, kMapOfLists };

struct Field {
  std::string_view name;
  Leaf leaf = Leaf::kText;
  Around around = Around::kNone;
  const Struct* of = nullptr;
  std::string_view type = {};  // where it is not what the leaf says
};

struct Struct {
  std::string_view name;  // of Go's type, in package v1
  std::span<const Field> fields;
};

// client-go tools/clientcmd/api/v1/types.go. Extensions may hold anything.
constexpr Field kExtensionFields[] = {{"name"}};
constexpr Struct kExtension{"NamedExtension", kExtensionFields};
constexpr Field kExtensions{"extensions", Leaf::kStruct, Around::kList, &kExtension};

constexpr Field kClusterFields[] = {{"server"}, {"tls-server-name"}, {"insecure-skip-tls-verify", Leaf::kBool},
                                    {"certificate-authority"}, {"certificate-authority-data", Leaf::kBytes},
                                    {"proxy-url"}, {"disable-compression", Leaf::kBool}, kExtensions};
constexpr Struct kCluster{"Cluster", kClusterFields};
constexpr Field kNamedClusterFields[] = {{"name"}, {"cluster", Leaf::kStruct, Around::kNone, &kCluster}};
constexpr Struct kNamedCluster{"NamedCluster", kNamedClusterFields};

constexpr Field kEnvFields[] = {{"name"}, {"value"}};
constexpr Struct kEnv{"ExecEnvVar", kEnvFields};
constexpr Field kExecFields[] = {{"command"}, {"args", Leaf::kText, Around::kList},
                                 {"env", Leaf::kStruct, Around::kList, &kEnv}, {"apiVersion"}, {"installHint"},
                                 {"provideClusterInfo", Leaf::kBool},
                                 {"interactiveMode", Leaf::kText, Around::kNone, nullptr, "v1.ExecInteractiveMode"}};
constexpr Struct kExec{"ExecConfig", kExecFields};
constexpr Field kProviderFields[] = {{"name"}, {"config", Leaf::kText, Around::kMap}};
constexpr Struct kProvider{"AuthProviderConfig", kProviderFields};
constexpr Field kUserFields[] = {{"client-certificate"}, {"client-certificate-data", Leaf::kBytes},
                                 {"client-key"}, {"client-key-data", Leaf::kBytes}, {"token"}, {"tokenFile"},
                                 {"as"}, {"as-uid"}, {"as-groups", Leaf::kText, Around::kList},
                                 {"as-user-extra", Leaf::kText, Around::kMapOfLists}, {"username"}, {"password"},
                                 {"auth-provider", Leaf::kStruct, Around::kNone, &kProvider},
                                 {"exec", Leaf::kStruct, Around::kNone, &kExec}, kExtensions};
constexpr Struct kUser{"AuthInfo", kUserFields};
constexpr Field kNamedUserFields[] = {{"name"}, {"user", Leaf::kStruct, Around::kNone, &kUser}};
constexpr Struct kNamedUser{"NamedAuthInfo", kNamedUserFields};

constexpr Field kContextFields[] = {{"cluster"}, {"user"}, {"namespace"}, kExtensions};
constexpr Struct kContext{"Context", kContextFields};
constexpr Field kNamedContextFields[] = {{"name"}, {"context", Leaf::kStruct, Around::kNone, &kContext}};
constexpr Struct kNamedContext{"NamedContext", kNamedContextFields};

constexpr Field kPreferenceFields[] = {{"colors", Leaf::kBool}, kExtensions};
constexpr Struct kPreferences{"Preferences", kPreferenceFields};
constexpr Field kConfigFields[] = {{"preferences", Leaf::kStruct, Around::kNone, &kPreferences},
                                   {"clusters", Leaf::kStruct, Around::kList, &kNamedCluster},
                                   {"users", Leaf::kStruct, Around::kList, &kNamedUser},
                                   {"contexts", Leaf::kStruct, Around::kList, &kNamedContext},
                                   {"current-context"}, kExtensions};
constexpr Struct kConfig{"Config", kConfigFields};

std::string_view json_kind(const Value& v) {
  if (v.is_map()) return "object";
  if (v.is_list()) return "array";
  if (v.is_string()) return "string";
  return v.is(Type::kBool) ? "bool" : "number";
}

Error bad(std::string text) { return Error(Code::kInvalidArgument, std::move(text)); }

std::string leaf_type(const Field& field) {
  if (!field.type.empty()) return std::string(field.type);
  switch (field.leaf) {
    case Leaf::kText: return "string";
    case Leaf::kBool: return "bool";
    case Leaf::kBytes: return "[]uint8";
    case Leaf::kStruct: return cat("v1.", field.of->name);
  }
  return "";
}

Error refused(const Struct& owner, const Value& v, std::string_view path, std::string_view type) {
  return bad(cat("json: cannot unmarshal ", json_kind(v), " into Go struct field ", owner.name, ".", path,
                 " of type ", type));
}

Status check_fields(const Struct& type, const Value& map, const std::string& path);

Status check_leaf(const Struct& owner, const Field& field, const Value& v, const std::string& path) {
  const bool fits = field.leaf == Leaf::kStruct ? v.is_map()
                    : field.leaf == Leaf::kBool ? v.is(Type::kBool)
                                                : v.is_string();
  if (!fits) return refused(owner, v, path, leaf_type(field));
  if (field.leaf == Leaf::kStruct) return check_fields(*field.of, v, path);
  if (field.leaf != Leaf::kBytes) return ok();
  if (auto decoded = crypt::base64_decode(v.as_string()); !decoded) return decoded.error();
  return ok();
}

// `owner`: the struct that holds the field, which errors name.
Status check(const Struct& owner, const Field& field, Around around, const Value& v, const std::string& path) {
  if (v.is_nil()) return ok();
  if (around == Around::kNone) return check_leaf(owner, field, v, path);
  if (around == Around::kList) {
    if (!v.is_list()) return refused(owner, v, path, cat("[]", leaf_type(field)));
    for (const Value& item : v.items()) TRY(check(owner, field, Around::kNone, item, path));
    return ok();
  }
  const bool lists = around == Around::kMapOfLists;
  if (!v.is_map()) return refused(owner, v, path, cat("map[string]", lists ? "[]" : "", leaf_type(field)));
  if (!v.as_map()) return ok();
  for (const auto& [key, item] : *v.as_map()) {
    TRY(check(owner, field, lists ? Around::kList : Around::kNone, item, path));
  }
  return ok();
}

Status check_fields(const Struct& type, const Value& map, const std::string& path) {
  if (!map.as_map()) return ok();
  std::vector<std::pair<std::string_view, const Value*>> sorted;
  for (const auto& [key, v] : *map.as_map()) sorted.emplace_back(key.view(), &v);
  std::ranges::sort(sorted, {}, [](const auto& entry) { return entry.first; });
  for (const auto& [key, v] : sorted) {
    const auto field = std::ranges::find(type.fields, key, &Field::name);
    if (field == type.fields.end()) continue;
    TRY(check(type, *field, field->around, *v, path.empty() ? std::string(key) : cat(path, ".", key)));
  }
  return ok();
}

// runtime's Interpret and what is registered for clientcmd.
Status check_kind(const Value& root) {
  constexpr std::string_view kWhy = "couldn't get version/kind; json parse error: json: cannot unmarshal ";
  if (!root.is_map()) {
    return bad(cat(kWhy, json_kind(root),
                   R"( into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; )"
                   R"(Kind string "json:\"kind,omitempty\"" })"));
  }
  std::string version = "v1", kind = "Config";
  for (const auto& [name, into] : {std::pair{"apiVersion", &version}, {"kind", &kind}}) {
    const Value* v = root.get(name);
    if (!v || v->is_nil()) continue;
    if (!v->is_string()) {
      return bad(cat(kWhy, json_kind(*v), " into Go struct field .", name, " of type string"));
    }
    if (!v->as_string().empty()) *into = v->as_string();
  }
  if (std::ranges::count(version, '/') > 1) return bad(cat("unexpected GroupVersion string: ", version));
  if (version == "v1" && kind == "Config") return ok();
  return bad(cat("no kind ", quote(kind), " is registered for version ", quote(version),
                 R"( in scheme "pkg/runtime/scheme.go:111")"));
}

}  // namespace

Status check_shape(const Value& root) {
  if (root.is_nil()) return ok();
  TRY(check_kind(root));
  return check_fields(kConfig, root, "");
}

}  // namespace pintle::kube
