// Kubernetes objects under lint: reading their heads out of manifests, the rules for their names
// (k8s.io/apimachinery validation), and which kinds are deprecated.
#include "action/lint_rules.h"
#include "base/gotext.h"
#include "base/strings.h"
#include "chart/documents.h"
#include "chart/go_struct.h"
#include "chart/kube_tables.h"
#include "json/json.h"
#include "yaml/yaml.h"

namespace pintle::action {
namespace {

using value::Value;

constexpr size_t kSniffed = 4096;  // how far the decoder looks for a '{'

Status read_head(const Value& tree, ObjectHead& head) {
  std::string namespace_;
  chart::GoStruct in("rules");
  in.object(tree, "k8sYamlStruct",
            {{"apiVersion", [&](const Value& v) { in.text(v, head.api_version); }},
             {"Kind", [&](const Value& v) { in.text(v, head.kind); }},
             {"Metadata", [&](const Value& v) {
                in.object(v, "k8sYamlMetadata",
                          {{"Namespace", [&](const Value& x) { in.text(x, namespace_); }},
                           {"Name", [&](const Value& x) { in.text(x, head.name); }}});
              }}});
  return in.status();
}

Status each_yaml(std::string_view text, const std::function<void(const ObjectHead&)>& each) {
  static const yaml::Fields kFields{"apiVersion", "kind", "metadata.namespace", "metadata.name"};
  return chart::each_document(text, [&](std::string_view document) -> Status {
    const Value tree = TRY(yaml::read_fields(document, kFields));
    if (tree.is_nil()) return ok();
    ObjectHead head;
    TRY(read_head(tree, head));
    each(head);
    return ok();
  });
}

// "json: offset N: WHY": N is the length of the shortest beginning with the same fault.
std::string json_error(std::string_view text, const Error& why) {
  size_t used = 0;
  if (why.text() == "unexpected end of JSON input") return "unexpected EOF";
  size_t low = 1, high = text.size();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const auto got = json::read_prefix(text.substr(0, middle), &used);
    if (!got && got.error().text() == why.text()) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return cat("json: offset ", low, ": ", why.text());
}

// One JSON object after another; after the first one or none, YAML may still take over.
Finding each_json(std::string_view text, const std::function<void(const ObjectHead&)>& each) {
  size_t done = 0;
  for (int count = 0;; ++count) {
    const size_t start = text.find_first_not_of(" \t\r\n", done);
    if (start == text.npos) return std::nullopt;
    size_t used = 0;
    const auto tree = json::read_prefix(text.substr(start), &used);
    ObjectHead head;
    Status read = tree ? (tree->is_nil() ? ok() : read_head(*tree, head)) : Status(tree.error());
    if (read) {
      done = start + used;
      if (!tree->is_nil()) each(head);
      continue;
    }
    if (count > 1) return read.error().text();
    if (each_yaml(text.substr(start), each)) return std::nullopt;
    if (!tree) return json_error(text.substr(start), tree.error());
    std::string why = read.error().text();
    constexpr std::string_view kFrame = "error unmarshaling JSON: while decoding JSON: ";
    return why.substr(why.starts_with(kFrame) ? kFrame.size() : 0);
  }
}

bool is_lower_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_label(std::string_view s, bool letter_first) {
  if (s.empty() || !is_lower_alnum(s.front()) || !is_lower_alnum(s.back())) return false;
  if (letter_first && s.front() <= '9') return false;
  for (char c : s) {
    if (!is_lower_alnum(c) && c != '-') return false;
  }
  return true;
}

bool is_subdomain(std::string_view s) {
  for (std::string_view label : split(s, ".")) {
    if (!is_label(label, false)) return false;
  }
  return true;
}

using Reasons = std::vector<std::string>;

void limit(Reasons& reasons, std::string_view name, size_t bytes) {
  if (name.size() > bytes) reasons.push_back(cat("must be no more than ", bytes, " characters"));
}

Reasons subdomain_reasons(std::string_view name) {
  Reasons reasons;
  limit(reasons, name, 253);
  if (!is_subdomain(name)) {
    reasons.push_back(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
        "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex "
        "used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
  }
  return reasons;
}

Reasons label_reasons(std::string_view name) {
  Reasons reasons;
  limit(reasons, name, 63);
  if (is_label(name, false)) return reasons;
  reasons.push_back(
      is_subdomain(name)
          ? "must not contain dots"
          : "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or "
            "'-', and must start and end with an alphanumeric character (e.g. 'my-name',  or "
            "'123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
  return reasons;
}

Reasons service_reasons(std::string_view name) {
  Reasons reasons;
  limit(reasons, name, 63);
  if (!is_label(name, true)) {
    reasons.push_back(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
        "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')");
  }
  return reasons;
}

Reasons path_segment_reasons(std::string_view name) {
  if (name == "." || name == "..") return {cat("may not be '", name, "'")};
  Reasons reasons;
  for (char bad : {'/', '%'}) {
    if (name.find(bad) != name.npos) reasons.push_back(cat("may not contain '", bad, "'"));
  }
  return reasons;
}

Reasons name_reasons(const ObjectHead& object) {
  const std::string kind = to_lower(object.kind);
  if (kind == "service") return service_reasons(object.name);
  if (kind == "namespace") return label_reasons(object.name);
  if (kind == "certificatesigningrequest") return {};
  if (kind == "role" || kind == "clusterrole" || kind == "rolebinding" ||
      kind == "clusterrolebinding") {
    return path_segment_reasons(object.name);
  }
  return subdomain_reasons(object.name);
}

std::optional<int64_t> number(const std::string& text) {
  ParseError error{};
  const int64_t n = parse_int(text, 10, 64, &error);
  if (error != ParseError::kNone) return std::nullopt;
  return n;
}

}  // namespace

Finding each_object(std::string_view manifest, const std::function<void(const ObjectHead&)>& each) {
  std::string_view start = manifest.substr(0, kSniffed);
  for (Rune r = decode_rune(start); r.size > 0 && is_space(r.value); r = decode_rune(start)) {
    start.remove_prefix(static_cast<size_t>(r.size));
  }
  if (start.starts_with('{')) return each_json(manifest, each);
  const Status read = each_yaml(manifest, each);
  if (read) return std::nullopt;
  return read.error().text();
}

Finding check_object_name(const ObjectHead& object) {
  const Reasons reasons = name_reasons(object);
  if (reasons.empty()) return std::nullopt;
  const std::string name = quote(object.name);
  std::vector<std::string> fields;
  for (const std::string& reason : reasons) {
    fields.push_back(cat("metadata.name: Invalid value: ", name, ": ", reason));
  }
  const std::string all = fields.size() == 1 ? fields[0] : cat("[", join(fields, ", "), "]");
  return cat("object name does not conform to Kubernetes naming requirements: ", name, ": ", all);
}

Finding check_deprecation(const ObjectHead& object, const render::KubeVersion& kube_version) {
  if (object.api_version.empty() || object.kind.empty()) return std::nullopt;
  const chart::Deprecation* row = chart::find_deprecation(object.api_version, object.kind);
  if (!row) return std::nullopt;
  const auto major = number(kube_version.major), minor = number(kube_version.minor);
  if (!major || !minor) {
    const std::string& bad = major ? kube_version.minor : kube_version.major;
    return cat("strconv.Atoi: parsing ", quote(bad), ": invalid syntax");
  }
  if (*major < 1 || (*major == 1 && *minor < row->deprecated_minor)) return std::nullopt;
  std::string text = cat(object.api_version, " ", object.kind, " is deprecated in v1.",
                         row->deprecated_minor, "+");
  if (row->removed_minor > 0) append(text, {", unavailable in v1.", cat(row->removed_minor), "+"});
  if (!row->replacement.empty()) append(text, {"; use ", row->replacement});
  return text;
}

}  // namespace pintle::action
