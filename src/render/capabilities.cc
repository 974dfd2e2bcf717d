#include <algorithm>
#include <span>

#include "base/gotext.h"
#include "base/strings.h"
#include "chart/kube_tables.h"
#include "render/objects.h"
#include "render/struct_object.h"
#include "tmpl/print.h"

namespace pintle::render {

using value::Call;
using value::Value;

namespace {

// common.VersionSet: a named []string with a method.
class VersionSet : public value::Object {
 public:
  explicit VersionSet(const std::vector<std::string>& versions)
      : list_(Value::strings(versions)) {}

  std::string_view go_type() const override { return "common.VersionSet"; }
  value::Kind kind() const override { return value::Kind::kList; }
  std::string_view kind_name() const override { return "slice"; }
  bool truth() const override { return list_.length() != 0; }
  const value::FuncDef* method(std::string_view name) const override;
  const value::List* elements() const override { return list_.as_list(); }
  void print(std::string& out, bool) const override { tmpl::print_value(out, list_); }
  Value plain() const override { return list_; }

  bool has(std::string_view version) const {
    auto items = list_.items();
    return std::any_of(items.begin(), items.end(),
                       [&](const Value& v) { return v.as_string() == version; });
  }

 private:
  Value list_;
};

bool has_version(Call& call) {
  const auto& set = static_cast<const VersionSet&>(*call[0].as_object());
  return call.give(Value::boolean(set.has(call[1].as_string())));
}

constexpr value::FuncDef kVersionSetMethods[] = {{"Has", "s", has_version}};

const value::FuncDef* VersionSet::method(std::string_view name) const {
  return name == "Has" ? &kVersionSetMethods[0] : nullptr;
}

std::string kube_version_text(const value::Object& o) {
  const auto& kube = static_cast<const StructObject&>(o);
  auto normalized = kube.find("normalizedVersion")->value.as_string();
  return std::string(normalized.empty() ? kube.find("Version")->value.as_string() : normalized);
}

bool kube_version_string(Call& call) {
  return call.give(value::str(kube_version_text(*call[0].as_object())));
}
bool kube_version_git_version(Call& call) {
  return call.give(call[0].as_object()->field("Version"));
}

constexpr value::FuncDef kKubeVersionMethods[] = {
    {"String", "", kube_version_string},
    {"GitVersion", "", kube_version_git_version},
};

bool capabilities_copy(Call& call) { return call.give(call[0]); }

constexpr value::FuncDef kCapabilitiesMethods[] = {{"Copy", "", capabilities_copy}};

constexpr StructType kCapabilitiesType{"*common.Capabilities", true, nullptr, kCapabilitiesMethods,
                                       std::size(kCapabilitiesMethods)};
constexpr StructType kKubeVersionType{"common.KubeVersion", false, kube_version_text,
                                      kKubeVersionMethods, std::size(kKubeVersionMethods)};
constexpr StructType kBuildInfoType{"version.BuildInfo"};

// ^\s*v?([0-9]+(?:\.[0-9]+)*)(.*)*$ : the numbers; "" when the text does not begin so.
std::string_view version_numbers(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\f\r", kDigits = "0123456789";
  size_t start = text.find_first_not_of(kSpaces);
  if (start == std::string_view::npos || text.find('\n', start) != std::string_view::npos) return {};
  if (text[start] == 'v') ++start;
  size_t end = std::min(text.find_first_not_of(kDigits, start), text.size());
  if (end == start) return {};
  while (end + 1 < text.size() && text[end] == '.' && kDigits.find(text[end + 1]) != kDigits.npos) {
    end = std::min(text.find_first_not_of(kDigits, end + 1), text.size());
  }
  return text.substr(start, end - start);
}

}  // namespace

Capabilities default_capabilities() {
  Capabilities out;
  for (std::string_view v : chart::default_api_versions()) out.api_versions.emplace_back(v);
  out.kube_version.normalized = out.kube_version.version;
  return out;
}

Result<KubeVersion> parse_kube_version(std::string_view text, bool helm3) {
  std::string_view numbers = version_numbers(text);
  if (numbers.empty()) {
    return Error(Code::kInvalidArgument, cat("could not parse ", quote(text), " as version"));
  }
  auto components = split(numbers, ".");
  if (components.size() < 2) {
    return Error(Code::kInvalidArgument, cat("illegal version string ", quote(text)));
  }
  std::string clean;
  for (std::string_view c : components) {
    if (clean.empty() && c.size() > 1 && c[0] == '0') {
      return Error(Code::kInvalidArgument, cat("illegal zero-prefixed version component ",
                                               quote(c), " in ", quote(text)));
    }
    ParseError error;
    uint64_t n = parse_uint(c, 10, 64, &error);
    if (error != ParseError::kNone) {
      return Error(Code::kInvalidArgument,
                   cat("illegal non-numeric version component ", quote(c), " in ", quote(text),
                       ": strconv.ParseUint: parsing ", quote(c), ": value out of range"));
    }
    clean += cat(clean.empty() ? "v" : ".", n);
  }
  KubeVersion out;
  out.normalized = clean;
  out.version = helm3 ? clean : text.starts_with('v') ? std::string(text) : cat("v", text);
  auto cleaned = split(std::string_view(clean).substr(1), ".");
  out.major = cleaned[0];
  out.minor = cleaned[1];
  return out;
}

Value capabilities_value(const Capabilities& c) {
  const KubeVersion& k = c.kube_version;
  Value kube = make_struct(kKubeVersionType,
                           {{"Version", value::str(k.version)},
                            {"normalizedVersion", value::str(k.normalized), {}, false},
                            {"Major", value::str(k.major)},
                            {"Minor", value::str(k.minor)}});
  Value helm = make_struct(
      kBuildInfoType, {{"Version", value::str(c.helm_version), "version", true, true},
                       {"GitCommit", value::str(c.git_commit), "git_commit", true, true},
                       {"GitTreeState", value::str(c.git_tree_state), "git_tree_state", true, true},
                       {"GoVersion", value::str(c.go_version), "go_version", true, true},
                       {"KubeClientVersion", value::str(c.kube_client_version),
                        "kube_client_version"}});
  Value versions = Value::object(Ref<VersionSet>::make(c.api_versions));
  return make_struct(kCapabilitiesType, {{"KubeVersion", std::move(kube)},
                                         {"APIVersions", std::move(versions)},
                                         {"HelmVersion", std::move(helm)}});
}

}  // namespace pintle::render
