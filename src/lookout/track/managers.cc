#include "lookout/track/managers.h"

#include <algorithm>

#include "base/strings.h"
#include "base/gotext.h"
#include "informer/scan.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "lookout/observe.h"

namespace pintle::lookout {
namespace {

using informer::Scan;
using informer::unquoted;

constexpr size_t kMostFields = 8, kPathLimit = 256;
constexpr int kMostDepth = 32;

// Parts of the names of what writes for Helm: helm-controller, terraform-provider-helm, Tiller.
constexpr std::string_view kHelm[] = {"helm", "pintle", "tiller"};

bool is_helm(std::string_view manager) {
  const std::string name = to_lower(manager);
  return std::any_of(std::begin(kHelm), std::end(kHelm), [&](std::string_view part) {
    return name.find(part) != std::string::npos;
  });
}

bool counts(std::string_view path) {
  return path != "spec.replicas" && !path.starts_with("spec.template.metadata.annotations");
}

// A step of fieldsV1 as people write it: "f:image" is ".image", `k:{"name":"web"}` is "[web]".
std::string step_of(std::string_view key) {
  const std::string text = unquoted(cat('"', key, '"')).value_or("");
  const std::string_view rest = std::string_view(text).substr(std::min<size_t>(2, text.size()));
  if (text.starts_with("f:")) return cat('.', rest);
  if (!text.starts_with("k:")) return cat('[', rest, ']');
  std::string values;
  Scan s(rest);
  if (!s.open('{')) return "[]";
  for (std::string_view name; s.member(name);) {
    const std::string_view value = s.take();
    append(values, {values.empty() ? "" : ",", unquoted(value).value_or(std::string(value))});
  }
  return cat('[', values, ']');
}

// The leaves below an object of fieldsV1, which `s` stands at.
void leaves(Scan& s, const std::string& path, int depth, std::vector<std::string>& out) {
  if (depth > kMostDepth || !s.open('{')) {
    s.skip();
    return;
  }
  bool leaf = true;
  for (std::string_view key; s.member(key);) {
    if (key == "." || out.size() >= kMostFields) {
      leaf = leaf && key == ".";
      s.skip();
      continue;
    }
    leaf = false;
    leaves(s, path + step_of(key), depth + 1, out);
  }
  if (leaf && counts(path) && out.size() < kMostFields) out.push_back(clean_text(path, kPathLimit));
}

std::vector<std::string> spec_fields(std::string_view fields) {
  std::vector<std::string> out;
  Scan s(fields);
  if (!s.open('{')) return out;
  for (std::string_view key; s.member(key);) {
    if (key == "f:spec") {
      leaves(s, "spec", 0, out);
    } else {
      s.skip();
    }
  }
  return out;
}

}  // namespace

std::string trimmed_managers(std::string_view list) {
  std::string out = "[";
  Scan s(list);
  if (!s.open('[')) return "[]";
  while (s.element()) {
    if (out.size() > 1) out += ',';
    out += '{';
    std::string_view fields;
    bool foreign = true, first = true;
    Scan entry(s.take());
    if (entry.open('{')) {
      for (std::string_view key; entry.member(key);) {
        const std::string_view value = entry.take();
        if (key == "fieldsV1") {
          fields = value;
          continue;
        }
        if (key == "manager") foreign = foreign && !is_helm(value);
        if (key == "subresource") foreign = foreign && value == "\"\"";
        append(out, {first ? "\"" : ",\"", key, "\":", value});
        first = false;
      }
    }
    if (const auto owns = foreign ? spec_fields(fields) : std::vector<std::string>(); !owns.empty()) {
      append(out, {first ? "" : ",", "\"owns\":", json_list(owns)});
    }
    out += '}';
  }
  return s.ok() ? out + "]" : "[]";
}

Managers managers_of(const value::Value& object) {
  Managers m;
  const value::Value* list = value_at(object, {"metadata", "managedFields"});
  if (list == nullptr) return m;
  int64_t latest = -1;
  const value::Value* drift = nullptr;
  for (const value::Value& entry : list->items()) {
    const int64_t ms = time_at(entry, {"time"});
    m.changed_ms = std::max(m.changed_ms, ms);
    if (!text_at(entry, {"subresource"}).empty()) continue;
    m.written_ms = std::max(m.written_ms, ms);
    const std::string_view manager = text_at(entry, {"manager"});
    if (ms >= latest) {
      latest = ms;
      m.who = clean_text(manager, 253);
    }
    if (is_helm(manager)) m.helm_ms = std::max(m.helm_ms, ms);
    if (value_at(entry, {"owns"}) != nullptr && ms >= m.drifted_ms) {
      m.drifted_ms = ms;
      drift = &entry;
    }
  }
  if (drift == nullptr || m.helm_ms == 0 || m.drifted_ms <= m.helm_ms) {
    m.drifted_ms = 0;
    return m;
  }
  m.drifted_by = clean_text(text_at(*drift, {"manager"}), 253);
  for (const value::Value& field : value_at(*drift, {"owns"})->items()) {
    if (field.is_string()) m.drifted_fields.emplace_back(field.as_string());
  }
  return m;
}

}  // namespace pintle::lookout
